/**
 * The order that BroadcastChannel makes. In Chromium and Firefox the browser's own process gives every message its place, without any
 * page's thread (docs/browsers.md).
 */
import { BroadcastChannel, Event, setTimeout } from '../platform/browser-realm.js';

/** After this many messages of others in a row, the sender is closed. */
const IDLE = 8;
/**
 * A database that a page is creating when it enters the back-forward cache is not created there, and everybody waits for it. But Chromium
 * drops a page from the cache when a message reaches it, such as a newcomer's first one. So the channel stays open. A page that comes back
 * closes it so many milliseconds later.
 */
const LINGERS = 1000;

/** Engines are recognised by what they do. The user agent string says something else in a tab where a developer emulates a device. */
export const isSpiderMonkey = () => 'lineNumber' in new Error();

/** Whether the engine is V8 or SpiderMonkey; false in JavaScriptCore. */
export const isKnownEngine = () => isSpiderMonkey() || !/\n/.test(Function.prototype.toString.call(Object));

/** Whether BroadcastChannel delivers the messages of all contexts in one order here. */
export const isBroadcastOneOrder = () => !!BroadcastChannel && isKnownEngine();

/**
 * @param {string} name the channel's
 * @param {(message: import('../platform/place.js').Message) => void} onMessage
 * @param {() => void} onGap
 * @returns {import('../platform/place.js').Order}
 */
export const createBroadcastOrder = (name, onMessage, onGap) => {
  const listener = new BroadcastChannel(name);
  /** @type {Event} */
  let probe;
  /** Of two listeners, which have run. Where the page stands in one of them, that one is gone anyway: then the other one shows a loss. */
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

  /** Whether messages that are lost show. A test's page may have another channel in the place of the browser's. */
  let canLook = false;
  try {
    heard.forEach((_, each) => hearOnce(each));
    canLook = hearsProbe();
  } catch {
    // It knows no such event.
  }

  /**
   * While a page stands in a debugger, or prints, Chromium dispatches the messages that come, and runs no listener: they are lost. But a
   * listener that was to run once is gone then, and that shows it.
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
  // This context could not read a message, for example because memory is short.
  listener.onmessageerror = onGap;
  // A BroadcastChannel does not hear what it posts itself, so a second one posts. That one hears everything, too, for nothing. It is closed
  // while only others post.
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
        // It does not read [data]: only reading makes the browser copy the message.
        sender.onmessage = () => --left || closeSender();
      }
      sender.postMessage(message);
    },
    look,
    close(lingers) {
      closeSender();
      listener.onmessage = listener.onmessageerror = () => {};
      if (lingers) setTimeout(() => listener.close(), LINGERS);
      else listener.close();
    },
  };
};
