/**
 * How the threads of a process announce themselves, before they write to the journal for the first time. In Node a message is in the queue
 * of every other thread when postMessage() returns. So a thread that finds its queue empty knows that nobody was announced before.
 */
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';

/** How often an announcement is posted at most, until a channel takes it. */
const ATTEMPTS = 10;

/** @typedef {ReturnType<typeof createArrivals>} Arrivals */

/** @param {() => string} title of the manager */
export const createArrivals = (title) => {
  /** @type {BroadcastChannel | undefined} */
  let channel;
  let arrived = false;

  const open = () => {
    const opened = new BroadcastChannel(`${title()}:arrivals`);
    // The event loop takes messages out of the queue, too.
    opened.onmessage = () => {
      arrived = true;
    };
    opened.unref?.();
    return opened;
  };

  const arrivals = {
    /**
     * Announces this context, and hears others from now on. A channel that was opened just while the last other one of its name was closed
     * refuses messages, and hears nothing. A new one takes them.
     */
    announce() {
      for (let attempt = 1; ; attempt++) {
        try {
          channel = channel || open();
          channel.postMessage(0);
          return;
        } catch (error) {
          arrivals.close();
          if (attempt === ATTEMPTS) throw error;
        }
      }
    },

    /** Whether another context was announced since the last call. It was, if this context does not hear. */
    any() {
      if (!channel) return true;
      // Its types do not know that it takes a BroadcastChannel, too.
      while (receiveMessageOnPort(/** @type {any} */ (channel))) arrived = true;
      const result = arrived;
      arrived = false;
      return result;
    },

    close() {
      channel?.close();
      channel = undefined;
    },
  };
  return arrivals;
};
