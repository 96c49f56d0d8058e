/** Being alone (D7), and what a page is told about itself. */
import assert from 'node:assert/strict';
import { hears, isAnswered, posts, prompt, writes } from '../stage.js';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const alone = {
  async 'D7: a context that is alone posts nothing'(stage) {
    const [tab] = await stage.open(1);
    await stage.run(3000);
    assert.ok(tab.says.alone);
    const { length } = tab.posted;
    for (let each = 0; each < 10; each++) tab.drop(await tab.hold('a'));
    assert.equal(tab.posted.length, length);
  },

  async 'D7: a context is not alone before a new read of the register has shown only itself'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    const reads = world.hold(writes());
    // The change that removes a record reads the register, too.
    const removals = world.hold(writes('remove'));
    other.log.leave();
    await stage.run(100);
    assert.ok(!tab.says.alone);
    removals.release();
    reads.release();
    await stage.until(() => tab.says.alone, 3000);
  },

  async 'D7: a context is not alone if another one has said hello since its read of the register began'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    other.log.leave();
    const answers = world.hold(isAnswered(tab));
    await stage.until(() => answers.kept.length, 100);
    const later = ['add', 'remove', undefined].map((type) => world.hold(writes(type)));
    const newcomer = stage.tab();
    newcomer.ask('a');
    await stage.until(() => newcomer.count('hello'), 100);
    await stage.run(20);
    answers.release();
    await stage.run(100);
    assert.ok(!tab.says.alone);
    later.forEach((each) => each.release());
  },

  async 'D7: a context is not alone within 2 s of a hello, though it could not act when that was delivered'(stage) {
    const { world } = stage;
    const tab = stage.tab();
    const begins = world.hold(posts(tab, 'begin'));
    const asked = tab.ask('a');
    await stage.until(() => begins.kept.length, 500);
    const passer = stage.tab();
    passer.ask('a');
    await stage.until(() => passer.count('hello'), 100);
    passer.kill();
    await stage.run(20);
    begins.release();
    await stage.until(() => asked.told.length, 500);
    const entries = world.storage.entries.length;
    await stage.run(1500);
    assert.equal(world.storage.entries.length, entries);
    await stage.until(() => tab.says.alone, 1500);
  },

  async 'D7: a context is not alone while something of its own is on its way'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    const sent = world.hold(posts(tab, 'operations'));
    const asked = tab.ask('a');
    other.log.leave();
    await stage.run(3000);
    assert.ok(!tab.says.alone);
    assert.deepEqual(asked.told, []);
    sent.release();
    await stage.until(() => tab.says.alone && asked.told.length, 3000);
  },

  async 'D7: a hello ends being alone before it is answered'(stage) {
    const { world } = stage;
    const [tab] = await stage.open(1);
    await stage.until(() => tab.says.alone, 5000);
    const newcomer = stage.tab();
    const asked = newcomer.ask('a');
    await stage.until(() => tab.count('state'), 500);
    const deaf = world.hold(hears(newcomer));
    assert.ok(!tab.says.alone);
    const held = await tab.hold('a');
    deaf.release();
    await stage.run(500);
    assert.deepEqual([held.told, asked.told], [['granted'], []]);
  },

  async 'D12: a page that enters the back-forward cache loses its lock, and asks again only when it is shown'(stage) {
    const [leader, other] = await stage.open(3);
    const held = await leader.hold('a');
    const waiting = other.ask('a');
    await stage.run(50);
    leader.context.tell('away');
    await stage.run(1);
    assert.deepEqual(held.told, ['granted', 'lost']);
    leader.context.freeze('all');
    await stage.until(() => waiting.told.length, 1000);
    const asked = leader.ask('a');
    await stage.run(1000);
    leader.context.thaw();
    await stage.run(1000);
    assert.deepEqual(asked.told, [], 'it asks for nothing before it is shown again');
    leader.context.tell('visible');
    other.drop(waiting);
    await stage.until(() => asked.told.length, 1000);
  },

  async 'D12: a page in the back-forward cache asks for nothing, though it is told there that it is hidden'(stage) {
    const [tab, other] = await stage.open(2);
    await tab.hold('a');
    tab.context.tell('away');
    tab.context.tell('hidden');
    const asked = tab.ask('a');
    tab.context.tell('frozen');
    await stage.run(50);
    assert.equal(tab.context.listening, 0);
    tab.context.freeze('all');
    await other.hold('a');
    await stage.run(1000);
    tab.context.thaw();
    tab.context.tell('visible');
    tab.context.tell('hidden');
    other.kill();
    await stage.until(() => asked.told.length, 1000);
  },

  async 'D12: a context that has left posts nothing more'(stage) {
    const [, other] = await stage.open(2);
    const held = await other.hold('a');
    const queued = other.ask('b');
    other.context.tell('away');
    const posted = other.posted.length;
    other.drop(held);
    other.drop(queued);
    other.ask('c');
    await stage.run(2000);
    assert.deepEqual(other.posted.slice(posted), []);
  },

  async 'D12: a page that ends says so to others, and its own requests are told nothing'(stage) {
    const [leader, other] = await stage.open(2);
    const held = await leader.hold('a');
    const queued = leader.ask('a');
    const waiting = other.ask('a');
    await stage.run(20);
    leader.context.tell('over');
    await stage.until(() => waiting.told.length, 1000);
    assert.deepEqual([held.told, queued.told], [['granted'], []]);
  },

  async 'a frozen page that was alone keeps its lock, and a newcomer waits for nothing else'(stage) {
    const [frozen] = await stage.open(1);
    const held = await frozen.hold('a');
    frozen.context.tell('frozen');
    await stage.run(1);
    frozen.context.freeze('chromium');
    const newcomer = stage.tab();
    const [other, same] = [newcomer.ask('b'), newcomer.ask('a')];
    await stage.until(() => other.told.length, 3000);
    await stage.run(1000);
    assert.deepEqual([held.told, same.told], [['granted'], []]);
  },

  async 'a deadline a year ahead causes no messages'(stage) {
    const [tab, other] = await stage.open(2);
    await tab.hold('a', { hold: 365 * 24 * 3600 * 1000 });
    const waiting = other.ask('a');
    await stage.run(1000);
    const posted = tab.posted.length;
    await stage.run(10000);
    assert.deepEqual([tab.posted.length, waiting.told], [posted, []]);
  },

  async 'D6: a context enters nothing before its own `begin` is delivered'(stage) {
    const { world } = stage;
    const tab = stage.tab();
    const begins = world.hold(posts(tab, 'begin'));
    const asked = tab.ask('a');
    await stage.until(() => begins.kept.length, 500);
    await stage.run(300);
    assert.deepEqual([asked.told, tab.says.acting], [[], false]);
    begins.release();
    await stage.until(() => asked.told.length, 100);
  },

  async 'D6: a newcomer to which everything is delivered late begins a log all the same'(stage) {
    const { world } = stage;
    const tab = stage.tab();
    const heard = world.hold(hears(tab));
    const asked = tab.ask('a');
    await stage.until(() => {
      for (const { run } of heard.kept.splice(0)) world.at(tab.context, world.time + 700, run, 'timer');
      return asked.told.length;
    }, 5000);
  },

  async 'newcomers that come at the same time begin one log'(stage) {
    const { world } = stage;
    const tabs = [stage.tab(), stage.tab(), stage.tab()];
    const deaf = world.hold(hears(tabs[2]));
    const asked = tabs.map((tab) => tab.ask('a'));
    await stage.run(100);
    deaf.release();
    await stage.run(1000);
    assert.equal(asked.filter(({ told }) => told.length).length, 1);
    assert.equal(new Set(tabs.map(({ core }) => core.hash())).size, 1);
  },

  async 'D7: a joiner enters the register right before `alone` is written: the member is not alone'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    await stage.run(3000);
    const joiner = stage.tab();
    prompt(joiner, member);
    const opening = world.hold(isAnswered(joiner));
    const alone = world.hold(writes('alone'));
    const waiting = joiner.ask('y');
    await stage.until(() => alone.kept.length, 5000);
    opening.release();
    const quiet = world.hold(posts(joiner));
    await stage.until(() => world.record.members[joiner.id], 1000);
    alone.release();
    await stage.run(30);
    const held = member.ask('x');
    await stage.run(30);
    quiet.release();
    const other = joiner.ask('x');
    await stage.run(1000);
    assert.deepEqual([held.told, other.told, waiting.told], [['granted'], [], ['granted']]);
    assert.equal(member.core.hash(), joiner.core.hash());
  },

  async 'D2, D7: an early hello that is delivered to its sender late does not count once the sender is in the register'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    await stage.run(3000);
    const joiner = stage.tab();
    prompt(member, joiner);
    const opening = world.hold(isAnswered(joiner));
    const deaf = world.hold(hears(joiner));
    const waiting = joiner.ask('y');
    await stage.until(() => member.count('state'), 1000);
    await stage.until(() => member.says.alone, 6000);
    const held = await member.hold('x');
    opening.release();
    await stage.until(() => world.record.members[joiner.id], 1000);
    await stage.run(50);
    const other = joiner.ask('x');
    deaf.release();
    await stage.run(2000);
    assert.deepEqual([held.told, other.told, waiting.told], [['granted'], [], ['granted']]);
  },
};
