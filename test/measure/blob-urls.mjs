/**
 * Does a blob URL show whether its page or worker lives, also when the site's data has been cleared? Another page fetches
 * it: while its maker is idle, busy or stopped, after a clearing, and when it has ended.
 *
 * node test/measure/blob-urls.mjs chromium firefox webkit
 */
import { parseArgs } from 'node:util';
import { CACHEABLE_QUERY, leave } from '../browsers/cache.js';
import { startBrowser } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

const { positionals } = parseArgs({ allowPositionals: true });

/** In a page: its own blob URL, and its worker's. */
const make = async () => {
  const script = "postMessage(URL.createObjectURL(new Blob(['alive'])));";
  self.worker = new Worker(URL.createObjectURL(new Blob([script])));
  const ofWorker = await new Promise((resolve) => { self.worker.onmessage = ({ data }) => resolve(data); });
  return { page: URL.createObjectURL(new Blob(['alive'])), worker: ofWorker };
};

/** In a page: the results of a fetch of each. */
const fetchAll = (/** @type {Record<string, string>} */ urls) => Promise.all(Object.entries(urls).map(async ([whose, url]) => {
  const began = performance.now();
  const outcome = await Promise.race([
    fetch(url).then(() => 'is there', () => 'is gone'),
    new Promise((resolve) => setTimeout(resolve, 3000, 'does not answer')),
  ]);
  return `the ${whose}'s ${outcome} (${Math.round(performance.now() - began)} ms)`;
}));

/** In a page: computes soon. */
const compute = (/** @type {number} */ milliseconds) => void setTimeout(() => {
  const end = Date.now() + milliseconds;
  while (Date.now() < end);
});

for (const name of positionals) {
  const server = await new TestServer({ library: null }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  const open = () => browser.newTab(`${server.origin}/blank?${CACHEABLE_QUERY}`);
  try {
    const watcher = await open();
    /** @param {string} when @param {Record<string, string>} urls */
    const report = async (when, urls) => console.log(`${name}, ${when}: ${(await watcher.evaluate(fetchAll, urls)).join(', ')}`);

    const first = await open();
    const urls = await first.evaluate(make);
    await report('idle', urls);
    await browser.clearSiteData(server.origin);
    await sleep(300);
    await report('after a clearing', urls);
    await first.evaluate(compute, 2000);
    await sleep(100);
    await report('while the page is busy', urls);
    await sleep(2000);
    await first.evaluate(() => self.worker.terminate());
    await sleep(50);
    await report('when the worker is terminated', urls);
    await first.close();
    await sleep(200);
    await report('when the tab is closed', urls);

    const second = await browser.newTab(`${server.origin}/pages/realm.html?${CACHEABLE_QUERY}`);
    const cached = await second.evaluate(make);
    const isCached = await leave({ server }, second, server.origin);
    await report(isCached ? 'in the back-forward cache' : 'when the page is left, and not in the cache', cached);
    await second.close();

    const third = await open();
    const stopped = await third.evaluate(make);
    await third.pid();
    await third.stop();
    await report('while the process is stopped', stopped);
    await third.kill();
    await sleep(500);
    await report('0.5 s after it was killed', stopped);
    await sleep(10000);
    await report('10 s later', stopped);
  } finally {
    await browser.stop();
    await server.stop();
  }
}
