/** Locks and IndexedDB: the explainer's recipes and its sketch, as demo/idb has them. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserNames } from './drivers/index.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

const folders = {
  drafts: fileURLToPath(new URL('../drafts', import.meta.url)),
  demo: fileURLToPath(new URL('../../demo', import.meta.url)),
  ...(process.env.DIST ? { dist: path.resolve(process.env.DIST) } : {}),
};

// The demo is written in the language of 2020.
const names = browserNames().filter((name) => name !== 'chromium67');

eachBrowser('IndexedDB and locks', { folders, library: null, names }, (the) => {
  /** @type {string} */
  let origin;

  beforeEach(async () => {
    origin = await the.server.newOrigin();
  });

  const open = async () => {
    const tab = await the.newTab(`${origin}/drafts/pages/idb.html`);
    await until(() => tab.evaluate(() => typeof self.idb === 'object'), 10000, 'the page has its modules', 5);
    return tab;
  };

  for (const [index, title] of ['lock around transactions', 'transaction around a lock', 'transaction that is a scoped lock'].entries()) {
    it(`two tabs move money, a ${title}`, async () => {
      const tabs = [await open(), await open()];
      /** What one tab sees while both move. */
      const sums = await Promise.all(tabs.map((tab) => tab.evaluate(async (/** @type {number} */ which) => {
        const bank = await self.idb.bank.banks[which]();
        const sums = [];
        const moving = async () => {
          for (let left = 25; left; left--) await bank.move();
        };
        const looking = async () => {
          for (let left = 15; left; left--) sums.push((await bank.balances()).reduce((one, other) => one + other, 0));
        };
        await Promise.all([moving(), moving(), looking()]);
        return sums;
      }, index)));
      assert.deepEqual([...new Set(sums.flat())], [300]);
      const last = await tabs[0].evaluate(async (/** @type {number} */ which) => (await self.idb.bank.banks[which]()).balances(), index);
      assert.equal(last.reduce((one, other) => one + other, 0), 300);
    });
  }

  it('the lock is held from before the transaction until it has committed', async () => {
    const tab = await open();
    const events = await tab.evaluate(async () => {
      const { promises, recipes, drafts } = self.idb;
      const database = await promises.openDatabase('order', ['store']);
      const events = [];
      const held = async () => (await drafts.queryState()).held.map(({ scope }) => scope.join()).join();
      let atComplete;
      const other = recipes.lockAroundTransactions(['a', 'b'], 'exclusive', () => {
        events.push('begin');
        const transaction = database.transaction('store', 'readwrite');
        transaction.objectStore('store').put(1, 'key');
        transaction.addEventListener('complete', () => {
          events.push('complete');
          atComplete = held();
        });
        return [transaction];
      }).then(() => events.push('released'));
      const next = drafts.acquire('b', () => events.push('next'));
      await Promise.all([other, next]);
      return [...events, `held at completion: ${await atComplete}`];
    });
    assert.deepEqual(events.slice(0, 2), ['begin', 'complete']);
    assert.deepEqual(events.slice(2, 4).sort(), ['next', 'released']);
    assert.equal(events[4], 'held at completion: a,b');
  });

  it('a transaction that aborts releases the lock, and rejects', async () => {
    const tab = await open();
    const outcome = await tab.evaluate(async () => {
      const { promises, recipes, drafts } = self.idb;
      const database = await promises.openDatabase('aborting', ['store']);
      const error = await recipes.lockAroundTransactions('a', 'exclusive', () => {
        const transaction = database.transaction('store', 'readwrite');
        transaction.objectStore('store').put(1, 'key');
        transaction.abort();
        return [transaction];
      }).catch((reason) => reason);
      return [error.name, await drafts.acquire('a', { ifAvailable: true }, (lock) => lock !== null)];
    });
    assert.deepEqual(outcome, ['AbortError', true]);
  });

  it('the transaction does not commit before the lock around it is released', async () => {
    const [tab, other] = [await open(), await open()];
    await other.evaluate(async () => {
      self.lock = await self.idb.drafts.requestExplicitLock('a');
    });
    await tab.evaluate(async () => {
      const { promises, recipes } = self.idb;
      self.events = [];
      const database = await promises.openDatabase('around', ['store']);
      const transaction = database.transaction('store', 'readwrite');
      transaction.objectStore('store').put('early', 'key');
      self.done = recipes.transactionAroundLock(transaction, 'a', async (active) => {
        self.events.push('granted');
        await new Promise((resolve) => setTimeout(resolve, 100));
        await active();
        transaction.objectStore('store').put('late', 'key');
        self.events.push('written');
      }).then(() => self.events.push('complete'));
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    assert.deepEqual(await tab.evaluate(() => self.events), []);
    await other.evaluate(() => self.lock.release());
    await tab.evaluate(() => self.done);
    assert.deepEqual(await tab.evaluate(() => self.events), ['granted', 'written', 'complete']);
    assert.equal(await other.evaluate(async () => {
      const database = await self.idb.promises.openDatabase('around', ['store']);
      return self.idb.promises.result(database.transaction('store').objectStore('store').get('key'));
    }), 'late');
  });

  it('an error under the lock aborts the transaction', async () => {
    const tab = await open();
    const outcome = await tab.evaluate(async () => {
      const { promises, recipes } = self.idb;
      const database = await promises.openDatabase('failing', ['store']);
      const transaction = database.transaction('store', 'readwrite');
      transaction.objectStore('store').put('never', 'key');
      const fail = () => Promise.reject(new Error('mine'));
      const error = await recipes.transactionAroundLock(transaction, 'a', fail).catch((reason) => reason);
      return [error.name, await promises.result(database.transaction('store').objectStore('store').get('key')) === undefined];
    });
    assert.deepEqual(outcome, ['AbortError', true]);
  });

  describe('the sketch', () => {
    it('a transaction sees its own writes, others see them when it has committed', async () => {
      const tab = await open();
      const seen = await tab.evaluate(async () => {
        const { LockedTransaction, openStorage } = self.idb;
        const storage = await openStorage('sketch');
        const seen = [];
        const writer = new LockedTransaction('sketch', storage, ['a', 'b'], 'readwrite');
        // Requests can be made at once; they are processed when the lock is there.
        void writer.put('a', 'key', 1);
        const own = writer.get('a', 'key');
        const reader = new LockedTransaction('sketch', storage, ['a'], 'readonly');
        const read = reader.get('a', 'key').then((value) => seen.push(`reader ${value}`));
        seen.push(`writer ${await own}`);
        await writer.put('b', 'key', 2);
        await writer.complete;
        seen.push('complete');
        await read;
        return seen;
      });
      assert.deepEqual(seen, ['writer 1', 'complete', 'reader 1']);
    });

    it('commits when nothing more is asked for, and then takes no more', async () => {
      const tab = await open();
      const names = await tab.evaluate(async () => {
        const { LockedTransaction, openStorage } = self.idb;
        const nameOf = (promise) => promise.then(() => 'fulfilled', (error) => error.name);
        const storage = await openStorage('sketch');
        const transaction = new LockedTransaction('sketch', storage, ['a'], 'readonly');
        const names = [await nameOf(transaction.put('a', 'key', 1)), await nameOf(transaction.get('b', 'key'))];
        await transaction.complete;
        return [...names, await nameOf(transaction.get('a', 'key'))];
      });
      assert.deepEqual(names, ['ReadOnlyError', 'NotFoundError', 'TransactionInactiveError']);
    });

    it('lives as long as each answer brings a new question', async () => {
      const tab = await open();
      const value = await tab.evaluate(async () => {
        const { LockedTransaction, openStorage } = self.idb;
        const transaction = new LockedTransaction('sketch', await openStorage('sketch'), ['a'], 'readwrite');
        for (let value = 1; value <= 20; value++) await transaction.put('a', 'key', (await transaction.get('a', 'key') ?? 0) + 1);
        const last = await transaction.get('a', 'key');
        await transaction.complete;
        return last;
      });
      assert.equal(value, 20);
    });

    it('aborts without a trace, and lets the next one in', async () => {
      const tab = await open();
      const outcome = await tab.evaluate(async () => {
        const { LockedTransaction, openStorage } = self.idb;
        const storage = await openStorage('sketch');
        const transaction = new LockedTransaction('sketch', storage, ['a'], 'readwrite');
        await transaction.put('a', 'other', 1);
        transaction.abort();
        const name = await transaction.complete.catch((error) => error.name);
        const next = new LockedTransaction('sketch', storage, ['a'], 'readwrite');
        return [name, await next.get('a', 'other') === undefined];
      });
      assert.deepEqual(outcome, ['AbortError', true]);
    });

    it('aborts if its lock is forced', async () => {
      const tab = await open();
      const name = await tab.evaluate(async () => {
        const { LockedTransaction, openStorage, drafts } = self.idb;
        const transaction = new LockedTransaction('sketch', await openStorage('sketch'), ['a'], 'readwrite');
        await transaction.put('a', 'forced', 1);
        const forcing = drafts.forceRelease('sketch/a');
        const asking = (async () => {
          for (;;) await transaction.get('a', 'forced');
        })().catch(() => {});
        await Promise.all([forcing, asking]);
        return transaction.complete.catch((error) => error.name);
      });
      assert.equal(name, 'AbortError');
    });
  });

  it('the page runs, and shows what holds and waits since when', async () => {
    const tab = await the.newTab(`${origin}/demo/idb/index.html`);
    const text = () => tab.evaluate(() => document.body.innerText);
    await until(async () => (await tab.evaluate(() => document.querySelectorAll('#banks section').length)) === 3, 10000, 'three banks', 20);
    await tab.evaluate(() => document.querySelectorAll('#banks button').forEach((button) => button.click()));
    await until(async () => tab.evaluate(() => [...document.querySelectorAll('dl')]
      .every((list) => Number(list.querySelector('div:last-child output').textContent) > 2)), 10000, 'money moves', 50);
    const requests = () => tab.evaluate(() => document.getElementById('requests').innerText.replace(/\s+/g, ' '));
    await until(async () => /\(leads\).*(holds|waits for)/.test(await requests()), 10000, 'a holder is shown', 20);
    assert.match(await text(), /Suspected deadlocks: /);
    assert.equal(await tab.evaluate(() => document.querySelectorAll('.wrong').length), 0);
  });
});
