/** The demo in a real Chromium: a server and an origin for each test, and pages that end with it. */
import { createDemoServer } from '../../demo/serve.mjs';
import { startBrowser } from '../browsers/drivers/index.js';
import { skipWithout } from '../browsers/engines.js';
import { DemoPage } from './page.js';

/** The lanes once the first page has started. */
export const COMPANY = ['Tab 1', 'Frame 1', 'Worker 1', 'Shared worker 1'];

/** To be called in a suite, which gets its hooks. [browser] and [origin] are there in its tests. */
export const useDemo = () => {
  let server;
  let pages = [];
  const scene = {
    /** @type {any} */
    browser: undefined,
    origin: '',
    /** @param {string} [search] @param {Parameters<typeof DemoPage.open>[2]} [options] */
    async open(search = '', options = {}) {
      const page = await DemoPage.open(scene.browser, `${scene.origin}/${search}`, options);
      pages.push(page);
      return page;
    },
    /** The first page with its company, all of them idle. */
    async openCalm() {
      const page = await scene.open();
      await page.shows(...COMPANY);
      await page.calm();
      return page;
    },
  };

  before(async function () {
    skipWithout('chromium', this);
    scene.browser = await startBrowser('chromium');
  });
  // An origin for each test: nothing is left of the one before.
  beforeEach(async () => {
    server = createDemoServer();
    await new Promise((resolve) => server.listen(0, 'localhost', resolve));
    scene.origin = `http://localhost:${server.address().port}`;
  });
  afterEach(async () => {
    for (const page of pages) await page.close().catch(() => {});
    pages = [];
    server?.close();
    server?.closeAllConnections();
  });
  after(() => scene.browser?.stop());
  return scene;
};
