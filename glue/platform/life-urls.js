/**
 * A blob URL shows whether the window or worker that has made it has ended: until then everybody of its origin can fetch it, however busy
 * or frozen its maker is, and though the site's data was cleared (docs/browsers.md has the measurements).
 */
import { isSpiderMonkey } from '../order/broadcast.js';
import { fetch } from './browser-realm.js';

/** The last part of a blob URL. */
const ID = /^\w{8}(-\w{4}){3}-\w{12}$/;

/** @param {string} url */
const answers = async (url) => {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
};

/** @param {Window & typeof globalThis} window the URLs can be fetched as long as it lives */
export const createLifeUrls = (window) => {
  const { createObjectURL, revokeObjectURL } = window.URL || {};
  const { Blob } = window;
  // In Firefox, a worker that makes one waits for its page's thread.
  const canMake = window.document || !isSpiderMonkey();
  /** @type {string[]} */
  let urls = [];
  let origin = '';
  let canFetch = true;

  /** Another one did not answer. If not even the latest own one does, none ever will, and each attempt would be reported to the site. */
  const checkLatest = async () => {
    const latest = urls[urls.length - 1];
    if (latest && !await answers(latest) && latest === urls[urls.length - 1]) canFetch = false;
  };

  return {
    /** Makes one. Returns its last part; empty if that is not possible here. */
    create() {
      if (!canMake) return '';
      try {
        const url = createObjectURL(new Blob());
        const start = url.lastIndexOf('/') + 1;
        const id = url.slice(start);
        if (!ID.test(id)) return '';
        origin = url.slice(0, start);
        urls.push(url);
        // Those before may have been lost together with the process that kept them.
        canFetch = true;
        return id;
      } catch {
        // It is a service worker, or a script has replaced what this needs.
        return '';
      }
    },

    /** From now on those that were made so far seem to be of a context that has ended. */
    revoke() {
      urls.forEach((url) => revokeObjectURL(url));
      urls = [];
    },

    /** Whether it shows a life. @param {string} id */
    async isLiving(id) {
      if (!origin || !canFetch || !ID.test(id)) return false;
      const isLiving = await answers(origin + id);
      if (!isLiving) await checkLatest();
      return isLiving;
    },

    /**
     * @param {string} id
     * @param {string} own the last part of an own one, as old as the knowledge that the other one was there. If that one cannot be fetched,
     *   a policy forbids it, or the browser has lost them all, or that life is over: then this does not tell
     */
    async hasEnded(id, own) {
      if (!canFetch || !ID.test(id) || !ID.test(own) || await answers(origin + id)) return false;
      if (await answers(origin + own)) return !await answers(origin + id);
      await checkLatest();
      return false;
    },
  };
};
