/**
 * Locks that are held by an object instead of a callback.
 *
 * @typedef {import('./held.js').Held} Held
 *
 * @typedef {object} Holding the state of such an object. It must not refer to the object, so that the garbage collector can free the
 *   object.
 * @property {Held} held
 * @property {() => boolean} isReleased
 * @property {Promise<undefined>} released settles when the lock is released or lost
 * @property {() => void} release
 * @property {(error: unknown) => void} fail releases, and rejects [released]
 */
import { requestScope } from './request.js';

/**
 * @param {import('./request.js').Face} face
 * @param {readonly string[]} scope
 * @param {import('./options.js').DraftOptions} options
 * @param {(holding: Holding) => object} createObject
 * @returns {Promise<unknown>} fulfils with the object when the lock is held, or with null if the lock was not available
 */
export const requestHolding = (face, scope, options, createObject) => new Promise((resolve, reject) => {
  let released = false;
  /** @type {Holding | undefined} */
  let holding;
  /** Rejects the promise of the object. After the grant nothing here may refer to that promise: its value is the object. */
  let refuse = reject;
  let give = resolve;
  /** @type {{end: (value?: undefined) => void, fail: (error: unknown) => void}} settle the promise for which the lock is held */
  let settlers;
  /** @type {{end: (value?: undefined) => void, fail: (error: unknown) => void}} settle [released] */
  let tellers;

  /** @param {Held} held */
  const hold = (held) => {
    holding = {
      held,
      isReleased: () => released,
      released: new Promise((end, fail) => {
        tellers = { end, fail };
      }),
      release() {
        released = true;
        settlers.end();
      },
      fail(error) {
        released = true;
        settlers.fail(error);
      },
    };
    return createObject(holding);
  };

  /** @param {object | null} object */
  const keep = (object) => {
    const done = object && new Promise((end, fail) => {
      settlers = { end, fail };
    });
    give(object);
    refuse = give = () => {};
    return done;
  };

  requestScope(face, scope, options, hold, keep).then(
    () => holding && tellers.end(),
    (error) => {
      released = true;
      refuse(error);
      if (!holding) return;
      // Ignoring `released` must never cause an unhandled rejection: a holder may use `signal` instead.
      if (holding.held.isLost()) holding.released.catch(() => {});
      tellers.fail(error);
    },
  );
});
