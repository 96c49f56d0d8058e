/**
 * A blob URL shows whether the window or worker that made it has ended. Until then every context of its origin can fetch it, even if its
 * maker is busy or frozen, or the site's data was cleared (docs/browsers.md has the measurements).
 */
import { fetch } from './browser-realm.js';
import { isSpiderMonkey } from './engine.js';

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

/** @param {Window & typeof globalThis} window the URLs can be fetched while it lives */
export const createLifeUrls = (window) => {
  const { createObjectURL, revokeObjectURL } = window.URL || {};
  const { Blob } = window;
  // In Firefox, a worker that makes a blob URL waits for its page's thread.
  const canMake = window.document || !isSpiderMonkey();
  /** @type {string[]} */
  let urls = [];
  let origin = '';
  let canFetch = true;

  /** A URL of another context failed. If the latest own one fails, too, all will, and the browser would report each attempt to the site. */
  const checkLatest = async () => {
    const latest = urls[urls.length - 1];
    if (latest && !await answers(latest) && latest === urls[urls.length - 1]) canFetch = false;
  };

  return {
    /** Makes a URL and returns its last part; empty if that is not possible here. */
    create() {
      if (!canMake) return '';
      try {
        const url = createObjectURL(new Blob());
        const start = url.lastIndexOf('/') + 1;
        const id = url.slice(start);
        if (!ID.test(id)) return '';
        origin = url.slice(0, start);
        urls.push(url);
        // Earlier URLs may have been lost together with the process that kept them.
        canFetch = true;
        return id;
      } catch {
        // This is a service worker, or a script has replaced what this needs.
        return '';
      }
    },

    /** From now on, all URLs made so far look like those of a context that has ended. */
    revoke() {
      urls.forEach((url) => revokeObjectURL(url));
      urls = [];
    },

    /** Whether the URL shows that its maker lives. @param {string} id */
    async isLiving(id) {
      if (!origin || !canFetch || !ID.test(id)) return false;
      const isLiving = await answers(origin + id);
      if (!isLiving) await checkLatest();
      return isLiving;
    },

    /**
     * @param {string} id
     * @param {string} own the last part of an own URL, the current one when this context learned of the other URL. If it cannot be fetched,
     *   the answer is unknown: a policy forbids fetching, the browser has lost all URLs, or that own life is over
     */
    async hasEnded(id, own) {
      if (!canFetch || !ID.test(id) || !ID.test(own) || await answers(origin + id)) return false;
      if (await answers(origin + own)) return !await answers(origin + id);
      await checkLatest();
      return false;
    },
  };
};
