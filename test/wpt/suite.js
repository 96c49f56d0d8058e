/** One run of the suite in one browser. */
import { startBrowser, BROWSERS } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { WebKitAutomation } from '../browsers/drivers/webkit-automation.js';
import { OLD_BROWSER_NAMES } from './inject.js';
import { listPages } from './pages.js';
import { WptServer } from './server.js';

/** Pages of one script side by side. WebKit's driver closes all windows or none. */
const SIDE_BY_SIDE = { chromium: 4, firefox: 4, chromium67: 4, webkit: 1 };

/**
 * @param {object} settings
 * @param {string} settings.name the browser's
 * @param {string} settings.root
 * @param {string} settings.filter
 * @param {string | null} settings.library
 * @param {{test: RegExp, engines: string[]}[]} settings.notRun
 * @returns {Promise<import('./results.js').Run>}
 */
export async function runSuite({ name, root, filter, library, notRun }) {
  const tests = listPages(root, 'web-locks').filter(({ page }) => page.includes(filter) &&
    !notRun.some((each) => each.engines.includes(name) && each.test.test(page)));
  const server = await new WptServer({ root, library, lower: name === 'chromium67' ? await lowerSyntax() : null }).start();
  const started = Date.now();
  const pages = {};
  let browser = await start(name);
  const { version } = browser;
  const run = async (test) => { pages[test.page] = await runPage(browser, server, test); };
  try {
    await inParallel(tests.filter(({ kind }) => kind === 'any'), SIDE_BY_SIDE[name], run);
    // Those with windows and frames, one at a time; what they opened is closed with them.
    for (const test of tests.filter(({ kind }) => kind !== 'any')) {
      await run(test);
      const clean = await browser.closeAll().then(() => browser.isAlive()).catch(() => false);
      if (clean) continue;
      const { status, subtests } = pages[test.page];
      if (test.kind === 'crash' && status !== 'OK') subtests['does not hang or crash'] = { status: 'FAIL', message: 'the browser died' };
      await browser.stop();
      browser = await start(name);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
  return { engine: name, version, mode: library ? 'ours' : 'native', seconds: Math.round((Date.now() - started) / 1000),
    pages: Object.fromEntries(Object.entries(pages).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Without the tentative tests' popups being blocked, and without throttled timers. */
async function start(name) {
  if (name === 'webkit') return new WebKitAutomation().start();
  return startBrowser(name in BROWSERS ? name : 'chromium');
}

/**
 * @param {any} browser
 * @param {WptServer} server
 * @param {import('./pages.js').TestPage} test
 * @returns {Promise<import('./results.js').PageResult>}
 */
async function runPage(browser, server, test) {
  let last = { status: 'TIMEOUT', message: 'the page did not report', subtests: {} };
  let finish;
  const finished = new Promise((resolve) => { finish = resolve; });
  const origin = await server.addRun(test, (report) => {
    last = report.done ? report : { ...last, subtests: report.subtests };
    if (report.done) finish();
  });
  if (!origin) return { category: test.category, status: 'OK', subtests: {} };
  try {
    await browser.open(origin.url);
    await Promise.race([finished, browser.process.exit, sleep(test.limits.total + 4000)]);
    if (test.kind === 'any') await browser.closeAll((url) => url.includes(`:${origin.port}/`));
  } catch (error) {
    last = { ...last, status: 'ERROR', message: `driver: ${error.message}` };
  }
  const { status, message, subtests } = last;
  if (test.kind === 'crash' && status !== 'OK') subtests['does not hang or crash'] = { status, message };
  return { category: test.category, status, message, subtests };
}

/** @template T @param {T[]} items @param {number} width @param {(item: T) => Promise<void>} work */
async function inParallel(items, width, work) {
  const queue = items[Symbol.iterator]();
  await Promise.all(Array.from({ length: width }, async () => { for (const item of queue) await work(item); }));
}

/** Rewrites test files for Chromium 67; the library is never touched. */
async function lowerSyntax() {
  const esbuild = await import('esbuild');
  const cache = new Map();
  return async (source) => {
    if (!cache.has(source)) {
      const { code } = await esbuild.transform(source, { target: 'chrome67', define: OLD_BROWSER_NAMES, logLevel: 'silent' });
      cache.set(source, code.replace(/<\/script/gi, '<\\/script'));
    }
    return cache.get(source);
  };
}
