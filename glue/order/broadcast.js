/**
 * The order that BroadcastChannel makes: in Chromium and Firefox the browser's own process gives every message its place, and no page's
 * thread is part of that (docs/browsers.md).
 */

/** So many messages of others in a row, and the object for sending is closed. */
const IDLE = 8;

/**
 * Whether the engine is V8 or SpiderMonkey; false in JavaScriptCore. Recognised by what it does, since the user agent string says something
 * else where a developer emulates a device, and only in that tab.
 */
export const isKnownEngine = () => 'lineNumber' in new Error() || !/\n/.test(Function.prototype.toString.call(Object));

/** Whether BroadcastChannel is one order here. */
export const isBroadcastOneOrder = () => !!self.BroadcastChannel && isKnownEngine();

/**
 * @param {string} name the channel's
 * @param {(message: any) => void} onMessage
 * @param {() => void} onGap
 * @returns {import('../platform/place.js').Order}
 */
export const createBroadcastOrder = (name, onMessage, onGap) => {
  const listener = new BroadcastChannel(name);
  listener.onmessage = ({ data }) => onMessage(data);
  // A message that this context has no memory for.
  listener.onmessageerror = onGap;
  // An object does not hear what it posts itself, so another one posts. What that one hears costs time for nothing: while others talk and
  // this context does not, it is closed.
  /** @type {BroadcastChannel | undefined} */
  let sender;
  let left = 0;

  const closeSender = () => {
    if (sender) sender.close();
    sender = undefined;
  };

  return {
    append(message) {
      left = IDLE;
      if (!sender) {
        sender = new BroadcastChannel(name);
        // Never reads what it hears: only then is it copied.
        sender.onmessage = () => --left || closeSender();
      }
      sender.postMessage(message);
    },
    close() {
      listener.close();
      closeSender();
    },
  };
};
