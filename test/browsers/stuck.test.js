/** A register that does not open: a page in the back-forward cache may keep everybody waiting for it (glue/platform/browser.js). */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { EXPORTS } from './places.js';
import { libraryOf, Realm } from './realms.js';

/** The timers of two seconds, which the tests let fire. */
const timers = `
  self.timers = [];
  (function () {
    const { setTimeout, clearTimeout } = self;
    self.setTimeout = (callback, milliseconds, ...rest) => {
      if (milliseconds !== 2000) return setTimeout(callback, milliseconds, ...rest);
      self.timers.push(callback);
      return callback;
    };
    self.clearTimeout = (timer) => {
      if (typeof timer !== 'function') return clearTimeout(timer);
      return void self.timers.splice(self.timers.indexOf(timer), 1);
    };
  })();
`;
const library = libraryOf('stuck.js', EXPORTS, timers);

eachBrowser('a register that does not open', { library }, (the) => {
  /** @type {Realm} */
  let one;
  /** In the tab of one. @type {Realm} */
  let worker;

  beforeEach(async () => {
    one = await Realm.tab(the, await the.server.newOrigin(), 'one');
    worker = await one.add('worker', 'worker');
  });

  it('has those dropped that were there before, once each time, and only where that helps', async () => {
    await one.evaluate(async () => {
      self.deleted = [];
      const { deleteDatabase, open } = indexedDB;
      self.create = (name) => new Promise((resolve) => {
        open.call(indexedDB, name).onsuccess = ({ target }) => resolve(target.result.close());
      });
      for (const name of ['lockkeeper-running-1-elder', 'lockkeeper-running-9-younger', 'another-1-database']) await self.create(name);
      indexedDB.deleteDatabase = (name) => {
        self.deleted.push(name);
        return deleteDatabase.call(indexedDB, name);
      };
      self.place = self.parts.createBrowserPlace('', self);
      await self.place.holdAlive('5-own', () => {});
      indexedDB.open = () => ({});
    });
    const knows = the.name === 'chromium';
    const wait = () => one.evaluate(async () => {
      void self.place.openRegister(() => {});
      self.timers.splice(0).forEach((callback) => callback());
      if ('databases' in indexedDB) await indexedDB.databases();
    });
    const isDeleted = (/** @type {number} */ times) => one.evaluate(() => self.deleted.join())
      .then((list) => list === Array(knows ? times : 0).fill('lockkeeper-running-1-elder').join());
    await wait();
    await until(() => isDeleted(1), 5000, 'the elder one is deleted');
    await one.evaluate(() => self.create('lockkeeper-running-1-elder'));
    await wait();
    assert.ok(await isDeleted(1));
    const waits = await one.evaluate(async () => {
      delete indexedDB.open;
      await self.place.openRegister(() => {});
      indexedDB.open = () => ({});
      return self.timers.length;
    });
    assert.equal(waits, 0);
    await wait();
    await until(() => isDeleted(2), 5000, 'it is deleted again');
  });

  it('is opened by a worker only when others can see that it lives, by a window at once', async () => {
    for (const realm of [worker, one]) {
      const second = await realm.evaluate(async () => {
        const told = [];
        const { open } = indexedDB;
        indexedDB.open = (name) => {
          const opening = open.call(indexedDB, name);
          told.push(`open ${name}`);
          opening.addEventListener('success', () => told.push(`opened ${name}`));
          return opening;
        };
        const place = self.parts.createBrowserPlace('', self);
        await Promise.all([place.holdAlive('own', () => {}), place.openRegister(() => {})]);
        return told[1];
      });
      assert.equal(second, realm === worker ? 'opened lockkeeper-running-own' : 'open lockkeeper-register');
    }
  });
});
