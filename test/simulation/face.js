/**
 * navigator.locks behind the calls of the log, so that a program can ask either way.
 *
 * @typedef {import('../../glue/log/types.js').LockLog} LockLog
 * @typedef {import('../../glue/log/types.js').RequestDescription} RequestDescription
 * @typedef {import('../../glue/log/types.js').RequestListener} RequestListener
 * @typedef {{number: number, letGo: () => void}} Handle
 *
 * @param {LockLog} log
 * @param {typeof import('../../glue/api/lock-manager.js').createLockManager} createLockManager
 */
export const createFace = (log, createLockManager) => {
  /** @type {any} the log's request that the manager has just made */
  let made;
  /** @type {any} */
  const manager = createLockManager(/** @type {any} */ ({ DOMException, origin: 'https://simulation.example' }), () => ({
    ...log,
    request: (description, listener) => (made = log.request(description, listener)),
  }));

  return {
    /** @param {RequestDescription} description */
    canAsk: ({ names, wait, hold }) => names.length === 1 && wait === undefined && hold === undefined,

    /** @param {RequestDescription} description @param {RequestListener} listener @returns {Handle} */
    request({ names, mode, ifAvailable, steal }, listener) {
      const controller = ifAvailable || steal ? undefined : new AbortController();
      const options = { mode, ifAvailable, steal, signal: controller && controller.signal };
      let mine = false;
      const asked = manager.request(names[0], options, (/** @type {any} */ lock) => {
        // The program has dropped the request. Without a signal it could not tell the manager, so the grant still comes.
        if (mine) return undefined;
        if (!lock) {
          mine = true;
          listener('unavailable', 0);
          return undefined;
        }
        listener('granted', request.fence);
        return new Promise((resolve) => {
          handle.letGo = () => {
            mine = true;
            resolve(undefined);
          };
          if (mine) resolve(undefined);
        });
      });
      const request = made;
      const handle = {
        get number() {
          return request.number;
        },
        letGo: () => {
          mine = true;
          if (controller) controller.abort();
        },
      };
      asked.then(() => {}, (/** @type {any} */ { name, message }) => {
        if (!mine) listener(name === 'TimeoutError' ? 'expired' : /has left/.test(message) ? 'lost' : 'broken', 0);
      });
      return handle;
    },

    /** @param {Handle} handle */
    drop: (handle) => handle.letGo(),
  };
};
