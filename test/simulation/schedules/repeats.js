/** A frame of the page's posts once more what it has heard: D17. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, hears, isLost, kinds, missesOperationsOf, posts, prompt } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/** What posts messages as they are. @param {Stage} stage */
const frameIn = ({ world }) => world.createContext().openOrder(world.kind, () => {}, () => {});

/**
 * What that tab posts of one kind, from now on.
 * @param {Tab} tab @param {string} kind @param {(values: any[]) => boolean} [isMeant]
 */
const recorded = (tab, kind, isMeant = () => true) => {
  /** @type {any[]} */
  const messages = [];
  const { speaks } = tab;
  tab.speaks = (message) => {
    const parts = fromMessage(message);
    if (parts && parts.kind === kind && isMeant(parts.values)) messages.push(message);
    return speaks(message);
  };
  return messages;
};

/**
 * Data is cleared, and a newcomer writes its log while a member speaks. Something is repeated right before or after the `begin`, which is
 * void.
 * @param {Stage} stage
 * @param {'hello' | 'begin'} kind
 */
const voidBegin = async (stage, kind) => {
  const { world } = stage;
  const frame = frameIn(stage);
  const [member] = await stage.open(1);
  const held = await member.hold('a');
  await stage.run(100);
  const deaf = world.hold(hears(member));
  const news = world.hold(isLost(member));
  world.wipe();
  const newcomer = stage.tab();
  const begin = world.hold(posts(newcomer, 'begin'));
  const repeated = recorded(newcomer, kind, (values) => kind === 'begin' || values[1] === 0);
  const waiting = newcomer.ask('a');
  await stage.until(() => begin.kept.length, 3000);
  deaf.release();
  news.release();
  await stage.run(20);
  if (kind === 'begin') begin.release();
  else repeated.forEach(frame.append);
  await stage.run(1);
  if (kind === 'begin') repeated.forEach(frame.append);
  else begin.release();
  await stage.run(5000);
  assert.deepEqual([held.told, waiting.told], [['granted'], []]);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const repeats = {
  async 'D17: an answer counts for the first delivery of a hello'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const frame = frameIn(stage);
      const [eldest, third, doubtful] = await stage.open(3);
      prompt(eldest, third, doubtful);
      await stage.run(3000);
      const hellos = recorded(doubtful, 'hello');
      // What it asks others later is lost.
      const { speaks } = doubtful;
      doubtful.speaks = (message) => speaks(message).filter(() => message !== hellos[1] && message !== hellos[2]);
      eldest.context.stall(60);
      doubtful.missesOne();
      await stage.run(5);
      const held = await third.hold('a');
      frame.append(hellos[0]);
      await stage.until(() => doubtful.says.acting, 200);
      const waiting = doubtful.ask('a');
      await stage.run(1000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  async 'D17: what a member has said before it was given the state does not count, though a frame repeats it'(stage) {
    const frame = frameIn(stage);
    const [eldest, other, member] = await stage.open(3);
    prompt(eldest, other, member);
    await stage.run(3000);
    const hellos = recorded(member, 'hello');
    const { speaks } = eldest;
    eldest.speaks = answersNobody;
    other.speaks = answersNobody;
    member.missesOne();
    await stage.until(() => hellos.length > 2, 1000);
    eldest.speaks = speaks;
    await stage.until(() => member.says.acting, 2000);
    await stage.run(100);
    // The others miss that it takes the lock, and it is too busy to answer them.
    member.speaks = answersNobody;
    for (const each of [eldest, other]) each.hears = missesOperationsOf(each, member);
    const held = await member.hold('a');
    const waiting = eldest.ask('a');
    hellos.forEach(frame.append);
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D17: a newcomer\'s log is void, though a frame repeats its hellos'(stage) {
    for (const kind of kinds) await voidBegin(stage.with(kind), 'hello');
  },

  async 'D17: a newcomer\'s log is void, though a frame repeats its begin'(stage) {
    for (const kind of kinds) await voidBegin(stage.with(kind), 'begin');
  },
};
