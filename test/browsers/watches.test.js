/** How a browser's place learns of a death, where storage fails or is slow, and where data was cleared: glue/platform/browser.js. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { EXPORTS, settleThree } from './places.js';
import { libraryOf } from './realms.js';

const library = libraryOf('watches.js', EXPORTS);

eachBrowser('a place that watches', { library }, (the) => {
  /** @type {import('./realms.js').Realm} */
  let one;
  /** @type {import('./realms.js').Realm} */
  let two;
  /** In the tab of two. @type {import('./realms.js').Realm} */
  let worker;

  beforeEach(async () => {
    [one, two, worker] = await settleThree(the);
  });

  it('tries a failed deletion again later, and then tells everybody who has come meanwhile', async () => {
    await one.evaluate(() => new Promise((resolve) => {
      const watch = (/** @type {string} */ told) => self.place.watchAlive('worker', () => self.deaths.push(told));
      self.begun = 0;
      indexedDB.deleteDatabase = () => {
        const failing = { readyState: 'pending' };
        self.begun++;
        setTimeout(() => {
          failing.readyState = 'done';
          failing.onerror();
          delete indexedDB.deleteDatabase;
          watch('second');
          resolve(null);
        });
        return failing;
      };
      watch('first');
    }));
    assert.equal(await one.evaluate(() => self.begun), 1);
    await worker.evaluate(() => self.holding.close());
    await until(() => one.evaluate(() => self.deaths.length > 1), 5000, 'the death is told');
    assert.deepEqual(await one.evaluate(() => self.deaths), ['first', 'second']);
  });

  it('watches a name again after it has told that the name is free', async () => {
    for (const told of ['free', 'free again']) {
      await one.evaluate((/** @type {string} */ what) => void self.place.watchAlive('nobody', () => self.deaths.push(what)), told);
      await until(() => one.evaluate((/** @type {string} */ what) => self.deaths.includes(what), told), 5000, told);
    }
  });

  it('has seen a name held as soon as the browser says so', async () => {
    const told = await one.evaluate(() => new Promise((resolve) => {
      const { deleteDatabase } = indexedDB;
      indexedDB.deleteDatabase = (name) => {
        const deletion = deleteDatabase.call(indexedDB, name);
        deletion.addEventListener('blocked', () => self.holding.close());
        return deletion;
      };
      self.place.watchAlive('one', resolve);
    }));
    assert.equal(told, true);
  });

  it('does not take a name for held if its deletion ends a moment after the other one', async () => {
    const told = await one.evaluate(() => new Promise((resolve) => {
      const begun = [];
      indexedDB.deleteDatabase = () => {
        const deletion = { readyState: 'pending' };
        const end = (/** @type {any} */ each) => {
          each.readyState = 'done';
          each.onsuccess();
        };
        begun.push(deletion);
        if (begun.length === 2) {
          setTimeout(() => {
            setTimeout(end, 10, begun[0]);
            end(deletion);
          });
        }
        return deletion;
      };
      self.place.watchAlive('nobody', resolve);
    }));
    assert.equal(told, false);
  });

  it('tells nothing to a watcher that stops while it checks whether the name is held', async () => {
    await one.evaluate(() => new Promise((resolve) => {
      const watch = (/** @type {string} */ told) => self.place.watchAlive('worker', () => self.deaths.push(told));
      const { deleteDatabase } = indexedDB;
      const stop = watch('stopped');
      indexedDB.deleteDatabase = (name) => {
        delete indexedDB.deleteDatabase;
        stop();
        const deletion = deleteDatabase.call(indexedDB, name);
        // Longer than it waits then.
        deletion.addEventListener('success', () => setTimeout(resolve, 100));
        return deletion;
      };
      setTimeout(watch, 10, 'told');
    }));
    await worker.evaluate(() => self.holding.close());
    await until(() => one.evaluate(() => self.deaths.includes('told')), 5000, 'the death is told');
    assert.deepEqual(await one.evaluate(() => self.deaths), ['told']);
  });

  it('gives its own name up if it is deleted before it is announced, and says so', async () => {
    await one.evaluate(() => self.place.holdAlive('young', () => self.lost.push('young')).then(() => null));
    assert.equal(await two.evaluate(() => new Promise((resolve) => {
      indexedDB.deleteDatabase('lockkeeper-running-young').onsuccess = () => resolve('deleted');
    })), 'deleted');
    await until(() => one.evaluate(() => self.lost.length), 5000, 'it is told');
    assert.deepEqual(await one.evaluate(() => self.lost), ['young']);
  });

  it('tells by an alive name whether that life goes on, also after data was cleared; of a worker in Firefox, nothing', async () => {
    const create = () => (self.alive = self.place.createAliveName());
    const [its, ofWorker] = [await two.evaluate(create), await worker.evaluate(create)];
    await one.evaluate(create);
    /** Whether it is seen to live, and to have ended. */
    const says = (/** @type {string} */ alive) => one.evaluate(async (/** @type {string} */ each) =>
      [await self.place.isLiving(each), await self.place.hasEnded(each, self.alive)].join(), alive);
    const knows = the.name !== 'firefox';
    await the.browser.clearSiteData(one.origin);
    assert.deepEqual([await says(its), await says(ofWorker)], ['true,false', knows ? 'true,false' : 'false,false']);
    await two.evaluate(() => self.place.endLife());
    assert.equal(await says(its), 'false,true');
    await two.tab.close();
    if (knows) await until(async () => await says(ofWorker) === 'false,true', 10000, 'the worker has ended');
    // Without an own life of that time, it concludes nothing.
    await one.evaluate(() => self.place.endLife());
    assert.equal(await says(its), 'false,false');
  });

  it('prints a warning again only after another one', async () => {
    assert.deepEqual(await one.evaluate(() => {
      const printed = [];
      const { warn } = console;
      console.warn = (text) => printed.push(text);
      for (const text of ['a', 'a', 'b', 'a']) self.place.warn(text);
      console.warn = warn;
      return printed;
    }), ['Lockkeeper: a', 'Lockkeeper: b', 'Lockkeeper: a']);
  });
});
