/** An application deletes all databases of its origin: its deletes finish, held locks stay held, and newcomers work. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

/** Ways for a page to delete all databases; each resolves with how many. */
const WAYS = {
  'all at once': async () => {
    const databases = await indexedDB.databases();
    await Promise.all(databases.map(({ name }) => new Promise((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = resolve;
      deleting.onerror = () => reject(deleting.error);
    })));
    return databases.length;
  },
  'one after another': async () => {
    const databases = await indexedDB.databases();
    for (const { name } of databases) {
      await new Promise((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name);
        deleting.onsuccess = resolve;
        deleting.onerror = () => reject(deleting.error);
      });
    }
    return databases.length;
  },
};

eachBrowser('a page that deletes all databases', {}, (the) => {
  /** @type {Stage} */
  let stage;

  before(function () {
    if (!the.browser.canList) this.skip();
  });
  beforeEach(async () => { stage = await Stage.open(the); });

  for (const [title, way] of Object.entries(WAYS)) {
    for (const who of ['a page that has not used locks', 'the holder']) {
      it(`${title}: ${who}`, async function () {
        // WebKit lists them in no order.
        if (the.name === 'webkit' && way === WAYS['one after another']) this.skip();
        const [holder, waiter] = [await stage.tab(), await stage.tab()];
        await holder.hold('holder', 'name');
        await waiter.queue('waiter', 'name');
        const deleter = who === 'the holder' ? holder : await stage.page();
        assert.ok(await deleter.tab.evaluate(way) >= 3);
        const newcomer = await stage.tab();
        await newcomer.hold('free', 'free');
        await newcomer.queue('newcomer', 'name');
        assert.deepEqual(stage.grants(), ['holder', 'free']);
        await holder.release('holder');
        await stage.event('waiter', 'granted');
        // Its new alive name is known: its death is seen.
        await waiter.tab.pid();
        waiter.forget();
        await waiter.tab.kill();
        await stage.event('newcomer', 'granted');
        assert.deepEqual(stage.grants(), ['holder', 'free', 'waiter', 'newcomer']);
      });
    }
  }

  it('again and again, while locks go round', async () => {
    const contexts = [await stage.tab(), await stage.tab(), await stage.context('worker')];
    const deleter = await stage.page();
    for (let round = 0; round < 5; round++) {
      const tags = contexts.map(({ id }) => [0, 1, 2, 3].map((turn) => `${id} ${round} ${turn}`));
      await Promise.all(contexts.map((context, index) => context.tell('takeTurns', tags[index], 'name')));
      await deleter.tab.evaluate(WAYS['all at once']);
      for (const list of tags) {
        for (const tag of list) await stage.event(tag, 'ended');
        assert.deepEqual(stage.grants().filter((tag) => list.includes(tag)), list);
      }
    }
    await contexts[0].nothingIsLeft();
  });

  it('and all members die: the next visitor is granted', async () => {
    const [first, second] = [await stage.tab(), await stage.tab()];
    for (const { tab } of [first, second]) await tab.pid();
    await first.hold('first', 'name');
    await second.queue('second', 'name');
    await (await stage.page()).tab.evaluate(WAYS['all at once']);
    for (const context of [first, second]) {
      context.forget();
      await context.tab.kill();
    }
    const visitor = await stage.tab();
    await visitor.hold('visitor', 'name');
  });
});
