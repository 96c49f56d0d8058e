/**
 * The first request of a tab that joins another one, asked by the page's own script while it loads. Ours and native alternately, in one
 * run. A library that elects a leader when it loads waits for so long.
 */
import { sleep } from '../browsers/drivers/wait.js';

const ROUNDS = 30;
/** Between two tabs: the closed one is gone by then. */
const PAUSE = 150;
/** Milliseconds that it may take more than native. */
const MORE = 15;

/** @typedef {{page: (origin?: string, path?: string) => Promise<any>}} Scene */

/** @param {Scene} scene @returns {Promise<{request: number, script: number}>} milliseconds from the request, and from the first script */
const join = async ({ page }) => {
  const tab = await page(undefined, 'joiner.html');
  const times = await tab.evaluate('joined');
  await tab.close();
  await sleep(PAUSE);
  return times;
};

/** @param {number[]} values */
const quantiles = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.floor(sorted.length * part)];
  return { median: at(0.5), text: `median ${at(0.5).toFixed(1)} (p25 ${at(0.25).toFixed(1)}, p75 ${at(0.75).toFixed(1)})` };
};

/**
 * @param {Scene} ours
 * @param {Scene} native
 * @returns {Promise<{line: string, ok: boolean}[]>}
 */
export const measureJoiner = async (ours, native) => {
  const members = [];
  for (const { page } of [ours, native]) {
    members.push(await page());
    await members[members.length - 1].evaluate('measures.first()');
  }
  const mine = [];
  const theirs = [];
  for (let each = 0; each < ROUNDS; each++) {
    mine.push(await join(ours));
    theirs.push(await join(native));
  }
  for (const tab of members) await tab.close();
  return (/** @type {const} */ (['request', 'script'])).map((from) => {
    const [a, b] = [mine, theirs].map((times) => quantiles(times.map((each) => each[from])));
    const where = { request: 'its request', script: 'its first script, the library\'s loading included' }[from];
    // Loading times are shown, and not judged: the file comes from a server that has nothing else to do.
    const line = `a loading tab joins another, from ${where}: ours ${a.text}, native ${b.text} ms`;
    return { line, ok: from === 'script' || a.median <= b.median + MORE };
  });
};
