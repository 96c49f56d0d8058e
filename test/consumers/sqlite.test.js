/** wa-sqlite: connections in several tabs and workers to one database, shared by locks; tabs are killed while they write. */
import assert from 'node:assert/strict';
import { until } from '../browsers/drivers/wait.js';
import { besideNative } from './libraries/scenes.js';

/** The sum of all accounts. */
const SUM = 2000;
/** How many transactions each writer commits first. */
const LINES = 8;

/** The writers of each tab: each is a worker with a connection of its own. */
const TABS = [['a', 'b'], ['c'], ['d']];

besideNative('sqlite', (the) => {
  for (const system of ['IDBBatchAtomicVFS', 'IDBMirrorVFS', 'OPFSWriteAheadVFS']) {
    describe(system, () => {
      /** @type {Awaited<ReturnType<typeof the.open>>[]} */
      let tabs;

      beforeEach(async () => {
        tabs = [];
        for (const writers of TABS) {
          const tab = await the.open();
          for (const writer of writers) {
            await tab.evaluate((/** @type {string[]} */ ...values) => self.sqlite.open(...values), writer, system, 'bank.db');
            if (writer === 'a') await tab.evaluate(() => self.sqlite.ask('a', 'create'));
          }
          tabs.push(tab);
        }
      });

      /** The lines that writer a finds in the database. @returns {Promise<Record<string, number>>} by writer */
      const lines = async () => {
        const { sum, written, check } = await tabs[0].evaluate(() => self.sqlite.ask('a', 'report'));
        assert.deepEqual({ check, sum }, { check: 'ok', sum: SUM });
        for (const [writer, count, last] of written) assert.equal(count, last, `${writer}'s lines have no gap`);
        return Object.fromEntries(written.map((/** @type {[string, number, number]} */ [writer, count]) => [writer, count]));
      };

      it('four writers commit, and one is killed in its next transaction: only that transaction is missing', async () => {
        await Promise.all(tabs.map((tab) => tab.evaluate((/** @type {number} */ most) => self.sqlite.write(most), LINES)));
        assert.deepEqual(await lines(), { a: LINES, b: LINES, c: LINES, d: LINES });

        await tabs[1].evaluate((/** @type {number} */ line) => self.sqlite.ask('c', 'begin', 'c', line), LINES + 1);
        const refused = () => tabs[0].evaluate(() => self.sqlite.ask('a', 'busy'));
        const before = await refused();
        await tabs[0].evaluate((/** @type {number} */ line) => {
          self.moved = false;
          self.sqlite.ask('a', 'move', 'a', line).then(() => { self.moved = true; });
        }, LINES + 1);
        const queued = () => tabs[0].evaluate(async () => (await navigator.locks.query()).pending.length);
        await until(async () => await queued() || await refused() > before, 5000, 'the other one waits');
        assert.equal(await tabs[0].evaluate(() => self.moved), false);
        await tabs[1].kill();
        await until(() => tabs[0].evaluate(() => self.moved), 10000, 'the other one gets in');
        assert.deepEqual(await lines(), { a: LINES + 1, b: LINES, c: LINES, d: LINES });
      });

      it('two tabs are killed while all write: their commits are there, and the others go on', async () => {
        const written = (/** @type {string} */ writer) => tabs[0].evaluate((/** @type {string} */ one) =>
          self.sqlite.committed[one] ?? self.sqlite.elsewhere[one] ?? 0, writer);
        /** Each of them commits two more. @param {string[]} writers */
        const goOn = (writers) => Promise.all(writers.map(async (writer) => {
          const before = await written(writer);
          await until(async () => await written(writer) >= before + 2, 15000, `${writer} goes on`, 50);
        }));
        for (const tab of tabs) await tab.evaluate(() => { self.written = self.sqlite.write(); });
        await goOn(['a', 'b', 'c', 'd']);
        await tabs[1].kill();
        await goOn(['a', 'b', 'd']);
        await tabs[2].kill();
        await goOn(['a', 'b']);
        const { a, b } = await tabs[0].evaluate(() => {
          self.sqlite.stopped = true;
          return self.written;
        });
        const found = await lines();
        assert.deepEqual({ a: found.a, b: found.b }, { a, b });
        for (const writer of ['c', 'd']) {
          const told = await written(writer);
          // A tab may not have told its last commits: on a busy machine, what it tells comes late.
          assert.ok(found[writer] >= told, `${writer} told ${told}, and ${found[writer]} are there`);
        }
      });
    });
  }
});
