/** How a context is given the state, and what it may do before. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { PROTOCOL } from '../../../glue/log/register.js';
import { hears, isAnswered, isLost, misses, posts, writes } from '../stage.js';
import { Storage } from '../storage.js';
import { OTHER_PROTOCOL } from '../variant.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * A joiner asks for a lock, and is given the state while its storage opens. Meanwhile the member becomes alone, and takes the lock.
 * @param {import('../stage.js').Stage} stage
 */
const givenBeforeAlone = async (stage) => {
  const [member] = await stage.open(1);
  const joiner = stage.tab();
  const opens = stage.world.hold(isAnswered(joiner));
  const asked = joiner.ask('a');
  await stage.until(() => member.count('state'), 50);
  await stage.until(() => member.says.alone, 5000);
  return { member, joiner, opens, asked, held: await member.hold('a') };
};

/** Removes the record of a client. @param {import('../world.js').World} world @param {string} client */
const removeRecord = ({ storage, record }, client) => {
  const change = Object.assign({ protocol: PROTOCOL, type: 'remove' }, { client, alive: record.members[client].alive });
  storage.entries.push({ key: ++storage.lastKey, value: change });
};

/**
 * A newcomer asks for [name]. It is given the state while its storage opens (D2), and is about to write itself into the register.
 * @param {Stage} stage @param {Tab} member that may answer it @param {string} name
 */
const isGivenEarlyState = async (stage, member, name) => {
  const { world } = stage;
  const joiner = stage.tab();
  const opens = world.hold(isAnswered(joiner));
  const add = world.hold(writes('add'));
  const states = member.count('state');
  const asked = joiner.ask(name);
  await stage.until(() => member.count('state') > states, 100);
  await stage.run(10);
  opens.release();
  await stage.until(() => add.kept.length, 500);
  return { joiner, asked, add };
};

/**
 * Data is cleared while the clock is an hour ahead. Only [other] hears of that, and nobody hears what it posts.
 * @param {Stage} stage @param {Tab} member @param {Tab} other
 * @returns {Promise<() => Promise<void>>} then [other] ends, the clock goes back, data is cleared again, and [member] hears of it
 */
const clearsAhead = async (stage, member, other) => {
  const { world } = stage;
  const unaware = world.hold(isLost(member));
  const silent = world.hold(posts(other));
  world.wallClockBase += 3.6e6;
  world.wipe();
  await stage.until(() => world.record.log, 500);
  return async () => {
    other.kill();
    silent.kept.length = 0;
    silent.release();
    world.wallClockBase -= 3.6e6;
    const times = member.count('anew');
    world.wipe();
    unaware.release();
    await stage.until(() => member.count('anew') > times, 500);
    await stage.run(25);
  };
};

/**
 * The joiner has asked for `a`. It gets it, and is frozen; then [other] does not get it.
 * @param {Stage} stage @param {Tab} joiner @param {import('../stage.js').Asked} asked @param {Tab} other
 * @param {{release(): void}[]} news of lost connections, kept back; first that to the joiner
 * @param {string} [how] for the message
 */
