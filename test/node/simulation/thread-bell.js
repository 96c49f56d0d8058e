/** What threads hear of each other, simulated: messages, and a word in shared memory while a thread stays awake. */
import { createUnderway } from './underway.js';

/** @param {import('./simulation.js').NodeSimulation} simulation */
export const createThreadBells = (simulation) => {
  const { world } = simulation;
  /** @type {Map<string, any>} by client */
  const ears = new Map();
  const underway = createUnderway(world);

  return {
    written() {},
    deliverNow: underway.deliverNow,
    cutAny() {},
    gone() {},
    died() {},

    /** @param {any} context */
    bellFor(context) {
      let own = '';
      const ring = (/** @type {string} */ client, /** @type {any} */ message) => {
        const ear = ears.get(client);
        if (!ear || !simulation.survives(context)) return;
        if (ear.awake && !message) ear.waiting = true;
        else underway.send(ear.context, world.time + world.between(0.1, 5), () => ears.get(client)?.rung(message));
      };
      return {
        listen(/** @type {string} */ client, /** @type {import('../../../glue/platform/node/bell.js').Ears} */ { rung }) {
          own = client;
          ears.set(client, { context, rung: (/** @type {any} */ message) => rung(message, () => {}), awake: false, waiting: false });
        },
        ring,
        ringAll: (/** @type {string[]} */ clients, /** @type {any} */ message) => clients.forEach((client) => ring(client, message)),
        stayAwake(/** @type {() => boolean} */ look) {
          const ear = ears.get(own);
          if (ear.awake || world.random() < 0.5) return;
          ear.awake = true;
          look();
          world.after(context, 0, 0.3, () => {
            ear.awake = false;
            if (!ear.waiting) return;
            ear.waiting = false;
            look();
          });
        },
        forget() {},
        close: () => void ears.delete(own),
      };
    },
  };
};
