/** Messages are deleted, swapped or missed: D9, D10. */
import assert from 'node:assert/strict';
import { answersNobody, isAnswered, isGone, missesOperationsOf, posts, prompt } from '../stage.js';

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

/**
 * A holder is frozen, all connections are closed, and the channel loses its `gone` to it. The next in line has its lock. When it wakes, the
 * others notice by what it posts.
 * @param {import('../stage.js').Stage} stage
 * @param {import('../stage.js').Tab} sleeper
 * @param {import('../stage.js').Tab} first
 * @param {import('../stage.js').Tab} second
 */
const missesItsGone = async (stage, sleeper, first, second) => {
  const held = await sleeper.hold('a');
  const waiting = second.ask('a');
  await stage.run(50);
  const { id } = sleeper;
  // The channel loses one message to it.
  sleeper.hears = (message) => isGone(message) ? [] : [message];
  sleeper.context.freeze('all');
  stage.world.closeStorage();
  await stage.until(() => waiting.told.length, 5000);
  sleeper.context.thaw();
  await stage.run(500);
  sleeper.hears = (message) => [message];
  assert.equal(sleeper.id, id, 'it does not know');
  first.drop(await first.hold('c'));
  await stage.run(50);
  sleeper.ask('b');
  await stage.run(3000);
  assert.deepEqual([held.told, waiting.told], [['granted', 'lost'], ['granted']]);
  assert.ok(areEqual([first, second, sleeper]));
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const gaps = {
  async 'D10: a context that has missed deleted messages enters nothing because of what it knew before'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, holder, sleeper] = await again.open(3);
    sleeper.context.freeze('all');
    const held = await holder.hold('a');
    await again.run(100);
    world.orders.store.sweep(0);
    const own = sleeper.ask('a');
    leader.kill();
    await again.run(300);
    sleeper.context.thaw();
    await again.run(3000);
    assert.deepEqual([held.told, own.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => own.told.length, 1000);
  },

  async 'D10: a context that has missed messages in a debugger does not enter beside a holder'(stage) {
    const [one, two] = await stage.open(2);
    two.context.pause(100);
    const held = await one.hold('a');
    await stage.run(200);
    const waiting = two.ask('a');
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    one.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D10: a waiter that stood in a debugger while the lock was released is granted it, though nobody posts anything'(first) {
    // Also if it has looked in vain before.
    for (const milliseconds of [100, 5500]) {
      const stage = first.with('broadcast');
      const [one, two] = await stage.open(2);
      const held = await one.hold('a');
      const waiting = two.ask('a');
      await stage.run(milliseconds);
      two.context.pause(100);
      one.drop(held);
      await stage.until(() => waiting.told.length, 2000);
    }
  },

  async 'D10, R21: a context whose lock was stolen while it stood in a debugger enters nothing early'(stage) {
    const [one, two] = await stage.open(2);
    const held = await two.hold('a');
    const next = two.ask('a', { steal: false });
    await stage.run(100);
    two.context.pause(100);
    const thief = await one.hold('a', { steal: true });
    await stage.run(200);
    two.drop(held);
    await stage.run(100);
    assert.deepEqual([thief.told, next.told], [['granted'], []]);
  },

  async 'D10, R20: a context whose lock was stolen while it stood in a debugger does not keep it'(stage) {
    const [one, two] = await stage.open(2);
    // A loop over one lock.
    let asked = await two.hold('a', { steal: false });
    for (let turns = 0; turns < 3; turns++) {
      two.drop(asked);
      asked = await two.hold('a', { steal: false });
    }
    await stage.run(100);
    two.context.pause(100);
    const thief = await one.hold('a', { steal: true });
    await stage.run(200);
    two.drop(asked);
    const next = two.ask('a', { steal: false });
    await stage.run(100);
    assert.deepEqual([thief.told, next.told], [['granted'], []]);
  },

  async 'D10: a context that misses messages once more while it asks for the state takes no earlier answer'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, sleeper, holder] = await again.open(3);
    sleeper.context.freeze('all');
    holder.drop(await holder.hold('b'));
    await again.run(50);
    world.orders.store.sweep(0);
    const late = world.hold(posts(leader, 'state'));
    sleeper.context.thaw();
    await again.until(() => late.kept.length, 300);
    sleeper.context.freeze('all');
    const held = await holder.hold('a');
    await again.run(50);
    world.orders.store.sweep(0);
    late.release();
    await again.run(50);
    const own = sleeper.ask('a');
    sleeper.context.thaw();
    await again.run(3000);
    assert.deepEqual([held.told, own.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => own.told.length, 1000);
  },

  async 'D10: a member that has read more of what was given up does not continue when data is cleared again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [sleeper, holder, other] = await again.open(3);
    holder.context.freeze('all');
    other.context.freeze('all');
    const given = await sleeper.hold('a');
    for (const name of ['b', 'c', 'd', 'e']) sleeper.drop(await sleeper.hold(name));
    sleeper.context.freeze('all');
    world.wipe();
    // The sleeper does not come back, so the others continue without it.
    holder.context.thaw();
    other.context.thaw();
    const held = await holder.hold('a');
    await again.run(100);
    world.wipe();
    sleeper.context.thaw();
    await again.run(5000);
    assert.equal(given.told.length, 2, 'it learns that its lock is lost');
    assert.deepEqual(held.told, ['granted']);
    assert.ok(areEqual([holder, other]));
  },

  async 'D10: where no member is current, the one that has got farthest continues, and no other'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const tabs = await again.open(3);
    const [first, second, third] = tabs;
    // The third tab has read the grant, the others have not.
    first.context.freeze('all');
    second.context.freeze('all');
    const held = await third.hold('a');
    world.wipe();
    const waiting = [first.ask('a'), second.ask('a')];
    first.context.thaw();
    second.context.thaw();
    await again.run(4000);
    assert.deepEqual([held.told, ...waiting.map(({ told }) => told)], [['granted'], [], []]);
    assert.ok(third.count('resume'), 'it continues');
    assert.deepEqual([first.count('resume'), second.count('resume')], [0, 0]);
    assert.ok(areEqual(tabs));
    third.drop(held);
    await again.until(() => waiting.some(({ told }) => told.length), 1000);
    await again.run(200);
    assert.equal(waiting.filter(({ told }) => told.length).length, 1);
  },

  async 'D10: the member that continues gives its state to everybody at once, however many there are'(stage) {
    const again = stage.with('store');
    const tabs = await again.open(12);
    again.world.wipe();
    const goesOn = () => tabs.find((tab) => tab.count('resume'));
    await again.until(goesOn, 3000);
    const hellos = tabs.map((tab) => tab.count('hello'));
    await again.until(() => tabs.every(({ says }) => says.acting), 10000);
    const more = tabs.map((tab, index) => tab.count('hello') - hellos[index]);
    assert.ok(Math.max(...more) <= 3, `so many hellos: ${more}`);
    assert.ok(areEqual(tabs));
  },

  async 'D10: the member that continues grants higher fences than those that it has not heard of'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [sleeper, other] = await again.open(2);
    sleeper.context.freeze('all');
    const held = [await other.hold('a'), await other.hold('b'), await other.hold('c')];
    const highest = Math.max(...held.map(({ handle }) => handle.fence));
    await again.run(100);
    world.orders.store.sweep(0);
    other.kill();
    await again.run(300);
    sleeper.context.thaw();
    const own = await sleeper.hold('a');
    assert.ok(sleeper.count('resume'), 'nobody else is there');
    assert.ok(own.handle.fence > highest);
  },

  async 'D9: members notice that a channel has swapped two messages, and the wrong copy is replaced'(stage) {
    const [first, second, third] = await stage.open(3);
    /** @type {any} */
    let late;
    // The third tab receives two requests for one lock in the wrong order.
    third.hears = (message) => {
      if (!/"request"/.test(message) || late === 'done') return [message];
      if (!late) {
        late = message;
        return [];
      }
      const swapped = [message, late];
      late = 'done';
      return swapped;
    };
    const asked = [first.ask('a', {}), second.ask('a', {})];
    await stage.until(() => late === 'done', 500);
    await stage.run(50);
    const hellos = [first, second].map((tab) => tab.count('hello'));
    // The others notice that by what the third tab sends.
    third.ask('b');
    await stage.run(1000);
    assert.deepEqual([first, second].map((tab) => tab.count('hello')), hellos, 'the elder ones do not doubt');
    assert.ok(third.context.warnings.includes('two copies of the state differ; one is replaced'));
    assert.ok(areEqual([first, second, third]));
    assert.equal(asked.filter(({ told }) => told.length).length, 1);
    assert.ok(first.says.acting && second.says.acting && third.says.acting);
  },

  async 'D9: members notice by what it posts that a member has missed its own `gone`, though data was cleared since it joined'(stage) {
    const { world } = stage;
    const [first, second, sleeper] = await stage.open(3);
    prompt(first, second, sleeper);
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 2000);
    await stage.run(3000);
    await missesItsGone(stage, sleeper, first, second);
  },

  async 'D9: the eldest, which has missed its own `gone`, is told so by others that see that its copy differs'(stage) {
    const [sleeper, first, second] = await stage.open(3);
    prompt(first, second, sleeper);
    await stage.run(3000);
    await missesItsGone(stage, sleeper, first, second);
    assert.ok(first.count('operations') < 10, 'they do not answer each other for ever');
  },

  async 'D9: a member that has missed a `join` learns that by what the joiner posts later, though data was cleared since'(stage) {
    const { world } = stage;
    const [first, second] = await stage.open(2);
    const joiner = stage.tab();
    prompt(first, second, joiner);
    // The channel loses one message to the second tab.
    second.hears = (message) => /"join"/.test(message) ? [] : [message];
    const held = await joiner.hold('a');
    await stage.run(50);
    second.hears = (message) => [message];
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 2000);
    await stage.run(3000);
    for (const name of ['b', 'c', 'd', 'e']) {
      joiner.ask(name);
      await stage.run(1);
    }
    await stage.run(1000);
    const waiting = second.ask('a');
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.ok(areEqual([first, second, joiner]));
  },

  async 'D9: members notice by a joiner\'s first message that it has missed another one, and no member doubts its own copy'(stage) {
    const { world } = stage;
    const [first, second] = await stage.open(2);
    const states = first.count('state');
    const joiner = stage.tab();
    // Nothing is delivered to it late, so its own request is the first message by which others can notice.
    joiner.context.promptUntil = Infinity;
    const opens = world.hold(isAnswered(joiner));
    const asked = joiner.ask('a');
    await stage.until(() => first.count('state') > states, 100);
    await stage.run(10);
    let isLost = false;
    joiner.hears = (message) => {
      if (isLost || !/"request"/.test(message)) return [message];
      isLost = true;
      return [];
    };
    const held = [await second.hold('a'), await second.hold('b')];
    const hellos = [first, second].map((tab) => tab.count('hello'));
    await stage.run(20);
    opens.release();
    await stage.run(1000);
    assert.deepEqual([first, second].map((tab) => tab.count('hello')), hellos);
    assert.deepEqual([...held, asked].map(({ told }) => told), [['granted'], ['granted'], ['granted', 'broken']]);
    assert.ok(areEqual([first, second, joiner]));
  },

  async 'D10: a joiner that misses messages does not take the answer to an earlier hello'(stage) {
    const { world } = stage;
    const [eldest, other] = await stage.open(2);
    other.speaks = answersNobody;
    const joiner = stage.latecomer();
    const answers = world.hold(posts(eldest, 'state'));
    const waiting = joiner.ask('a');
    await stage.until(() => answers.kept.length, 500);
    joiner.hears = missesOperationsOf(joiner, other);
    const held = await other.hold('a');
    await stage.run(10);
    joiner.hears = (message) => [message];
    answers.release();
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    other.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },
};
