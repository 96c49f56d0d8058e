/** Storage that failed is tried again after so long, in milliseconds. */
const AGAIN = 500;
/**
 * A death counts only so long after it was seen: where the site's data is cleared, everybody seems dead for a moment. Whoever lives has
 * then learnt of it, and has closed the connection that the watch belongs to (rule R17).
 */
const CONFIRMED = 100;

/**
 * One life of a context towards the storage: a connection to the register, and one that shows that the context lives. What is asked
 * for here is tried until it succeeds. After close() nothing is heard of it any more, so that nobody who waits needs to ask whether
 * it is still the same life.
 *
 * @typedef {import('../platform/place.js').Register} Register
 * @typedef {import('./types.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createConnection>} Connection
 *
 * @param {import('../platform/place.js').Place} place
 * @param {string} alive a name never used before
 * @param {() => any} alsoOpen what else must have been opened
 * @param {() => void} onOpen
 * @param {() => void} onLost closed from outside
 */
export const createConnection = (place, alive, alsoOpen, onOpen, onLost) => {
  let open = true;
  /** @type {Register | undefined} */
  let register;
  /** @type {{close(): void} | undefined} a strong reference: an unreferenced connection would be closed by the garbage collector */
  let holding;

  /** @template {any[]} T @param {(...values: T) => void} callback @returns {(...values: T) => void} */
  const whileOpen = (callback) => (...values) => {
    if (open) callback(...values);
  };

  /** @param {() => void} callback @param {number} milliseconds */
  const later = (callback, milliseconds) => place.setTimer(whileOpen(callback), milliseconds);

  /** @param {(record?: RegisterRecord) => RegisterRecord | undefined} [lastChange] may still be carried out */
  const close = (lastChange) => {
    open = false;
    if (register) {
      if (lastChange) register.transact(lastChange).catch(() => {});
      register.close(!lastChange);
    }
    if (holding) holding.close();
  };

  const lost = whileOpen(() => {
    close();
    onLost();
  });

  /** @param {() => Promise<void>} attempt */
  const untilItSucceeds = (attempt) => {
    attempt().catch(whileOpen((error) => {
      place.warn(`storage failed: ${error}`);
      later(() => untilItSucceeds(attempt), AGAIN);
    }));
  };

  const opened = new Promise((resolve) => untilItSucceeds(() => Promise.all([
    register || place.openRegister(lost).then((opened) => {
      register = opened;
    }),
    holding || place.holdAlive(alive, lost).then((opened) => {
      holding = opened;
    }),
  ]).then(alsoOpen).then(() => {
    if (open) resolve(undefined);
    else close();
  })));
  void opened.then(whileOpen(onOpen));

  return {
    /** @param {(record?: RegisterRecord) => RegisterRecord | undefined} change @returns {Promise<any>} the record as it is then */
    transact: (change) => new Promise((resolve) => {
      void opened.then(() => untilItSucceeds(() => /** @type {Register} */ (register).transact(change).then(whileOpen(resolve))));
    }),

    /** @param {string} name empty where nobody knows it @param {() => void} onDeath @returns {() => void} stops watching */
    watch(name, onDeath) {
      let wanted = true;
      if (name) place.watchAlive(name, () => wanted && later(() => wanted && onDeath(), CONFIRMED));
      return () => {
        wanted = false;
      };
    },

    later,
    close,
  };
};
