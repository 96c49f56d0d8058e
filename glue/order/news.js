import { toJson } from '../log/json.js';
import { BroadcastChannel } from '../platform/browser-realm.js';

/** @param {string} text @returns {unknown} undefined if it is not JSON */
const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * How contexts tell each other which messages they have stored: by a BroadcastChannel, or by a storage event.
 *
 * @typedef {import('../platform/place.js').Message} Message
 * @typedef {[first: number, ...messages: Message[]]} News the key of the first message, and the messages if they can be sent this way
 *
 * @param {string} name
 * @param {(news: unknown) => void} onNews other scripts of the origin may post there, too
 */
export const openNews = (name, onNews) => {
  if (BroadcastChannel) {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => onNews(data);
    return { reaches: true, tell: (/** @type {News} */ news) => channel.postMessage(news), close: () => channel.close() };
  }
  const hear = (/** @type {StorageEvent} */ { key, newValue }) => {
    if (key === name && newValue) onNews(parse(newValue));
  };
  self.addEventListener('storage', hear);
  return {
    reaches: false,
    tell(/** @type {News} */ [first, ...messages]) {
      const isText = messages.every((message) => typeof message === 'string');
      try {
        localStorage.setItem(name, toJson(isText ? [first, ...messages] : [first]));
      } catch {
        // Workers have no localStorage, and a full one rejects writes.
      }
    },
    close: () => self.removeEventListener('storage', hear),
  };
};
