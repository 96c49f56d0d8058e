/**
 * Locks that an object holds instead of a callback.
 *
 * @typedef {import('./held.js').Held} Held
 *
 * @typedef {object} Holding the state of such an object; it must not know the object, which the garbage collector may find
 * @property {Held} held
 * @property {() => boolean} isReleased
 * @property {Promise<undefined>} released settles once the lock is released or lost
 * @property {() => void} release
 * @property {(error: unknown) => void} fail releases, and rejects [released]
 */
import { requestScope } from './request.js';

/**
 * @param {import('./request.js').Face} face
 * @param {readonly string[]} scope
 * @param {import('./options.js').DraftOptions} options
 * @param {(holding: Holding) => object} createObject
 * @returns {Promise<unknown>} fulfils with the object once the lock is held; with null where it was not available
 */
export const requestHolding = (face, scope, options, createObject) => new Promise((resolve, reject) => {
  let released = false;
  /** @type {Holding | undefined} */
  let holding;
  /** Rejects what waits for the object. After the grant nothing may lead from here to that promise: its value is the object. */
  let refuse = reject;
  let give = resolve;
  /** @type {{end: (value?: undefined) => void, fail: (error: unknown) => void}} settle what the lock is held for */
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
      // Ignoring `released` never causes an unhandled rejection: lock.signal tells of the loss too.
      if (holding.held.isLost()) holding.released.catch(() => {});
      tellers.fail(error);
    },
  );
});
