/** What a context sends: once, in order, and again if it was lost (D8, D15). */
import assert from 'node:assert/strict';
import { posts } from '../stage.js';

/** Loses the `operations` that a tab posts, so many times. @param {import('../stage.js').Tab} tab @param {number} times */
const loses = (tab, times) => {
  tab.speaks = (message) => !/"operations"/.test(message) || times-- <= 0 ? [message] : [];
};

/**
 * [tab] has released a lock. Its release, and all that [other] posts after its next message, are on their way until they are released.
 * @param {import('../stage.js').Stage} stage
 */
const releasedUnheard = async (stage) => {
  const { world } = stage;
  const [tab, other] = await stage.open(2);
  const held = await tab.hold('a');
  const release = world.hold(posts(tab, 'operations'));
  tab.drop(held);
  let posted = 0;
  const second = world.hold(({ context, sort }) => sort === 'post' && context === other.context && ++posted > 1);
  return { tab, other, release, second };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const sending = {
  async 'D8: what was not delivered is sent again'(stage) {
    const [, tab] = await stage.open(2);
    loses(tab, 1);
    const asked = tab.ask('a');
    await stage.run(300);
    assert.deepEqual(asked.told, []);
    await stage.until(() => asked.told.length, 1500);
  },

  async 'D8: what was not delivered is sent again, though all connections have been closed since'(stage) {
    const [, tab] = await stage.open(2);
    loses(tab, 1);
    const asked = tab.ask('a');
    await stage.run(50);
    stage.world.closeStorage();
    await stage.until(() => asked.told.length, 1500);
  },

  async 'D8: if an operation is lost, it and the next one are sent again, and neither is forgotten'(stage) {
    const [other, tab] = await stage.open(2);
    const held = await tab.hold('a');
    loses(tab, 1);
    tab.drop(held);
    await stage.run(20);
    // This request arrives, and is refused, since the release before it is missing.
    const asked = tab.ask('b');
    await stage.until(() => asked.told.length, 50);
    const next = other.ask('a');
    await stage.until(() => next.told.length, 50);
    await stage.run(50);
    assert.equal(other.core.hash(), tab.core.hash());
  },

  async 'D8: what is delivered twice counts once'(stage) {
    const [other, tab] = await stage.open(2);
    tab.speaks = (message) => (/"operations"/.test(message) ? [message, message] : [message]);
    const held = await tab.hold('a');
    const next = other.ask('a');
    await stage.run(50);
    tab.drop(held);
    const last = tab.ask('a');
    await stage.until(() => next.told.length, 100);
    await stage.run(1000);
    assert.deepEqual([held.told, next.told, last.told], [['granted'], ['granted'], []]);
    assert.equal(other.core.hash(), tab.core.hash());
  },

  async 'D8: an invalid request ends, and does not keep the next one waiting'(stage) {
    const [other, tab] = await stage.open(2);
    const invalid = tab.ask('a', { names: [] });
    const asked = tab.ask('b');
    await stage.until(() => asked.told.length, 100);
    await stage.run(50);
    assert.deepEqual([invalid.told, asked.told], [['broken'], ['granted']]);
    tab.drop(asked);
    const next = other.ask('b');
    await stage.until(() => next.told.length, 100);
    await stage.run(50);
    assert.equal(other.core.hash(), tab.core.hash());
  },

  async 'what one task asks for travels together'(stage) {
    const [tab] = await stage.open(2);
    const before = tab.count('operations');
    const asked = ['a', 'b', 'c'].map((name) => tab.ask(name));
    await stage.until(() => asked.every(({ told }) => told.length), 100);
    assert.equal(tab.count('operations'), before + 1);
  },

  async 'a request that is made again travels with what a grant in the same message sets off'(stage) {
    const [other, tab] = await stage.open(2);
    await other.hold('a');
    const old = await tab.hold('old');
    const before = tab.count('operations');
    const next = tab.ask('new', {}, async () => {
      // As in `await locks.request('new', …)`, after which the other lock's callback continues.
      for (let job = 0; job < 6; job++) await undefined;
      tab.drop(old);
    });
    const refused = tab.ask('a', { ifAvailable: true });
    await stage.until(() => refused.told.length, 100);
    assert.deepEqual([next.told, refused.told], [['granted'], ['unavailable']]);
    assert.equal(tab.count('operations'), before + 2);
  },

  async 'a lock that was released before another context asks is available, though the release is delivered after the request'(stage) {
    const { tab, other, release, second } = await releasedUnheard(stage);
    const asked = other.ask('a', { ifAvailable: true });
    await stage.run(50);
    assert.deepEqual([asked.told, second.kept.length], [[], 1], 'refused, and asked again');
    release.release();
    await stage.run(50);
    second.release();
    await stage.until(() => asked.told.length, 100);
    assert.deepEqual(asked.told, ['granted']);
    const refused = tab.ask('a', { ifAvailable: true });
    await stage.until(() => refused.told.length, 100);
    assert.deepEqual(refused.told, ['unavailable']);
  },

  async 'a lock that was released before another context queries is not shown as held, though the release is delivered later'(stage) {
    const { other, release, second } = await releasedUnheard(stage);
    /** @type {any} */
    let shown;
    void other.log.query().then((state) => {
      shown = state;
    });
    await stage.run(50);
    release.release();
    await stage.run(50);
    second.release();
    await stage.until(() => shown, 100);
    assert.deepEqual(shown.held, []);
  },

  async 'a query beside another holder shows what its task steals after it'(stage) {
    const [other, tab] = await stage.open(2);
    await other.hold('a');
    await stage.run(50);
    /** @type {any} */
    let shown;
    void tab.log.query().then((state) => {
      shown = state;
    });
    tab.ask('a', { steal: true });
    await stage.until(() => shown, 100);
    assert.deepEqual(shown.held.map((/** @type {{client: string}} */ { client }) => client), [other.id]);
  },

  async 'a query beside another holder shows what its task breaks by force after it'(stage) {
    const [other, tab] = await stage.open(2);
    await other.hold('a');
    await stage.run(50);
    /** @type {any} */
    let shown;
    void tab.log.query().then((state) => {
      shown = state;
    });
    void tab.log.forceRelease(['a']);
    await stage.until(() => shown, 100);
    assert.deepEqual(shown.held.map((/** @type {{client: string}} */ { client }) => client), [other.id]);
  },

  async 'a query never shows two exclusive holders of one name'(stage) {
    const [other, third, tab] = await stage.open(3);
    const both = other.ask('a', { names: ['a', 'b'] });
    await stage.run(50);
    third.ask('b');
    await stage.run(50);
    /** @type {any} */
    let shown;
    void tab.log.query().then((state) => {
      shown = state;
    });
    tab.ask('a');
    other.drop(both);
    await stage.until(() => shown, 200);
    assert.equal(shown.held.filter((/** @type {{names: string[]}} */ { names }) => names.includes('b')).length, 1);
  },

  async 'a query beside another holder shows what its task releases or aborts after it'(stage) {
    const [other, tab] = await stage.open(2);
    const [elsewhere, held] = [await other.hold('a'), await tab.hold('b')];
    const waiting = tab.ask('a');
    await stage.run(50);
    /** @type {any} */
    let shown;
    void tab.log.query().then((state) => {
      shown = state;
    });
    [held, waiting].forEach((each) => tab.drop(each));
    tab.ask('later');
    await stage.until(() => shown, 100);
    const namesOf = (/** @type {{names: string[]}[]} */ list) => list.map(({ names }) => names.join()).sort();
    assert.deepEqual([namesOf(shown.held), namesOf(shown.pending), elsewhere.told], [['a', 'b'], ['a'], ['granted']]);
  },

  async 'D9: a message that is posted while another one is applied carries the hash of the state before'(stage) {
    const [holder] = await stage.open(1);
    // Contexts that share a thread post at once, here the request that is made again.
    const opener = stage.tab();
    const popup = stage.tab({ opener });
    for (const tab of [opener, popup]) tab.drop(await tab.hold('door'));
    await holder.hold('a');
    await stage.run(50);
    const before = holder.count('operations');
    const refused = popup.ask('a', { ifAvailable: true });
    await stage.until(() => refused.told.length, 100);
    await stage.run(50);
    assert.deepEqual(refused.told, ['unavailable']);
    assert.equal(holder.count('operations'), before, 'it sees no difference');
  },

  async 'a message is applied whole before any listener is told'(stage) {
    const [other, tab] = await stage.open(2);
    const held = await tab.hold('a');
    const [first, second] = [other.ask('a'), other.ask('b')];
    await stage.until(() => second.told.length, 100);
    // With so many operations on their way, a release travels with what follows.
    for (let count = 0; count < 64; count++) tab.ask(`${count}`);
    tab.drop(held);
    const thief = tab.ask('a', { steal: true });
    await stage.until(() => thief.told.length, 100);
    await stage.run(100);
    assert.deepEqual(first.told, ['broken'], 'granted and stolen in one message');
  },

  async 'R5: a request for a lock that another context has, or waits for, is posted before its task continues'(stage) {
    const [holder, other] = await stage.open(2);
    await holder.hold('a');
    await stage.run(100);
    let posted = other.count('operations');
    other.ask('a');
    assert.equal(other.count('operations'), posted + 1);
    await stage.run(100);
    posted = holder.count('operations');
    holder.ask('a');
    assert.equal(holder.count('operations'), posted + 1);
    await stage.run(100);
    // A request for a lock that no other context has travels with what follows.
    posted = holder.count('operations');
    for (const name of ['b', 'c']) holder.ask(name);
    await stage.run(100);
    assert.equal(holder.count('operations'), posted + 1);
    // That holds for any number of requests.
    for (let i = 0; i < 40; i++) holder.ask(`d${i}`);
    await stage.run(100);
    posted = holder.count('operations');
    for (let i = 0; i < 40; i++) holder.ask(`e${i}`);
    await stage.run(100);
    assert.equal(holder.count('operations'), posted + 1);
  },

  async 'D15: contexts that share a thread are served in the order of their calls'(stage) {
    for (const order of [[0, 1], [1, 0]]) {
      const again = stage.with('broadcast');
      await again.open(1);
      const opener = again.tab();
      const popup = again.tab({ opener });
      const tabs = [opener, popup];
      for (const tab of tabs) tab.drop(await tab.hold('door'));
      await again.run(100);
      // All this is one task. The second context has asked for something before.
      tabs[order[1]].ask('b');
      const asked = [tabs[order[0]].ask('a'), tabs[order[1]].ask('a')];
      await again.until(() => asked[0].told.length || asked[1].told.length, 200);
      assert.deepEqual(asked.map(({ told }) => told.length), [1, 0]);
    }
  },

  async 'operations that are sent again because their message is late count once'(stage) {
    const { world } = stage;
    const [first, tab] = await stage.open(2);
    const sent = world.hold(posts(tab, 'operations'));
    const asked = tab.ask('a');
    await stage.run(1200);
    sent.release();
    await stage.until(() => asked.told.length, 100);
    await stage.run(100);
    assert.deepEqual(asked.told, ['granted']);
    assert.equal(first.core.state().held.length, 1);
  },

  async 'D12: a context that leaves in the task of its last release posts nothing after its `gone`'(stage) {
    const [other, tab] = await stage.open(2);
    tab.drop(await tab.hold('a'));
    tab.log.leave();
    await stage.run(100);
    assert.equal(tab.posted[tab.posted.length - 1].kind, 'gone');
    assert.equal(other.core.state().held.length, 0);
  },

  async 'R21: a grant that a release will give another context is not taken for a grant to an own request of the same number'(stage) {
    const [one, other] = await stage.open(2);
    const held = await one.hold('a');
    await other.hold('b');
    const waiting = one.ask('b', { steal: false });
    const next = other.ask('a');
    await stage.run(100);
    assert.equal(waiting.handle.number, next.handle.number);
    one.drop(held);
    await stage.until(() => next.told.length, 100);
    assert.deepEqual(waiting.told, []);
  },

  async 'R21: a context that has entered early is not told so again, whatever it asks for then'(stage) {
    const [one] = await stage.open(2);
    const held = await one.hold('a');
    const next = one.ask('a', { steal: false });
    const last = one.ask('a', { steal: false });
    await stage.run(100);
    const late = stage.world.hold(posts(one, 'operations'));
    one.drop(held);
    await stage.until(() => next.told.length, 100);
    const another = one.ask('b');
    await stage.run(10);
    late.release();
    await stage.until(() => another.told.length, 100);
    assert.deepEqual([next.told, last.told], [['granted'], []]);
  },
};
