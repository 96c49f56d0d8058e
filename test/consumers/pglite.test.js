/** PGlite: one tab's worker runs Postgres for all, and a lock says which; that tab is killed while all write. */
import assert from 'node:assert/strict';
import { until } from '../browsers/drivers/wait.js';
import { besideNative } from './libraries/scenes.js';

const WRITERS = ['a', 'b', 'c'];

besideNative('pglite', (the) => {
  it('the leader is killed while all write: the next tab leads, and the database has what was committed', async () => {
    const tabs = [];
    for (const writer of WRITERS) {
      const tab = await the.open();
      await tab.evaluate(() => self.pglite.open());
      if (writer === 'a') {
        await tab.evaluate(() => self.pglite.query('CREATE TABLE book (writer text, line integer, PRIMARY KEY (writer, line))'));
      }
      tabs.push(tab);
    }
    const leaders = async () => {
      const leads = await Promise.all(tabs.map((tab) => tab?.evaluate(() => self.pglite.leads)));
      return WRITERS.filter((_, i) => leads[i]).join();
    };
    const committed = (/** @type {number} */ tab) => tabs[tab].evaluate(() => self.pglite.committed);
    /** All from this one on commit two more lines. @param {number} first */
    const goOn = (first) => Promise.all(WRITERS.slice(first).map(async (writer, i) => {
      const before = await committed(first + i);
      await until(async () => await committed(first + i) >= before + 2, 15000, `${writer} goes on`);
    }));

    for (const [i, tab] of tabs.entries()) {
      await tab.evaluate((/** @type {string} */ writer) => { self.written = self.pglite.write(writer); }, WRITERS[i]);
    }
    /** The commits of each writer at the last look. */
    const known = [0, 0, 0];
    await goOn(0);
    assert.equal(await leaders(), WRITERS[0]);
    known[0] = await committed(0);
    await tabs[0].kill();
    tabs[0] = null;
    await until(async () => await leaders() === WRITERS[1], 10000, `${WRITERS[1]} leads`);
    await goOn(1);
    known[1] = await committed(1);
    known[2] = await tabs[2].evaluate(() => {
      self.pglite.stopped = true;
      return self.written;
    });

    const rows = await tabs[2].evaluate(() => self.pglite.query(
      'SELECT writer, count(*), max(line) FROM book GROUP BY writer ORDER BY writer'));
    assert.deepEqual(rows.map(([writer]) => writer), WRITERS);
    for (const [i, [writer, count, last]] of rows.entries()) {
      assert.equal(count, last, `${writer}'s lines have no gap`);
      assert.ok(Number(count) >= known[i], `${writer} committed ${known[i]}, and ${count} are there`);
    }
    assert.equal(Number(rows[2][1]), known[2]);
  });
}, { isLong: true });
