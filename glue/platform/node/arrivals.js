/**
 * How the threads of a process announce themselves, before they write to the journal for the first time. In Node a message is in the queue
 * of every other thread when postMessage() returns. So a thread that finds its queue empty knows that nobody was announced before.
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import { openChannel, post } from './channel.js';

/** @typedef {ReturnType<typeof createArrivals>} Arrivals */

/** @param {() => string} title of the manager */
export const createArrivals = (title) => {
  /** @type {import('node:worker_threads').BroadcastChannel | undefined} */
  let channel;
  let arrived = false;

  const open = () => openChannel(`${title()}:arrivals`, () => {
    // The event loop has taken it out of the queue.
    arrived = true;
  });

  const close = () => {
    channel?.close();
    channel = undefined;
  };

  return {
    /** Announces this context, and hears others from now on: a channel that takes the announcement hears, too. */
    announce: () => post(() => (channel = channel || open()), close, 0),

    /** Whether another context was announced since the last call. It was, if this context does not hear. */
    any() {
      if (!channel) return true;
      // Its types do not know that it takes a BroadcastChannel, too.
      while (receiveMessageOnPort(/** @type {any} */ (channel))) arrived = true;
      const result = arrived;
      arrived = false;
      return result;
    },

    close,
  };
};
