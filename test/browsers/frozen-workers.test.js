/** Workers whose page is frozen, or in the back-forward cache. The browser does not tell them (glue/platform/frozen-worker.js). */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { CACHEABLE, CACHEABLE_QUERY, goBack, leave } from './cache.js';
import { Stage } from './contexts.js';
import { browserNames } from './drivers/index.js';
import { sleep, until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** Longer than a worker must have been frozen to notice it, in milliseconds. */
const LONG = 1000;
const names = browserNames().filter((name) => name !== 'chromium67');

/** In other browsers, a context that waits for the worker makes the browser end it. @param {string} name @param {string} kind */
const leavesSoon = (name, kind) => name === 'firefox' || kind === 'shared';

/** Waits until no worker of the test takes part. @param {Stage} stage */
const untilNobodyIsLeft = async (stage) => {
  const witness = await stage.page();
  await until(async () => !Object.keys((await witness.register()).members).length, 20000, 'the worker leaves');
};

eachBrowser('a worker whose page is in the back-forward cache', { names }, (the) => {
  /** @type {Stage} */
  let stage;
  beforeEach(async () => { stage = await Stage.open(the); });

  for (const kind of ['worker', 'shared']) {
    it(`keeps nobody waiting if it has nothing left to do: ${kind}`, async () => {
      const page = await stage.page(CACHEABLE);
      const worker = await page.add(kind);
      await worker.hold('used', 'name');
      await worker.release('used');
      if (leavesSoon(the.name, kind)) await untilNobodyIsLeft(stage);
      // An open transaction in a frozen worker may delay all others in WebKit, and the worker has some when it leaves.
      if (the.name === 'webkit') await sleep(LONG);
      assert.ok(await leave(the, page.tab, stage.origin));
      const other = await stage.tab();
      await other.hold('another', 'another name');
    });
  }

  it('holds nothing if it goes on beside another holder', async () => {
    const page = await stage.page(CACHEABLE);
    const worker = await page.add('worker');
    await worker.hold('held', 'name');
    await worker.tell('keepLogging', 'held');
    assert.ok(await leave(the, page.tab, stage.origin));
    const other = await stage.page();
    await other.request('next', 'name');
    if (the.name === 'firefox') {
      // There it counts as frozen.
      await goBack(page.tab);
      await until(() => page.tab.evaluate(() => !!self.family).catch(() => false), 10000, 'the page is back');
      await worker.release('held');
    }
    const next = await stage.event('next', 'granted');
    if (the.name === 'webkit') {
      await sleep(LONG);
      await goBack(page.tab);
      await stage.event('held', 'AbortError');
      // It takes part again.
      await worker.hold('another', 'another name');
    }
    assert.deepEqual(stage.events(({ tag, event, order }) => tag === 'held' && event === 'runs' && order > next.order), []);
  });
});

eachBrowser('a worker whose page is frozen', { names: names.filter((name) => name === 'chromium') }, (the) => {
  it('keeps nobody waiting if it has nothing left to do', async () => {
    const stage = await Stage.open(the);
    const worker = await (await stage.page()).add('worker');
    await worker.hold('used', 'name');
    await worker.release('used');
    await untilNobodyIsLeft(stage);
    await worker.tab.freeze();
    await (await stage.tab()).hold('another', 'another name');
    await worker.tab.thaw();
    await worker.hold('again', 'name');
  });
});

const folders = { dist: fileURLToPath(new URL('../../dist', import.meta.url)) };
const guarded = { library: null, names: names.filter((name) => name === 'firefox'), folders };
eachBrowser('a worker with native locks', guarded, (the) => {
  for (const moment of ['is joining', 'holds a lock']) {
    it(`keeps its page out of the back-forward cache while it ${moment}`, async () => {
      const origin = await the.server.newOrigin();
      const tab = await the.newTab(`${origin}/pages/realm.html?${CACHEABLE_QUERY}`);
      await tab.evaluate((now) => new Promise((resolve) => {
        const ask = () => {
          self.LOCKKEEPER = { force: true };
          importScripts(`${self.name}/dist/lockkeeper.js`);
          onmessage = ({ data }) => {
            // Then its database never opens.
            if (data === 'is joining') IDBFactory.prototype.open = () => ({});
            navigator.locks.request('name', () => new Promise(() => postMessage('holds a lock')));
            postMessage('is joining');
          };
        };
        self.worker = new Worker(URL.createObjectURL(new Blob([`(${ask})()`])), { name: location.origin });
        self.worker.onmessage = ({ data }) => data === now && resolve(true);
        self.worker.postMessage(now);
      }), moment);
      assert.equal(await leave(the, tab, origin), false);
    });
  }
});
