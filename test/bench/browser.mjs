/**
 * In real Chromium: this library, the native locks and a peer side by side, in one run. `npm run bench -- browser`, or some of its parts:
 * `npm run bench -- browser first killed`. What counts are the ratios; the rates depend on the machine.
 */
import { fileURLToPath } from 'node:url';
import { startBrowser } from '../browsers/drivers/index.js';
import { until } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const BENCH = { bench: here('./pages') };
const PEER = here('../../node_modules/navigator.locks/dist/index.umd.js');

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** @typedef {import('../browsers/drivers/index.js').Tab} Tab */

/** @param {Tab} tab @param {string} name @param {number} [parameter] @returns {Promise<number>} */
const measure = (tab, name, parameter) => tab.evaluate(`measures.${name}(${parameter ?? ''})`);

/** @type {string[][]} */
const rows = [];
/** @param {string} what @param {number} ours @param {number} native @param {number} bar @param {string} [more] */
const row = (what, ours, native, bar, more = '') => {
  const ratio = ours / native;
  rows.push([what, ours.toFixed(0), native.toFixed(0), ratio.toFixed(2), bar.toFixed(2), ratio >= bar ? 'ok' : 'MISSED', more]);
};

/** A browser and a server of one implementation. @param {string | null} library */
const setUp = async (library) => {
  const server = await new TestServer({ library, folders: BENCH }).start();
  const browser = await startBrowser('chromium', {});
  return {
    server, browser,
    page: () => browser.newTab(`${server.origin}/bench/bench.html`),
    async end() {
      await browser.stop();
      await server.stop();
    },
  };
};

/** @typedef {Awaited<ReturnType<typeof setUp>>} Scene */

/** @param {Scene} scene */
const alone = async ({ page }, many = 3000) => {
  const tab = await page();
  await measure(tab, 'first');
  const result = {
    sequential: await measure(tab, 'sequential', 1500),
    queued: median(await repeat(3, () => measure(tab, 'queued', many))),
    names: median(await repeat(3, () => measure(tab, 'names', many))),
  };
  await tab.close();
  return result;
};

/** With [count] tabs open: the rate of the first (ours: the leader), of another, and of hand-overs between these two. */
const together = async (/** @type {Scene} */ { page }, /** @type {number} */ count) => {
  const tabs = [];
  for (let i = 0; i < count; i++) {
    tabs.push(await page());
    await measure(tabs[i], 'first');
  }
  const result = {
    leader: await measure(tabs[0], 'sequential', 1500),
    second: await measure(tabs[1], 'sequential', 1500),
    handOver: (await Promise.all([measure(tabs[0], 'handOver', 1500), measure(tabs[1], 'handOver', 1500)])).reduce((a, b) => a + b),
  };
  for (const tab of tabs) await tab.close();
  return result;
};

/** Milliseconds from the kill of the tab that holds (and, with [leads], leads) to the next one's grant. */
const killed = async (/** @type {Scene} */ { page }, /** @type {boolean} */ leads) => {
  const tabs = [await page(), await page(), await page()];
  for (const tab of tabs) await measure(tab, 'first');
  const victim = leads ? tabs[0] : tabs[1];
  await measure(victim, 'hold');
  await measure(tabs[2], 'wait');
  const began = Date.now();
  await victim.kill();
  const granted = await until(() => tabs[2].evaluate('measures.granted'), 5000, 'the grant');
  for (const tab of tabs) if (tab !== victim) await tab.close();
  return granted - began;
};

/** First grant in a lone tab of a fresh profile's origin: a new origin each time. */
const firstGrant = async (/** @type {Scene} */ { server, browser }) => {
  const origin = await server.newOrigin();
  const tab = await browser.newTab(`${origin}/bench/bench.html`);
  const time = await measure(tab, 'first');
  await tab.close();
  return time;
};

/** @template T @param {number} count @param {() => Promise<T>} task */
const repeat = async (count, task) => {
  const results = [];
  for (let i = 0; i < count; i++) results.push(await task());
  return results;
};

const ours = await setUp(here('../../dist/lockkeeper.js'));
const native = await setUp(null);
const peer = await setUp(PEER);
let missed = false;
const show = (/** @type {string} */ what, /** @type {number[]} */ times, /** @type {number} */ bar) => {
  const middle = median(times);
  const figures = `median ${middle.toFixed(1)} ms of ${times.length}, most ${Math.max(...times).toFixed(1)}`;
  console.log(`${what}: ${figures} (bar ${bar}) ${middle <= bar ? 'ok' : 'MISSED'}`);
  missed = missed || middle > bar;
};

const parts = {
  async lone() {
    // The peer's cost grows with the square of the queue: it gets a shorter one.
    const lone = { ours: await alone(ours), native: await alone(native), peer: await alone(peer, 50).catch(() => null) };
    for (const key of /** @type {const} */ (['sequential', 'queued', 'names'])) {
      const beside = lone.peer ? `peer ${lone.peer[key].toFixed(0)}` : 'peer: did not finish';
      row(`lone tab, ${key}`, lone.ours[key], lone.native[key], 10, beside);
    }
  },
  async together() {
    for (const count of [2, 4, 8]) {
      const [mine, theirs] = [await together(ours, count), await together(native, count)];
      // The bars are for two tabs; more show how the cost grows.
      const bars = count === 2 ? [1, 0.45, 0.5] : [0, 0, 0];
      row(`${count} tabs, the leader's`, mine.leader, theirs.leader, bars[0]);
      row(`${count} tabs, another`, mine.second, theirs.second, bars[1]);
      row(`${count} tabs, hand-over`, mine.handOver, theirs.handOver, bars[2]);
    }
  },
  first: async () => show('first grant in a lone fresh tab', await repeat(20, () => firstGrant(ours)), 25),
  async killed() {
    show('holder killed', await repeat(20, () => killed(ours, false)), 250);
    show('leader killed while holding', await repeat(20, () => killed(ours, true)), 250);
  },
};

try {
  const chosen = process.argv.slice(2);
  for (const [name, part] of Object.entries(parts)) if (!chosen.length || chosen.includes(name)) await part();
  if (rows.length) console.log(['what (per second)', 'ours', 'native', 'ratio', 'bar', '', ''].join('\t'));
  for (const line of rows) console.log(line.join('\t'));
} finally {
  for (const scene of [ours, native, peer]) await scene.end();
}
process.exitCode = missed || rows.some((line) => line.includes('MISSED')) ? 1 : 0;