const holdsAlone = async (stage, joiner, asked, other, news, how) => {
  // It may learn only that its connection is closed.
  if (!asked.told.length) news[0].release();
  await stage.until(() => asked.told.length, 3000);
  joiner.context.freeze('all');
  news.forEach((each) => each.release());
  const waiting = other.ask('a');
  await stage.run(5000);
  assert.deepEqual([asked.told, waiting.told], [['granted'], []], how);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const joining = {
  async 'D1: an answer counts for its own hello only, and what came since is applied after it'(stage) {
    const { world } = stage;
    const [eldest, other] = await stage.open(2);
    const joiner = stage.latecomer();
    const answers = [eldest, other].map((tab) => world.hold(posts(tab, 'state')));
    // The joiner is delivered the other one's request between its first and second hello. The answer to the first does not have it.
    const later = world.hold(({ sort, subject, context }) => sort === 'timer' && context === joiner.context && subject === 10);
    const waiting = joiner.ask('a');
    await stage.until(() => answers[0].kept.length, 500);
    const held = await other.hold('a');
    later.release();
    await stage.until(() => answers[1].kept.length, 500);
    await stage.run(10);
    answers[0].release();
    await stage.run(20);
    answers[1].release();
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.deepEqual(joiner.core.hash(), other.core.hash());
    other.drop(held);
    await stage.until(() => waiting.told.length, 500);
  },

  async 'D1, D7: an answer may come late: its sender is not alone meanwhile'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.tab();
    const waiting = joiner.ask('a');
    await stage.until(() => member.count('state'), 500);
    const deaf = world.hold(hears(joiner));
    await stage.run(5000);
    assert.ok(!member.says.alone);
    const held = await member.hold('a');
    deaf.release();
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => waiting.told.length, 500);
  },

  async 'D2: a joiner enters nothing before the register shows that others will wait for its death'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.latecomer();
    const written = world.hold(writes('stateful'));
    const asked = joiner.ask('a');
    await stage.until(() => member.core.state().held.length, 500);
    await stage.run(300);
    assert.deepEqual(asked.told, []);
    written.release();
    await stage.until(() => asked.told.length, 100);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D2: a state that a joiner was given while its storage opened counts if nobody has acted alone since'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    const joiner = stage.tab();
    const opens = world.hold(isAnswered(joiner));
    const asked = joiner.ask('a');
    await stage.until(() => member.count('state'), 50);
    await stage.run(50);
    member.drop(held);
    await stage.run(50);
    opens.release();
    await stage.until(() => asked.told.length, 100);
    const questions = joiner.posted.filter(({ kind, values }) => kind === 'hello' && values[1]);
    assert.deepEqual([questions.length, member.count('state'), asked.told], [1, 1, ['granted']]);
    assert.ok(world.record.members[joiner.id].stateful);
    await stage.run(50);
    assert.equal(joiner.core.hash(), member.core.hash());
  },

  async 'D2: an early state does not count if a member has been alone since'(stage) {
    const { member, joiner, opens, asked, held } = await givenBeforeAlone(stage);
    opens.release();
    await stage.run(500);
    assert.deepEqual([held.told, asked.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => asked.told.length, 100);
    await stage.run(50);
    assert.equal(joiner.core.hash(), member.core.hash());
  },

  async 'D2: an early state does not count if a member becomes alone while the joiner\'s `add` is on its way'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.tab();
    const added = world.hold(writes('add'));
    const asked = joiner.ask('a');
    await stage.until(() => added.kept.length, 100);
    await stage.until(() => member.says.alone, 5000);
    const held = await member.hold('a');
    added.release();
    await stage.run(500);
    assert.deepEqual([held.told, asked.told], [['granted'], []]);
  },

  async 'D2, D7: a member that is about to be alone is not, if a joiner is in the register by then'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.tab();
    const added = world.hold(writes('add'));
    const held = joiner.ask('a');
    await stage.until(() => added.kept.length, 100);
    const alone = world.hold(writes('alone'));
    await stage.until(() => alone.kept.length, 5000);
    added.release();
    await stage.until(() => held.told.length, 100);
    alone.release();
    await stage.run(100);
    assert.ok(!member.says.alone);
    const waiting = member.ask('a');
    await stage.run(500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D2: an early state does not count if data was cleared since'(stage) {
    const { world } = stage;
    const { member, opens, asked, held } = await givenBeforeAlone(stage);
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete && member.says.alone, 5000);
    opens.release();
    await stage.run(1000);
    assert.deepEqual([held.told, asked.told], [['granted'], []]);
  },

  async 'D2: a joiner whose storage stays closed for long stops keeping messages for an early state, and asks again'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const joiner = stage.tab();
    const opens = world.hold(isAnswered(joiner));
    const asked = joiner.ask('a');
    await stage.until(() => member.count('state'), 50);
    for (let each = 0; each < 150; each++) other.drop(await other.hold('b'));
    opens.release();
    await stage.until(() => asked.told.length, 500);
    assert.ok(joiner.count('hello') > 2);
    assert.equal(new Set(joiner.posted.map(({ from }) => from)).size, 1, 'it asks again, and does not begin anew');
  },

  async 'D2: a joiner that dies before the register shows that it has the state keeps nobody waiting'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.latecomer();
    const written = world.hold(writes('stateful'));
    joiner.ask('a');
    await stage.until(() => member.core.state().held.length, 500);
    const waiting = member.ask('a');
    joiner.kill();
    written.release();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: a newcomer that has heard nobody before its storage opens writes one `begin`; beside a log, that only adds it'(stage) {
    const { world } = stage;
    const { storage } = world;
    /** @param {import('../stage.js').Tab} tab */
    const come = async (tab) => {
      let open = () => {};
      const opens = new Promise((resolve) => {
        open = () => resolve(undefined);
      });
      storage.connect = (...values) => opens.then(() => Storage.prototype.connect.apply(storage, values));
      const asked = tab.ask('a');
      await stage.run(100);
      open();
      await stage.run(100);
      return asked;
    };
    const types = () => storage.entries.map(({ value }) => value.type);
    const first = stage.tab();
    const held = await come(first);
    assert.deepEqual([held.told, types()], [['granted'], ['begin']]);
    first.context.freeze('all');
    const second = stage.tab();
    const { log } = world.record;
    const waiting = await come(second);
    assert.deepEqual([waiting.told, types()], [[], ['begin', 'begin']]);
    assert.equal(world.record.log, log);
    assert.deepEqual(Object.keys(world.record.members), [first.id, second.id]);
    first.context.thaw();
    await stage.run(1000);
    first.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D2: a joiner that finds that its record was removed posts its own `gone`, and joins anew'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.latecomer();
    const written = world.hold(writes('stateful'));
    const asked = joiner.ask('a');
    await stage.until(() => member.core.state().held.length, 500);
    const { id } = joiner;
    removeRecord(world, id);
    written.release();
    await stage.until(() => joiner.id !== id, 100);
    assert.deepEqual(joiner.buried(), [id]);
    await stage.until(() => asked.told.length, 1000);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D2: a lock that was granted and stolen before the joiner might enter it is not entered in the next life'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const other = await member.hold('b');
    const joiner = stage.latecomer();
    const written = world.hold(writes('stateful'));
    const stolen = joiner.ask('a');
    const thief = joiner.ask('a', { steal: true });
    await stage.until(() => joiner.core.state().held.length > 1, 500);
    const { id } = joiner;
    removeRecord(world, id);
    // The member finds the record missing, too, so its messages come late.
    const late = world.hold(posts(member, 'tick'));
    written.release();
    await stage.until(() => joiner.id !== id, 100);
    late.release();
    await stage.until(() => thief.told.length, 1000);
    assert.deepEqual([stolen.told, thief.told, other.told], [['broken'], ['granted'], ['granted']]);
  },

  async 'D3: a read that began before a joiner was there does not make members declare it dead'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    await stage.until(() => member.says.alone, 5000);
    const joiner = stage.tab();
    // The joiner's first hello makes the member read the register. The answer comes late.
    const added = world.hold(writes('add'));
    const answers = world.hold(isAnswered(member));
    const held = joiner.ask('a');
    await stage.until(() => answers.kept.length, 500);
    added.release();
    await stage.until(() => held.told.length, 500);
    answers.release();
    await stage.run(1000);
    assert.deepEqual(member.buried(), []);
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D5: a joiner takes the time from the state, so that its deadline counts from now'(stage) {
    const [member] = await stage.open(1);
    await member.hold('a');
    await stage.run(3000);
    const joiner = stage.tab();
    const asked = joiner.ask('a', { wait: 600 });
    await stage.run(500);
    assert.deepEqual(asked.told, []);
    await stage.until(() => asked.told.length, 1000);
    assert.deepEqual(asked.told, ['expired']);
  },

  async 'D11: a `join` that names an older register than the log\'s is refused, and no living context is declared dead'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const joiner = stage.tab();
    const join = world.hold(posts(joiner, 'operations'));
    const asked = joiner.ask('a');
    await stage.until(() => world.record.members[joiner.id]?.stateful && join.kept.length, 500);
    await stage.run(50);
    const { id } = joiner;
    const news = world.hold(isLost(joiner));
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    join.release();
    await stage.run(100);
    news.release();
    await stage.until(() => asked.told.length, 2000);
    await stage.run(1000);
    assert.notEqual(joiner.id, id);
    assert.deepEqual(asked.told, ['granted']);
    assert.ok(member.core.last(id) < 0);
    assert.deepEqual([...member.buried(), ...other.buried()], []);
  },

  async 'D8, D11: a force-release that was refused together with its sender\'s `join` is sent again in the next life'(stage) {
    const { world } = stage;
    const [member] = await stage.open(2);
    const held = await member.hold('a');
    const joiner = stage.tab();
    const frame = stage.frame();
    // Its first operations travel slowly.
    /** @type {any[]} */
    const slow = [];
    joiner.speaks = (message) => /"operations"/.test(message) ? (slow.push(message), []) : [message];
    let isDone = false;
    void joiner.log.forceRelease(['a']).then(() => {
      isDone = true;
    });
    await stage.until(() => world.record.members[joiner.id]?.stateful && slow.length, 500);
    await stage.run(50);
    const { id } = joiner;
    const news = world.hold(isLost(joiner));
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    joiner.speaks = (message) => [message];
    frame.append(slow[0]);
    await stage.run(100);
    news.release();
    await stage.until(() => isDone, 2000);
    assert.notEqual(joiner.id, id);
    assert.deepEqual(held.told, ['granted', 'broken']);
  },

  async 'D11: a joiner is refused whose state is older than what a lone member did, and the member does not compare its copy'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    // The member does not learn that the register lists the joiner.
    const reads = world.hold(isAnswered(member));
    const { joiner, asked, add } = await isGivenEarlyState(stage, member, 'b');
    const { id } = joiner;
    const answer = world.hold(isAnswered(joiner));
    const news = world.hold(isLost(joiner));
    add.release();
    await stage.until(() => world.record.members[id]?.stateful, 500);
    for (let wipes = 0; wipes < 2; wipes++) {
      world.wipe();
      reads.release();
      await stage.until(() => world.record.log && !world.record.incomplete && member.says.alone, 1000);
      member.drop(await member.hold('a'));
    }
    answer.release();
    // It may learn only that its connection is closed.
    await stage.run(200);
    news.release();
    await stage.until(() => asked.told.length, 2000);
    assert.notEqual(joiner.id, id);
    assert.deepEqual(asked.told, ['granted']);
    assert.ok(!member.context.warnings.some((text) => text.startsWith('two copies')));
  },

  async 'D11: a `join` that was delivered before data was cleared, and is sent again, does not make its sender start anew'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const joiner = stage.tab();
    const heard = world.hold(hears(joiner, 'operations'));
    const asked = joiner.ask('a');
    await stage.until(() => joiner.says.acting, 500);
    const { id } = joiner;
    const news = world.hold(isLost(joiner));
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    await stage.until(() => joiner.count('operations') > 1, 1000);
    heard.release();
    await stage.run(20);
    news.release();
    await stage.run(3000);
    assert.deepEqual([joiner.id, asked.told], [id, ['granted']]);
    assert.deepEqual([...member.buried(), ...other.buried()], []);
  },

  async 'a context whose storage does not open says so, and is served when it has opened'(stage) {
    const { world } = stage;
    const member = (await stage.open(1))[0];
    world.storage.deletion = [];
    const joiner = stage.tab();
    const asked = joiner.ask('a');
    await stage.run(12000);
    assert.deepEqual([asked.told, member.context.warnings], [[], []]);
    assert.equal(joiner.context.warnings.filter((text) => /does not open/.test(text)).length, 1);
    world.storage.endDeletion();
    await stage.until(() => asked.told.length, 2000);
  },

  async 'R19: a tab of another version waits, says so, and is served when the last tab of this version has ended'(stage) {
    const { world } = stage;
    const [first, other] = await stage.open(2);
    const held = await other.hold('a');
    const stranger = stage.stranger();
    const asked = stranger.ask('a');
    await stage.run(5000);
    other.drop(held);
    await stage.run(1000);
    assert.deepEqual(asked.told, []);
    const said = stranger.context.warnings.filter((text) => /another version is in use/.test(text));
    assert.ok(said.length, 'the developer is told');
    first.kill();
    await stage.run(3000);
    assert.deepEqual(asked.told, []);
    other.kill();
    await stage.until(() => asked.told.length, 2000);
    assert.equal(world.record.protocol, OTHER_PROTOCOL);
  },

  async 'contexts with different makers of the order use the one that stands in the register'(stage) {
    for (const kinds of /** @type {const} */ ([['broadcast', 'store'], ['store', 'broadcast']])) {
      const again = stage.with(kinds[0]);
      const first = again.tab({ kind: kinds[0] });
      const held = await first.hold('a');
      const second = again.tab({ kind: kinds[1] });
      const waiting = second.ask('a');
      const free = await second.hold('b');
      await again.run(500);
      assert.deepEqual([held.told, waiting.told, free.told], [['granted'], [], ['granted']]);
      first.kill();
      await again.until(() => waiting.told.length, 2000);
      assert.equal(again.world.record.order, kinds[0]);
    }
  },

  async 'a connection that opens after its life has ended is closed, though the other connection failed'(stage) {
    const { world } = stage;
    const tab = stage.tab();
    const answers = world.hold(isAnswered(tab));
    tab.ask('a');
    await stage.until(() => answers.kept.length === 2, 100);
    tab.context.brokenUntil = Infinity;
    const [register] = answers.kept.splice(0, 1);
    register.run();
    await stage.run(1);
    tab.log.leave();
    tab.context.brokenUntil = 0;
    answers.release();
    await stage.run(50);
    assert.equal(world.storage.connections.size, 0);
  },

  async 'D11: the clock is set back between two clearings: a joiner that has read the register of the first one reads it again'(first) {
    for (const how of ['heard', 'missed', 'while its record is read']) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const [member, other] = await stage.open(2);
      const clearAgain = await clearsAhead(stage, member, other);
      const joiner = stage.latecomer();
      const joins = world.hold(posts(joiner, 'operations'));
      const asked = joiner.ask('a');
      await stage.until(() => joins.kept.length, 3000);
      const late = how === 'while its record is read' && world.hold(isAnswered(joiner));
      await stage.run(50);
      assert.equal(joiner.says.acting, !late);
      const news = world.hold(isLost(joiner));
      joiner.speaks = (message) => [message];
      if (how === 'missed') joiner.hears = misses(joiner, (message) => /"anew"/.test(message));
      await clearAgain();
      if (late) late.release();
      await stage.run(20);
      joins.release();
      await stage.run(500);
      await holdsAlone(stage, joiner, asked, member, [news], how);
    }
  },

  async 'D11: the clock was set back: a joiner whose early state was confirmed before data was cleared again reads once more'(first) {
    const stage = first.with('broadcast');
    const { world } = stage;
    const [member, slow] = await stage.open(2);
    await stage.run(2500);
    world.wallClockBase -= 3.6e6;
    const unaware = world.hold(isLost(slow));
    const deaf = world.hold(hears(slow, 'anew'));
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 2000);
    const { generation } = world.record;
    await stage.run(100);
    const { joiner, asked, add } = await isGivenEarlyState(stage, member, 'a');
    const { id } = joiner;
    const answer = world.hold(isAnswered(joiner));
    const news = [joiner, member].map((tab) => world.hold(isLost(tab)));
    add.release();
    await stage.until(() => world.record.members[id]?.stateful, 500);
    await stage.run(5);
    world.wipe();
    unaware.release();
    await stage.until(() => slow.count('anew'), 2000);
    assert.equal(world.record.generation, generation);
    await stage.run(30);
    answer.release();
    await stage.run(100);
    deaf.release();
    await holdsAlone(stage, joiner, asked, member, news);
  },

  async 'D11: the clock was set back: what completes a register counts no more for a later one of the same generation'(first) {
    const stage = first.with('broadcast');
    const { world } = stage;
    const [member, slow, third] = await stage.open(3);
    await stage.run(1500);
    world.wallClockBase -= 3.6e6;
    const unaware = world.hold(isLost(slow));
    const deaf = world.hold(hears(member, 'anew'));
    const deafToo = world.hold(hears(slow, 'anew'));
    const later = world.hold(isLost(third));
    world.wipe();
    await stage.until(() => world.record.log && member.count('anew'), 500);
    const { generation } = world.record;
    later.release();
    await stage.until(() => world.record.members[third.id] && !world.record.incomplete, 500);
    const joiner = stage.latecomer();
    const asked = joiner.ask('a');
    await stage.until(() => asked.told.length, 3000);
    const news = [member, third, joiner].map((tab) => world.hold(isLost(tab)));
    world.wipe();
    unaware.release();
    await stage.until(() => world.record.log, 500);
    assert.equal(world.record.generation, generation);
    joiner.context.freeze('all');
    news[0].release();
    await stage.until(() => world.record.members[member.id], 500);
    deaf.release();
    await stage.run(100);
    deafToo.release();
    for (const each of news) each.release();
    const waiting = third.ask('a');
    await stage.run(5000);
    assert.deepEqual([asked.told, waiting.told], [['granted'], []]);
  },

  async 'D6, D11: the clock was set back: a log that began between two registers of a member is not overlooked'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    await stage.run(2500);
    world.wallClockBase -= 3.6e6;
    const deaf = world.hold(hears(member, 'anew'));
    world.wipe();
    await stage.until(() => world.record.log && member.count('anew'), 500);
    const { log } = world.record;
    await stage.run(10);
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    const asked = newcomer.ask('a');
    await stage.until(() => asked.told.length, 1000);
    assert.notEqual(world.record.log, log);
    const unaware = world.hold(isLost(newcomer));
    world.wipe();
    news.release();
    await stage.until(() => member.count('anew') > 1, 500);
    deaf.release();
    await stage.run(20);
    const waiting = member.ask('a');
    await stage.run(400);
    unaware.release();
    await stage.run(6000);
    assert.deepEqual([asked.told, waiting.told], [['granted'], []]);
  },

  async 'D11: a joiner that reads its record again completes the register all the same'(stage) {
    const { world } = stage;
    const [one, two] = await stage.open(2);
    await stage.run(2500);
    /** @type {any[]} */
    const slow = [];
    one.speaks = (message) => /"anew"/.test(message) ? (slow.push(message), []) : [message];
    const unaware = world.hold(isLost(two));
    world.wipe();
    await stage.until(() => slow.length, 500);
    world.wipe();
    one.log.leave();
    await stage.run(20);
    two.speaks = (message) => /"anew"/.test(message) ? [] : [message];
    unaware.release();
    await stage.until(() => two.count('anew'), 1000);
    const joiner = stage.tab();
    const joins = world.hold(posts(joiner, 'operations'));
    joiner.ask('a');
    await stage.until(() => joins.kept.length && joiner.count('anew'), 2000);
    two.kill();
    const read = world.hold(writes('stateful'));
    stage.frame().append(slow[0]);
    await stage.run(10);
    joins.release();
    await stage.run(20);
    read.release();
    assert.ok(world.record.incomplete);
    await stage.until(() => !world.record.incomplete, 3000);
  },

  async 'D8, D10: a member that reads its record again while another one continues the log repeats a force-release that is refused'(first) {
    for (const isSlow of [false, true]) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const [member, other] = await stage.open(2);
      const held = await member.hold('a');
      await stage.run(2500);
      const joiner = stage.latecomer();
      const joins = world.hold(posts(joiner, 'operations'));
      let isDone = false;
      void joiner.log.forceRelease(['a']).then(() => {
        isDone = true;
      });
      await stage.until(() => joins.kept.length && (isSlow || joiner.says.acting), 2000);
      const { id } = joiner;
      const answers = isSlow && world.hold(isAnswered(joiner));
      await stage.run(30);
      const kept = joins.kept.splice(0);
      joins.release();
      /** @type {any[]} */
      const slow = [];
      joiner.speaks = (message) => /"operations"/.test(message) && message.includes(id) ? (slow.push(message), []) : [message];
      other.kill();
      const { generation } = world.record;
      const read = world.hold(writes('stateful'));
      for (const tab of [member, joiner]) tab.missesOne();
      await stage.until(() => world.record.generation > generation, 15000);
      if (answers) answers.release();
      await stage.run(5);
      read.release();
      await stage.until(() => member.count('resume') + joiner.count('resume'), 5000);
      await stage.run(30);
      joiner.speaks = (message) => [message];
      for (const message of slow) stage.frame().append(message);
      for (const each of kept) each.run();
      await stage.until(() => isDone, 8000);
      await stage.run(100);
      assert.deepEqual(held.told, ['granted', 'broken']);
    }
  },

  async 'D11: an old `anew` hides no later one from a joiner that is given the state while it reads again'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    /** @type {any[]} */
    const old = [];
    other.speaks = (message) => /"anew"/.test(message) ? (old.push(message), []) : [message];
    const news = world.hold(isLost(member));
    world.wipe();
    await stage.until(() => old.length, 1000);
    news.release();
    await stage.until(() => !world.record.incomplete, 2000);
    await stage.run(2500);
    other.speaks = (message) => [message];
    const clearAgain = await clearsAhead(stage, member, other);
    const joiner = stage.tab();
    const joins = world.hold(posts(joiner, 'operations'));
    let asks = false;
    let isSilent = true;
    joiner.speaks = (message) => {
      if (!isSilent || fromMessage(message)?.kind !== 'hello' || !fromMessage(message)?.values[1]) return [message];
      asks = asks || !!world.record.members[joiner.id];
      return [];
    };
    const asked = joiner.ask('a');
    await stage.until(() => asks, 3000);
    const answers = world.hold(isAnswered(joiner));
    stage.frame().append(old[0]);
    await stage.run(7);
    isSilent = false;
    await stage.until(() => world.record.members[joiner.id]?.stateful, 2000);
    await stage.run(5);
    const late = world.hold(isLost(joiner));
    await clearAgain();
    answers.release();
    await stage.run(20);
    joins.release();
    await stage.run(500);
    await holdsAlone(stage, joiner, asked, member, [late]);
  },

  async 'D11: the clock is set back between two clearings: a joiner whose record is gone does not come back'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const clearAgain = await clearsAhead(stage, member, other);
    const joiner = stage.latecomer();
    const joins = world.hold(posts(joiner, 'operations'));
    const asked = joiner.ask('a');
    await stage.until(() => joins.kept.length && joiner.says.acting, 3000);
    const { id } = joiner;
    joiner.speaks = (message) => [message];
    const news = world.hold(isLost(joiner));
    await clearAgain();
    // The member that takes the joiner for dead is slow to say so.
    const gone = world.hold(posts(member, 'gone'));
    joins.release();
    await stage.until(() => gone.kept.length, 2000);
    news.release();
    await stage.run(1000);
    assert.deepEqual(asked.told, []);
    gone.release();
    await stage.until(() => asked.told.length, 3000);
    assert.notEqual(joiner.id, id);
  },
};
