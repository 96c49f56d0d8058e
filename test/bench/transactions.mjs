/**
 * Real transactions a second: wa-sqlite in four tabs with five workers. Each worker has a connection of its own to one database, which they
 * share by locks. Ours and native take turns, each time with a new origin.
 */
import { bundlePages } from '../consumers/libraries/bundle.js';
import { sleep } from '../browsers/drivers/wait.js';

const SYSTEMS = ['OPFSWriteAheadVFS', 'IDBMirrorVFS'];
const BAR = 0.85;
const ROUNDS = Number(process.env.ROUNDS || 5);
/** In milliseconds. */
const DURATION = 5000;
const SETTLED = 500;

/** The workers of each tab. */
const TABS = [['a', 'b'], ['c'], ['d'], ['e']];

/** @typedef {{server: import('../browsers/server.js').TestServer, browser: import('../browsers/drivers/index.js').Browser}} Scene */

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Committed transactions a second. @param {Scene} scene @param {string} system */
const rate = async ({ server, browser }, system) => {
  const origin = await server.newOrigin();
  const tabs = [];
  for (const writers of TABS) {
    const tab = await browser.newTab(`${origin}/libraries/sqlite.html`);
    for (const writer of writers) {
      await tab.evaluate((/** @type {string} */ one, /** @type {string} */ vfs) => self.sqlite.open(one, vfs, 'bank.db'), writer, system);
      if (writer === 'a') await tab.evaluate(() => self.sqlite.ask('a', 'create'));
    }
    tabs.push(tab);
  }
  await sleep(SETTLED);
  const count = async () => {
    const committed = await Promise.all(tabs.map((tab) => tab.evaluate(() => self.sqlite.committed)));
    return committed.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0);
  };
  const writing = tabs.map((tab) => tab.evaluate(() => self.sqlite.write()));
  await sleep(SETTLED);
  const [began, before] = [performance.now(), await count()];
  await sleep(DURATION);
  const [after, ended] = [await count(), performance.now()];
  for (const tab of tabs) await tab.evaluate(() => { self.sqlite.stopped = true; });
  await Promise.all(writing);
  const { sum, written, check } = await tabs[0].evaluate(() => self.sqlite.ask('a', 'report'));
  const lines = written.reduce((/** @type {number} */ all, /** @type {[string, number]} */ [, each]) => all + each, 0);
  if (check !== 'ok' || sum !== 2000 || lines !== await count()) throw new Error(`${system}: the database is damaged: ${check}`);
  for (const tab of tabs) await tab.close();
  return (after - before) / (ended - began) * 1000;
};

/**
 * @param {Scene} ours
 * @param {Scene} native
 * @returns {Promise<{line: string, ok: boolean}[]>}
 */
export const measureTransactions = async (ours, native) => {
  const { folder, remove } = await bundlePages(['sqlite']);
  for (const { server } of [ours, native]) server.folders.libraries = folder;
  const rows = [];
  try {
    for (const system of SYSTEMS) {
      /** @type {number[]} */
      const [mine, theirs] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        mine.push(await rate(ours, system));
        theirs.push(await rate(native, system));
      }
      const ratios = mine.map((each, i) => each / theirs[i]);
      const ratio = median(ratios);
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
      rows.push({
        line: `${system}, transactions a second: ours ${median(mine).toFixed(0)}, native ${median(theirs).toFixed(0)}; `
          + `ratio ${ratio.toFixed(2)} (median of ${ROUNDS}, ${range}; bar ${BAR})`,
        ok: ratio >= BAR,
      });
    }
  } finally {
    remove();
  }
  return rows;
};
