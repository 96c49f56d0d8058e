/** The drafts' faces over the real log in a simulated world, where time is the world's. */
import { createObservation } from '../../glue/api/observation.js';
import { createLog } from '../../glue/log/log.js';
import { World } from '../simulation/world.js';
import { createCore } from '../simulation/core.js';
import { settle } from '../api/settle.js';
import { facesOver } from './kit.js';

/** A realm with the context's timers. @param {any} place */
const createGlobal = (place) => {
  /** @type {Map<number, () => void>} */
  const timers = new Map();
  let last = 0;
  return {
    DOMException,
    AbortController,
    AbortSignal,
    setTimeout(/** @type {() => void} */ run, /** @type {number} */ milliseconds) {
      timers.set(++last, place.setTimer(run, milliseconds));
      return last;
    },
    clearTimeout(/** @type {number} */ timer) {
      const cancel = timers.get(timer);
      if (timers.delete(timer) && cancel) cancel();
    },
  };
};

/**
 * @param {number} seed
 * @param {number} count
 */
export const createWorld = (seed, count) => {
  const world = new World({ seed });
  const contexts = Array.from({ length: count }, () => {
    const context = world.createContext();
    const observation = createObservation(() => Math.floor(world.time));
    const log = createLog(context.place, observation.watch(createCore));
    return Object.assign(facesOver(log, observation, createGlobal(context.place)), { context, observation });
  });

  return {
    world,
    contexts,

    /** Lets time pass. @param {number} milliseconds */
    async pass(milliseconds) {
      await settle();
      await world.run(world.time + milliseconds);
      await settle();
    },

    /**
     * Lets time pass until [promise] has settled.
     * @param {Promise<any>} promise
     * @param {number} [patience]
     */
    async settled(promise, patience = 60000) {
      let open = true;
      const close = () => (open = false);
      promise.then(close, close);
      // The latest requests are sent first: time must not pass by the next event.
      await settle();
      const deadline = world.time + patience;
      while (open && world.time < deadline && await world.step());
      if (open) throw new Error(`seed ${seed}: nothing has settled after ${patience} ms`);
      return promise;
    },
  };
};
