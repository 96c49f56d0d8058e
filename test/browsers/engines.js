/** Runs a suite in each browser that the environment variable BROWSERS names. */
import { browserNames, missing, startBrowser } from './drivers/index.js';
import { TestServer } from './server.js';

/**
 * Browsers that suites have left. To start and stop one takes longer than many a suite, and each test has an origin of its own.
 * @type {Map<string, import('./drivers/index.js').Browser>} by name and options
 */
const idle = new Map();

/** @param {string} name @param {object} [options] */
const keyOf = (name, options) => JSON.stringify([name, options]);

/** @param {string} name @param {object} [options] */
async function takeBrowser(name, options) {
  const key = keyOf(name, options);
  const browser = idle.get(key);
  idle.delete(key);
  return browser ?? startBrowser(name, options);
}

/** @param {import('./drivers/index.js').Browser} browser @param {boolean} isClean @param {string} name @param {object} [options] */
async function leaveBrowser(browser, isClean, name, options) {
  // A page that was killed leaves an empty window in WebKit.
  if (isClean && name !== 'webkit' && await browser.isAlive().catch(() => false)) {
    await browser.closeAll();
    idle.set(keyOf(name, options), browser);
  } else {
    await browser.stop();
  }
}

// Once for all files.
after(async () => {
  for (const browser of idle.values()) await browser.stop();
});

/**
 * Skips a test, or a hook's suite, where a browser is missing; in CI that is a failure.
 * @param {string} name
 * @param {{skip(): void}} context
 */
export function skipWithout(name, context) {
  const reason = missing(name);
  if (!reason) return;
  if (process.env.CI) throw new Error(reason);
  console.log(`      skipped: ${reason}`);
  context.skip();
}

/**
 * @typedef {object} Scene
 * @property {string} name the browser's
 * @property {import('./drivers/index.js').Browser} browser
 * @property {TestServer} server
 * @property {(address: string) => Promise<import('./drivers/index.js').Tab>} newTab a page of the server, closed after the test
 */

/**
 * @param {string} title
 * @param {{browser?: object, names?: string[]} & ConstructorParameters<typeof TestServer>[0]} options [browser]: the driver's options;
 *   the rest is the server's
 * @param {(scene: Scene) => void} suite
 */
export function eachBrowser(title, { browser: browserOptions, names = browserNames(), ...serverOptions }, suite) {
  for (const name of names) {
    describe(`${title} in ${name}`, function () {
      this.timeout(120000);
      this.slow(3000);
      const tabs = [];
      let hasFailed = false;
      /** @type {any} */
      const scene = { name };
      scene.newTab = async (address) => {
        const tab = await scene.browser.newTab(/^https?:/.test(address) ? address : scene.server.origin + address);
        tabs.push(tab);
        return tab;
      };

      before(async function () {
        this.timeout(120000);
        skipWithout(name, this);
        scene.server = await new TestServer(serverOptions).start();
        scene.browser = await takeBrowser(name, browserOptions);
        scene.server.pageScript = scene.browser.pageScript ?? '';
      });
      afterEach(async function () {
        if (this.currentTest.state === 'failed') hasFailed = true;
        for (const tab of tabs.splice(0)) await tab.close().catch(() => {});
      });
      after(async () => {
        if (scene.browser) await leaveBrowser(scene.browser, !hasFailed, name, browserOptions);
        await scene.server?.stop();
      });

      suite(scene);
    });
  }
}
