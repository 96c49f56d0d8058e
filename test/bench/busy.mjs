/**
 * Does a context wait for another one's thread? One context runs tasks; another asks for a free lock every 25 ms, always of a
 * new name. Two tabs, and a page with its own worker; ours and native in one run. docs/guarantees.md says what is promised.
 */
import { sleep } from '../browsers/drivers/wait.js';

/** How long each row asks, in milliseconds. */
const DURATION = 6000;
/** The grants of a context that has just joined are another row. */
const JOINED = 300;

const WORK = [
  { what: 'nothing', task: 0, always: false },
  { what: 'tasks of 100 ms, half the time', task: 100, always: false },
  { what: 'tasks of 400 ms, half the time', task: 400, always: false },
  { what: 'tasks of 3 s', task: 3000, always: true },
];

/** @typedef {{page: () => Promise<any>}} Scene */

/** @param {number[]} times */
const quantiles = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5), p95: at(0.95), most: sorted[sorted.length - 1] };
};

/** @param {Scene} scene @param {number} task @param {boolean} always */
const twoTabs = async ({ page }, task, always) => {
  const tabs = [await page(), await page()];
  for (const tab of tabs) await tab.evaluate('measures.first()');
  await sleep(JOINED);
  const working = task ? tabs[0].evaluate(`measures.work(${task}, ${always}, ${DURATION})`) : undefined;
  const times = await tabs[1].evaluate(`measures.latencies(${DURATION})`);
  await working;
  for (const tab of tabs) await tab.close();
  return times;
};

/** @param {Scene} scene @param {number} task @param {boolean} always */
const pageAndWorker = async ({ page }, task, always) => {
  const tab = await page();
  await tab.evaluate('measures.first()');
  await tab.evaluate('measures.startWorker()');
  await tab.evaluate('measures.inWorker("first")');
  await sleep(JOINED);
  const times = task
    ? await tab.evaluate(`measures.besideWorker(${task}, ${always}, ${DURATION}, "latencies", ${DURATION})`)
    : await tab.evaluate(`measures.inWorker("latencies", ${DURATION})`);
  await tab.close();
  return times;
};

/** The first request of a worker while its page computes for 3 s. @param {Scene} scene @param {boolean} joined it takes part already */
const firstOfWorker = async ({ page }, joined) => {
  const tab = await page();
  await tab.evaluate('measures.first()');
  await tab.evaluate('measures.startWorker()');
  if (joined) await tab.evaluate('measures.inWorker("first")');
  await sleep(JOINED);
  const time = await tab.evaluate('measures.besideWorker(3000, true, 3000, "first")');
  await tab.close();
  return time;
};

/** How long a tab waits for a lock when the holder computes for 3 s right after its release. @param {Scene} scene */
const afterRelease = async ({ page }) => {
  const tabs = [await page(), await page()];
  for (const tab of tabs) await tab.evaluate('measures.first()');
  await sleep(JOINED);
  const releasing = tabs[0].evaluate('measures.releaseAndCompute(3000)');
  await sleep(100);
  const granted = await tabs[1].evaluate('measures.takeLeft()');
  const time = granted - await releasing;
  for (const tab of tabs) await tab.close();
  return time;
};

/**
 * @param {Scene} ours
 * @param {Scene} native
 * @returns {Promise<{line: string, ok: boolean}[]>}
 */
export const measureBusy = async (ours, native) => {
  const rows = [];
  const text = (/** @type {ReturnType<typeof quantiles>} */ { p50, p95, most }) =>
    `p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} most ${most.toFixed(0)}`;
  for (const [where, measure] of /** @type {const} */ ([['two tabs', twoTabs], ['page and its worker', pageAndWorker]])) {
    for (const { what, task, always } of WORK) {
      const mine = quantiles(await measure(ours, task, always));
      const theirs = quantiles(await measure(native, task, always));
      const ok = mine.p50 <= 1.5 * theirs.p50 && mine.p95 <= 3 * theirs.p95 && mine.p95 <= theirs.p95 + 20;
      rows.push({ line: `${where}, the other runs ${what}: ours ${text(mine)}, native ${text(theirs)} ms`, ok });
    }
  }
  const [mine, theirs] = [await afterRelease(ours), await afterRelease(native)];
  rows.push({
    line: `two tabs, a lock whose holder computes for 3 s right after its release: ours ${mine.toFixed(1)}, native ${theirs.toFixed(1)} ms`,
    ok: mine <= theirs + 20,
  });
  for (const [joined, what] of /** @type {const} */ ([[false, 'has not joined'], [true, 'has joined']])) {
    const mine = await firstOfWorker(ours, joined);
    const theirs = await firstOfWorker(native, joined);
    // A context that has not joined must wait for a member that answers: docs/guarantees.md.
    rows.push({
      line: `a worker's request while its page computes for 3 s; it ${what}: ours ${mine.toFixed(1)}, native ${theirs.toFixed(1)} ms`,
      ok: !joined || mine <= theirs + 20,
    });
  }
  return rows;
};
