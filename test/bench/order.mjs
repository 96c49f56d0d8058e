/**
 * Are tabs granted one lock in the order in which they asked? Five tabs ask in turn, 5 ms apart; each holds the lock for a while. Ours and
 * native alternately, in one run. docs/guarantees.md says what is promised.
 */

const TABS = 5;
/** Milliseconds between the requests of a round; a timer may be late, but what was asked for within NEAR counts for nothing. */
const APART = 5;
const NEAR = 2;
/** Milliseconds that each tab holds the lock. */
const HELD = 20;
/** Milliseconds from the announcement of a round to its beginning: every tab must have heard of it by then. */
const AHEAD = 60;

/** @typedef {{page: (origin?: string) => Promise<any>, server: {newOrigin: () => Promise<string>}}} Scene */

/**
 * @param {any[]} tabs
 * @returns {Promise<boolean | undefined>} whether they were granted as they asked; undefined where two asked at nearly the same time
 */
const round = async (tabs) => {
  const begin = Date.now() + AHEAD;
  /** @type {{asked: number, granted: number}[]} */
  const turns = await Promise.all(tabs.map((tab, index) => tab.evaluate(`measures.turn(${begin + index * APART}, ${HELD})`)));
  turns.sort((a, b) => a.asked - b.asked);
  const pairs = turns.slice(1).map((turn, index) => [turns[index], turn]);
  return pairs.every(([a, b]) => b.asked - a.asked >= NEAR) ? pairs.every(([a, b]) => b.granted > a.granted) : undefined;
};

/** @param {Scene} scene @returns {Promise<any[]>} tabs that are members */
const openMembers = async ({ page }) => {
  const tabs = [];
  for (let each = 0; each < TABS; each++) {
    tabs.push(await page());
    await tabs[each].evaluate('measures.first()');
  }
  return tabs;
};

/** Tabs that have asked for nothing, beside one that has. @param {Scene} scene */
const roundOfJoiners = async ({ page, server }) => {
  const origin = await server.newOrigin();
  const tabs = [];
  for (let each = 0; each <= TABS; each++) tabs.push(await page(origin));
  await tabs[0].evaluate('measures.first()');
  const result = await round(tabs.slice(1));
  for (const tab of tabs) await tab.close();
  return result;
};

/** @param {(boolean | undefined)[]} results */
const count = (results) => ({
  inTurn: results.filter((result) => result).length,
  text: `${results.filter((result) => result).length} of ${results.filter((result) => result !== undefined).length}`,
});

/**
 * @param {Scene} ours
 * @param {Scene} native
 * @returns {Promise<{line: string, ok: boolean}[]>}
 */
export const measureOrder = async (ours, native) => {
  const members = [await openMembers(ours), await openMembers(native)];
  const [mine, theirs] = await alternate(20, () => round(members[0]), () => round(members[1]));
  for (const tab of members.flat()) await tab.close();
  const [mineJoining, theirsJoining] = await alternate(12, () => roundOfJoiners(ours), () => roundOfJoiners(native));
  return [
    { line: `five members in turn: ours ${mine.text} rounds, native ${theirs.text}`, ok: mine.inTurn >= theirs.inTurn },
    // Their order is not promised.
    { line: `five tabs that must join first, in turn: ours ${mineJoining.text} rounds, native ${theirsJoining.text}`, ok: true },
  ];
};

/** @param {number} rounds @param {(() => Promise<boolean | undefined>)[]} each */
const alternate = async (rounds, ...each) => {
  /** @type {(boolean | undefined)[][]} */
  const results = each.map(() => []);
  for (let at = 0; at < rounds; at++) for (const [index, task] of each.entries()) results[index].push(await task());
  return results.map(count);
};
