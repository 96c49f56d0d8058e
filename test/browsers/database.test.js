/** Connections to a list of entries: glue/order/database.js. */
import assert from 'node:assert/strict';
import { eachBrowser } from './engines.js';
import { libraryOf, Realm } from './realms.js';

const from = 'order/database.js';
const library = libraryOf('database.js', { openDatabase: from, createEntries: from, oneAfterAnother: from });

eachBrowser('a connection to a database', { library }, (the) => {
  /** @type {Realm} */
  let realm;

  beforeEach(async () => {
    realm = await Realm.tab(the, await the.server.newOrigin(), 'tab');
    await realm.evaluate(async () => {
      self.lost = 0;
      self.open = () => self.parts.openDatabase('list', () => self.lost++, () => true, self.parts.createEntries);
      self.connection = await self.open();
      self.add = (/** @type {string} */ what, connection = self.connection) => connection.update({ add: { what } })
        .then((/** @type {any[]} */ entries) => entries.map((entry) => entry.what).join(), (/** @type {Error} */ { message }) => message);
    });
  });

  it('that is closed in a hurry gives up at once what is not committed, and writes none of it', async () => {
    const [told, left] = await realm.evaluate(async () => {
      const { commit } = IDBTransaction.prototype;
      delete IDBTransaction.prototype.commit;
      let told = '';
      void self.add('one').then((/** @type {string} */ what) => { told = what; });
      self.connection.close(true);
      for (let jobs = 5; jobs; jobs--) await undefined;
      if (commit) IDBTransaction.prototype.commit = commit;
      return [told, await self.add('two', await self.open())];
    });
    assert.deepEqual([told, left], ['The connection was closed', 'two']);
  });

  it('that is closed otherwise still writes what was asked for', async () => {
    assert.deepEqual(await realm.evaluate(async () => {
      const adding = self.add('one');
      self.connection.close();
      return [await adding, await self.add('two', await self.open()), self.lost];
    }), ['one', 'one,two', 0]);
  });

  it('commits each transaction in the task that begins it, so that nobody waits for its thread; in WebKit it must not', async () => {
    assert.deepEqual(await realm.evaluate(async () => {
      const calls = [];
      const { commit } = IDBTransaction.prototype;
      if (!commit) return [];
      IDBTransaction.prototype.commit = function () {
        calls.push(this.mode);
        commit.call(this);
      };
      void self.add('one');
      void self.connection.transact('readwrite', (entries) => entries.add({ what: 'two' }));
      return calls;
    }), ['chromium', 'firefox'].includes(the.name) ? ['readwrite', 'readwrite'] : []);
  });

  it('keeps no transaction that is complete', async () => {
    assert.deepEqual(await realm.evaluate(async () => {
      for (const what of ['one', 'two']) await self.add(what);
      await self.connection.transact('readonly', () => {});
      let aborted = 0;
      const { abort } = IDBTransaction.prototype;
      IDBTransaction.prototype.abort = function () {
        aborted++;
        abort.call(this);
      };
      self.connection.close(true);
      return aborted;
    }), 0);
  });

  it('makes way for a deletion, but not for another version', async () => {
    assert.deepEqual(await realm.evaluate(async () => {
      const opening = indexedDB.open('list', 2);
      await new Promise((blocked) => { opening.onblocked = blocked; });
      const before = [await self.add('one'), self.lost];
      self.connection.close();
      const opened = await new Promise((resolve) => { opening.onsuccess = () => resolve(opening.result); });
      opened.close();
      self.connection = await self.open();
      await new Promise((resolve) => { indexedDB.deleteDatabase('list').onsuccess = resolve; });
      return [...before, self.lost];
    }), ['one', 0, 1]);
  });

  it('is lost where the browser says that it is closed, and not where a transaction cannot begin for another reason', async () => {
    assert.deepEqual(await realm.evaluate(async () => {
      const { transaction } = IDBDatabase.prototype;
      const told = [];
      for (const name of ['UnknownError', 'InvalidStateError', 'InvalidStateError']) {
        IDBDatabase.prototype.transaction = () => { throw new DOMException(name, name); };
        told.push(await self.add('none'), self.lost);
        IDBDatabase.prototype.transaction = transaction;
        if (name === 'UnknownError') told.push(await self.add('one'));
      }
      return told;
    }), ['UnknownError', 0, 'one', 'InvalidStateError', 1, 'InvalidStateError', 1]);
  });

  it('begins one transaction after another in an engine that is neither V8 nor SpiderMonkey, also where one fails', async function () {
    if (the.name === 'firefox') this.skip();
    const told = await realm.evaluate(async () => {
      // As in WebKit.
      const { toString } = Function.prototype;
      Function.prototype.toString = () => 'function () {\n    [native code]\n}';
      const { update, close } = self.parts.oneAfterAnother(await self.open());
      const { transaction } = IDBDatabase.prototype;
      let running = 0;
      const told = [];
      let commits = 0;
      IDBTransaction.prototype.commit = () => commits++;
      IDBDatabase.prototype.transaction = function (names, mode) {
        told.push(running);
        if (told.length === 2) throw new DOMException('full', 'QuotaExceededError');
        const begun = transaction.call(this, names, mode);
        running++;
        begun.addEventListener('complete', () => running--);
        return begun;
      };
      const all = ['one', 'two', 'three'].map((what) => update({ add: { what } }).then((entries) => entries.length, ({ name }) => name));
      close(false);
      const lengths = await Promise.all(all);
      Function.prototype.toString = toString;
      return [told, lengths, commits];
    });
    assert.deepEqual(told, [[0, 0, 0], [1, 'QuotaExceededError', 2], 0]);
  });
});
