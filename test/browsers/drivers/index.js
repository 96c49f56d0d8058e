/** The browsers that tests run in. */
import { Chromium, Chromium67 } from './chromium.js';
import { Firefox } from './firefox.js';
import { WebKit } from './webkit.js';

/**
 * @typedef {Chromium | Firefox | WebKit} Browser
 * @typedef {Awaited<ReturnType<Browser['newTab']>>} Tab
 */

/** @type {Record<string, {new (options?: any): Browser}>} */
export const BROWSERS = { chromium: Chromium, firefox: Firefox, webkit: WebKit, chromium67: Chromium67 };

/**
 * Names from a list like "chromium,firefox", or "all".
 * @param {string} [list]
 */
export function browserNames(list = process.env.BROWSERS || 'chromium') {
  const names = list === 'all' ? Object.keys(BROWSERS) : list.split(',');
  for (const name of names) if (!BROWSERS[name]) throw new Error(`unknown browser: ${name} (known: ${Object.keys(BROWSERS).join(', ')})`);
  return names;
}

/**
 * Why a browser cannot be used here, or null.
 * @param {string} name
 */
export function missing(name) {
  if (name === 'chromium67') return null;
  const { program } = /** @type {any} */ (BROWSERS[name]);
  return program.call(BROWSERS[name]) ? null : `${name} is not installed here`;
}

/**
 * @param {string} name
 * @param {object} [options]
 * @returns {Promise<Browser>}
 */
export async function startBrowser(name, options) {
  const browser = new BROWSERS[name](options);
  try {
    return await browser.start();
  } catch (error) {
    await browser.stop();
    throw error;
  }
}
