/** Pages in the back-forward cache. */
import assert from 'node:assert/strict';
import { CACHEABLE, CACHEABLE_QUERY, goBack, leave } from './cache.js';
import { Stage } from './contexts.js';
import { browserNames } from './drivers/index.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** In WebKit a pending `open` may hold up others (docs/browsers.md). Chromium 67 has no such cache. */
const names = browserNames().filter((name) => name === 'chromium' || name === 'firefox');
const MOMENTS = { 'in beforeunload': -1, 'right before': 0, '5 ms before': 5, '10 ms before': 10, '20 ms before': 20, '40 ms before': 40 };

eachBrowser('a first page that asks and is left for another one', { names }, (the) => {
  for (const [moment, wait] of Object.entries(MOMENTS)) {
    it(`keeps nobody waiting: ${moment}`, async () => {
      const stage = await Stage.open(the);
      const page = await stage.page(CACHEABLE);
      await page.tab.evaluate((milliseconds, query) => {
        const ask = () => void self.actor('request', ['first', 'name']);
        const go = () => { location.href = `/pages/context.html?id=next&${query}${location.hash}`; };
        if (milliseconds < 0) addEventListener('beforeunload', ask);
        setTimeout(() => {
          if (milliseconds >= 0) ask();
          setTimeout(go, Math.max(milliseconds, 0));
        }, 50);
      }, wait, String(CACHEABLE_QUERY));
      const isNext = () => page.tab.evaluate(() => location.search.includes('id=next') && !!self.actor).catch(() => false);
      await until(isNext, 10000, 'the next page');
      await page.tab.evaluate(() => void self.actor('request', ['next', 'name']));
      await stage.event('next', 'granted');
      await (await stage.tab()).hold('another', 'another name');
    });
  }
});

/**
 * In a page: starts a worker that asks, and waits until the browser creates the worker's database that begins with [prefix]. That
 * goes on for as long as the worker runs.
 */
const startSlowWorker = (/** @type {string} */ prefix) => new Promise((resolve) => {
  const script = `
    importScripts('${location.origin}/library.js');
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (name) {
      const opening = open.call(this, name);
      if (name.startsWith('${prefix}')) {
        opening.addEventListener('upgradeneeded', () => {
          const busy = opening.result.createObjectStore('busy');
          const go = () => { busy.get(0).onsuccess = go; };
          go();
          postMessage('creating');
        });
      }
      return opening;
    };
    navigator.locks.request('first', () => {});`;
  self.worker = new Worker(URL.createObjectURL(new Blob([script])));
  self.worker.onmessage = resolve;
});

eachBrowser('an idle page that is left for another one', { names }, (the) => {
  it('comes back out of the cache, each time', async () => {
    const stage = await Stage.open(the);
    const { tab } = await stage.page(CACHEABLE);
    for (let round = 0; round < 6; round++) {
      await tab.evaluate(async (mark) => {
        await navigator.locks.request('name', () => {});
        self.round = mark;
      }, round);
      assert.ok(await leave(the, tab, stage.origin));
      await goBack(tab);
      const isBack = () => tab.evaluate(() => location.pathname !== '/blank' && document.readyState === 'complete').catch(() => false);
      await until(isBack, 10000, 'the page is back');
      assert.equal(await tab.evaluate(() => self.round), round, 'the page is the same one');
    }
  });
});

// In Firefox native locks keep such a page out of the cache (./frozen-workers.test.js).
const chromium = names.filter((name) => name === 'chromium');
eachBrowser('a first page whose worker asks, and that is left for another one', { names: chromium }, (the) => {
  for (const prefix of ['lockkeeper-running-', 'lockkeeper-register']) {
    it(`keeps nobody waiting while the browser creates ${prefix}`, async () => {
      const stage = await Stage.open(the);
      const page = await stage.page(CACHEABLE);
      await page.tab.evaluate(startSlowWorker, prefix);
      assert.ok(await leave(the, page.tab, stage.origin));
      await (await stage.page()).hold('another', 'another name');
    });
  }
});
