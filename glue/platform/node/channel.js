/** BroadcastChannels between the threads of a process. */
import { BroadcastChannel } from 'node:worker_threads';

/** How often a message is posted at most, until a channel takes it. */
const ATTEMPTS = 10;

/**
 * @param {string} name
 * @param {(event: {data: any}) => void} [hear] gets the messages
 * @returns {BroadcastChannel} one that does not keep its thread alive
 */
export const openChannel = (name, hear) => {
  const channel = new BroadcastChannel(name);
  if (hear) channel.onmessage = /** @type {any} */ (hear);
  // After that: setting onmessage makes a channel keep the process alive.
  channel.unref?.();
  return channel;
};

/**
 * In Node a channel may refuse messages, and hear nothing, if it was opened just while the last other one of its name was closed. A new one
 * takes them.
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
