/** BroadcastChannels between the threads of a process. */
import { BroadcastChannel } from 'node:worker_threads';

/** How many times at most a message is posted until a channel accepts it. */
const ATTEMPTS = 10;

/**
 * @param {string} name
 * @param {(event: {data: any}) => void} [hear] gets the messages
 * @returns {BroadcastChannel} does not keep its thread alive
 */
export const openChannel = (name, hear) => {
  const channel = new BroadcastChannel(name);
  if (hear) channel.onmessage = /** @type {any} */ (hear);
  // This comes last: setting onmessage makes a channel keep the process alive.
  channel.unref?.();
  return channel;
};

/**
 * In Node a channel may refuse messages and receive none if it was opened while the last other channel of its name was being closed. A new
 * one works.
 * @param {() => BroadcastChannel} find opens the channel, if it is not open
 * @param {() => void} close closes it
 * @param {unknown} message
 */
export const post = (find, close, message) => {
  for (let attempt = 1; ; attempt++) {
    try {
      find().postMessage(message);
      return;
    } catch (error) {
      close();
      if (attempt === ATTEMPTS) throw error;
    }
  }
};
