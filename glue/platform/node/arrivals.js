/**
 * How the threads of a process announce themselves before they first write to the journal. In Node a message is in the queue of every other
 * thread when postMessage() returns. So a thread that finds its queue empty knows that no thread has announced itself.
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
    // The event loop has taken the message out of the queue.
    arrived = true;
  });

  const close = () => {
    channel?.close();
    channel = undefined;
  };

  return {
    /** Announces this context, and hears others from now on: a channel that can post can also receive. */
    announce: () => post(() => (channel = channel || open()), close, 0),

    /** Whether another context may have announced itself since the last call. True if this context has no open channel. */
    any() {
      if (!channel) return true;
      // It takes a BroadcastChannel, too, although its types do not say so.
      while (receiveMessageOnPort(/** @type {any} */ (channel))) arrived = true;
      const result = arrived;
      arrived = false;
      return result;
    },

    close,
  };
};
