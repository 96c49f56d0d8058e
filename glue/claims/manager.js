/**
 * A LockManager whose locks are claims: it reaches from pages to machines. Its locks have two members more, `fence` and `signal`; a
 * request settles when its claim is over at the service; and the manager can be closed.
 */
import { createLockManager, LockManager } from '../api/lock-manager.js';
import { createClaimsLog } from './log.js';

/** @param {any} object @param {Record<string, unknown>} members */
const define = (object, members) => Object.defineProperties(object, Object.fromEntries(Object.entries(members).map(([name, value]) => (
  [name, { value, configurable: true, writable: typeof value === 'function' }]))));

/**
 * @param {any} options
 * @param {any} global
 */
const check = ({ url, ttl, headers, patience }, global) => {
  const refuse = (/** @type {string} */ text) => {
    throw new TypeError(text);
  };
  try {
    if (!/^https?:$/.test(new global.URL(String(url)).protocol)) throw url;
  } catch {
    refuse(`The option url must be the http or https address of a claims service; ${String(url)} is none.`);
  }
  if (ttl !== undefined && !(ttl > 0 && ttl <= 1e9)) refuse(`The option ttl must be a number of seconds above 0; ${String(ttl)} is none.`);
  if (patience !== undefined && !(patience >= 0)) {
    refuse(`The option patience must be a number of seconds, or Infinity; ${String(patience)} is none.`);
  }
  if (headers !== undefined && typeof headers !== 'function' && Object(headers) !== headers) {
    refuse('The option headers must be an object of headers, or a function that gives one.');
  }
};

/**
 * @param {any} global
 * @param {import('./service.js').ClaimsOptions} options
 * @returns {any}
 */
export const createClaimsLockManager = (global, options) => {
  check(options, global);
  const { log, rest, open } = createClaimsLog(global, options);
  /**
   * The request that the manager has just made of the log, or that the log is granting.
   * @type {{request: import('./log.js').ClaimRequest, fence: number} | undefined}
   */
  let current;
  let closed = false;
  const observed = {
    ...log,
    /** @param {any} description @param {any} listener */
    request(description, listener) {
      const request = log.request(description, (outcome, fence) => {
        current = { request, fence };
        listener(outcome, fence);
      });
      current = { request, fence: 0 };
      return request;
    },
  };
  const manager = createLockManager(global, () => {
    if (closed) throw new global.DOMException('The manager is closed.', 'InvalidStateError');
    return /** @type {any} */ (observed);
  });

  define(manager, {
    /** @param {any} name @param {any} callback */
    // eslint-disable-next-line no-unused-vars -- the parameters are there to be counted
    request(name, callback) {
      const parameters = [...arguments];
      const place = parameters.length > 2 ? 2 : 1;
      const called = parameters[place];
      if (typeof called === 'function') {
        parameters[place] = (/** @type {any} */ lock) => {
          const { request, fence } = /** @type {NonNullable<typeof current>} */ (current);
          return called(lock && define(lock, { fence, signal: request.loss.signal }));
        };
      }
      current = undefined;
      const result = LockManager.prototype.request.apply(this, /** @type {any} */ (parameters));
      const made = /** @type {{request: import('./log.js').ClaimRequest} | undefined} */ (/** @type {unknown} */ (current));
      if (!made) return result;
      const { request } = made;
      const failing = new Promise((resolve, reject) => {
        request.fail = reject;
      });
      // When the promise settles the lock is free for others; but a service that is away is not waited for.
      return Promise.race([failing, result]).finally(() => request.end.signal.aborted && rest(request));
    },

    close() {
      closed = true;
      log.leave();
      return Promise.all([...open].map(rest)).then(() => {});
    },
  });
  return manager;
};
