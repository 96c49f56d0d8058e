/**
 * Runs a suite for a library in Chromium twice: with our locks and without the native ones, and with the native ones. If that
 * takes long, the second only if the environment variable NATIVE is set.
 */
import assert from 'node:assert/strict';
import { eachBrowser } from '../../browsers/engines.js';
import { bundlePages } from './bundle.js';

/**
 * @typedef {object} Scene
 * @property {() => Promise<import('../../browsers/drivers/index.js').Tab>} open a tab with the library's page; all tabs of one test share
 *   an origin, which no other test has
 * @property {import('../../browsers/server.js').TestServer} server
 */

/**
 * @param {string} name the library's page in this folder
 * @param {(scene: Scene) => void} suite
 * @param {{isLong?: boolean}} [nature]
 */
export const besideNative = (name, suite, { isLong = false } = {}) => {
  for (const [whose, options] of /** @type {const} */ ([['our', {}], ['native', { library: null }]])) {
    if (whose === 'native' && isLong && !process.env.NATIVE) continue;
    eachBrowser(`${name} with ${whose} locks`, { ...options, names: ['chromium'] }, (the) => {
      /** @type {Awaited<ReturnType<typeof bundlePages>>} */
      let bundle;
      let origin = '';

      before(async () => {
        bundle = await bundlePages([name]);
        the.server.folders.libraries = bundle.folder;
      });
      beforeEach(async () => { origin = await the.server.newOrigin(); });
      after(() => bundle?.remove());

      const open = async () => {
        const tab = await the.newTab(`${origin}/libraries/${name}.html`);
        const isNative = await tab.evaluate(() => /\[native code\]/.test(String(navigator.locks.request)));
        assert.equal(isNative, whose === 'native');
        return tab;
      };
      // The server is there once the tests run.
      suite({ open, get server() { return the.server; } });
    });
  }
};
