/**
 * The order that BroadcastChannel makes. In Chromium and Firefox the browser's own process orders all messages, without any page's thread
 * (docs/browsers.md).
 */
import { BroadcastChannel, Event, setTimeout } from '../platform/browser-realm.js';
import { isKnownEngine } from '../platform/engine.js';

/** After this many messages of others in a row, close the sender. */
const IDLE = 8;
/**
 * If a page enters the back-forward cache while it creates a database, the creation stops there, and every context waits for it. But
 * Chromium drops a page from the cache when a message reaches it, such as a newcomer's first one. So the channel stays open. A page that
 * comes back closes it this many milliseconds later.
 */
const LINGERS = 1000;

/** Whether BroadcastChannel delivers the messages of all contexts in one order here. */
export const isBroadcastOneOrder = () => !!BroadcastChannel && isKnownEngine();

/**
 * @param {string} name the channel's name
 * @param {(message: import('../platform/place.js').Message) => void} onMessage
 * @param {() => void} onGap
 * @returns {import('../platform/place.js').Order}
 */
export const createBroadcastOrder = (name, onMessage, onGap) => {
  const listener = new BroadcastChannel(name);
  /** @type {Event} */
  let probe;
  /** Which of two listeners have run. If the page is paused in one of them, that one is missing anyway, and the other one shows a loss. */
  const heard = [false, false];

  /** @param {number} each */
  const hearOnce = (each) => listener.addEventListener('message', () => {
    heard[each] = true;
    hearOnce(each);
  }, { once: true });

  const hearsProbe = () => {
    heard.fill(false);
    probe = new Event('message');
    listener.dispatchEvent(probe);
    return heard.every((each) => each);
  };

  /** Whether lost messages can be detected. A test may have replaced the browser's channel. */
  let canLook = false;
  try {
    heard.forEach((_, each) => hearOnce(each));
    canLook = hearsProbe();
  } catch {
    // The replacement does not support such an event.
  }

  /**
   * While a page is paused in a debugger, or prints, Chromium dispatches messages without running listeners, so the messages are lost. But
   * a listener for one event is removed nevertheless, and that shows the loss.
   */
  const look = () => {
    if (!canLook || hearsProbe()) return;
    heard.forEach((isHeard, each) => isHeard || hearOnce(each));
    onGap();
  };

  listener.onmessage = (event) => {
    if (event === probe) return;
    look();
    onMessage(event.data);
  };
  // The browser could not deserialize a message, for example for lack of memory.
  listener.onmessageerror = onGap;
  // A BroadcastChannel does not receive its own messages, so a second one posts. That one receives all messages for nothing, so it is
  // closed while only others post.
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
        // Do not read [data]: only reading makes the browser copy the message.
        sender.onmessage = () => --left || closeSender();
      }
      sender.postMessage(message);
    },
    look,
    /** A message that is appended later still reaches the others. */
    close(lingers) {
      closeSender();
      listener.onmessage = listener.onmessageerror = () => {};
      if (lingers) setTimeout(() => listener.close(), LINGERS);
      else listener.close();
    },
  };
};
