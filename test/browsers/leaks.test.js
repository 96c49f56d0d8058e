/** Nothing is left behind: databases of dead contexts, abort listeners, requests in the state. */
import assert from 'node:assert/strict';
import { eachBrowser } from './engines.js';
import { Stage } from './contexts.js';
import { until } from './drivers/wait.js';

eachBrowser('nothing leaks', {}, (the) => {
  it('databases of contexts that came and went', async function () {
    this.timeout(300000);
    const stage = await Stage.open(the);
    const address = `${stage.origin}/pages/context.html?id=tab`;
    const first = await stage.tab();
    for (let round = 0; round < 12; round++) {
      const tab = await the.browser.newTab(address);
      await tab.evaluate(() => navigator.locks.request('visit', () => true));
      await tab.evaluate(() => { navigator.locks.request('kept', () => new Promise(() => {})); });
      await (round % 2 ? tab.close() : tab.kill().then(() => tab.close()));
    }
    const databases = () => first.tab.evaluate(async () =>
      (indexedDB.databases ? (await indexedDB.databases()).map(({ name }) => name) : []));
    // The register, and one of this page's own.
    await until(async () => (await databases()).length <= 2, 10000, 'only two databases are left').catch(async (error) => {
      error.message += `; left are ${await databases()}; the register: ${JSON.stringify(await first.register())}`;
      throw error;
    });
    // A database is gone when its owner's death is seen; the record, once that is confirmed.
    await until(async () => Object.keys((await first.register()).members).length === 1, 10000, 'only one member is left');
  });

  it('databases of contexts that ended before the others knew their names', async () => {
    const stage = await Stage.open(the);
    const first = await stage.tab();
    const lists = await first.tab.evaluate(async () => {
      const hour = 3600000;
      const [old, young] = [Date.now() - 2 * hour, Date.now() - hour / 2];
      for (const alive of [`${old}-one`, `${young}-young`, `${old}-held`, 'of-another-version', `${old}-two`]) {
        const database = await new Promise((resolve) => {
          indexedDB.open(`lockkeeper-running-${alive}`).onsuccess = ({ target }) => resolve(target.result);
        });
        if (alive.endsWith('held')) self.held = database;
        else database.close();
      }
      return 'databases' in indexedDB;
    });
    // All other databases belong to this page.
    const left = () => first.tab.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name.split('-').pop())
      .filter((name) => ['one', 'two', 'young', 'held', 'version'].includes(name)).sort());
    await first.hold('holder', 'name');
    if (!lists) return;
    await until(async () => !(await left()).some((name) => ['one', 'two'].includes(name)), 10000, 'the old ones are deleted');
    assert.deepEqual(await left(), ['held', 'version', 'young']);
    await first.tab.evaluate(() => self.held.close());
    await until(async () => !(await left()).includes('held'), 5000, 'it is deleted once its holder has ended');
    assert.deepEqual((await first.query()).held.map(({ name }) => name), ['name']);
  });

  it('a day of tabs that never meet', async function () {
    this.timeout(300000);
    const stage = await Stage.open(the);
    const address = `${stage.origin}/pages/context.html?id=tab`;
    let count = 0;
    for (let round = 0; round < 12; round++) {
      const tab = await the.browser.newTab(address);
      await tab.evaluate(() => navigator.locks.request('visit', () => true));
      count = await tab.evaluate(async () => (indexedDB.databases ? (await indexedDB.databases()).length : 0));
      await tab.close();
    }
    assert.ok(count <= 4, `${count} databases`);
  });

  it('abort listeners and requests of a long-lived signal', async () => {
    const stage = await Stage.open(the);
    const { tab } = await stage.tab();
    const left = await tab.evaluate(async () => {
      const { signal } = new AbortController();
      let listeners = 0;
      const { addEventListener, removeEventListener } = AbortSignal.prototype;
      signal.addEventListener = function (...parameters) {
        listeners++;
        return addEventListener.apply(this, parameters);
      };
      signal.removeEventListener = function (...parameters) {
        listeners--;
        return removeEventListener.apply(this, parameters);
      };
      for (let index = 0; index < 300; index++) await navigator.locks.request(`name ${index}`, { signal }, () => {});
      const { held, pending } = await navigator.locks.query();
      return { listeners, held: held.length, pending: pending.length };
    });
    assert.deepEqual(left, { listeners: 0, held: 0, pending: 0 });
  });
});
