/** The rules of docs/protocol.md one by one, each in a small world of its own, with a few seeds. */
import assert from 'node:assert/strict';
import { createLog } from '../../glue/log/log.js';
import { AWAY, FROZEN, HIDDEN, OVER, VISIBLE } from '../../glue/platform/lifecycle.js';
import { World } from '../../glue/platform/simulated.js';
import { createCore } from './core.js';
import { createOtherVersion } from './variant.js';

const createOtherLog = await createOtherVersion();
const SEEDS = [1, 2, 3, 4, 5];

/** A tab: a context, its log, and what its user was told. */
class Tab {
  /** @param {World} world @param {typeof createLog} create */
  constructor(world, create = createLog) {
    this.world = world;
    this.context = world.createContext();
    this.core = createCore();
    this.posted = 0;
    this.sent = 0;
    /** Nobody hears what it posts, as if a new leader's `prepare` had come before it. */
    this.mute = false;
    /** The leader does not hear what it sends. */
    this.dumb = false;
    /** It hears nothing on the log channel. */
    this.deaf = false;
    const { place } = this.context;
    this.log = create({
      ...place,
      openChannel: (onLog, onOperations) => {
        const channel = place.openChannel((message) => this.deaf || onLog(message), onOperations);
        return {
          ...channel,
          postLog: (message) => {
            this.posted++;
            if (!this.mute) channel.postLog(message);
          },
          postOperations: (message) => {
            this.sent++;
            if (!this.dumb) channel.postOperations(message);
          },
        };
      },
    }, () => this.core);
  }

  /** @param {string} name @param {object} [options] */
  ask(name, options) {
    const asked = { told: '', at: 0, handle: /** @type {any} */ (undefined) };
    const tell = (/** @type {string} */ what) => {
      asked.told = what;
      asked.at = this.world.time;
    };
    asked.handle = this.log.request({ names: [name], mode: 'exclusive', ...options }, tell);
    return asked;
  }

  /** Asks, and lets the world go on until that is granted. @param {string} name @param {object} [options] */
  async hold(name, options) {
    const asked = this.ask(name, options);
    await until(this.world, () => asked.told === 'granted', 5000);
    return asked;
  }

  /**
   * Asks for [name], lets go in the task of the grant, and asks for the same again, so many times.
   * @param {string} name @param {number} times @param {object} [options]
   */
  repeat(name, times, options = { steal: false }) {
    const grants = /** @type {{number: number, fence: number}[]} */ ([]);
    const again = () => {
      const request = this.log.request({ names: [name], mode: 'exclusive', ...options }, (outcome, fence) => {
        assert.equal(outcome, 'granted');
        grants.push({ number: request.number, fence });
        this.log.drop(request);
        if (grants.length < times) again();
      });
    };
    again();
    return grants;
  }

  get leads() {
    return !!this.world.record && this.world.record.leader === this.log.clientId();
  }
}

/** @param {World} world @param {() => unknown} condition @param {number} milliseconds */
const until = async (world, condition, milliseconds) => {
  const deadline = world.time + milliseconds;
  while (!condition()) {
    assert.ok(world.time < deadline, `not within ${milliseconds} virtual milliseconds: ${condition}`);
    await world.run(world.time + 1);
  }
};

/**
 * [count] tabs that know each other; the first leads.
 * @param {number} seed
 * @param {number} count
 */
const open = async (seed, count) => {
  const world = new World({ seed });
  const tabs = Array.from({ length: count }, () => new Tab(world));
  for (const tab of tabs) tab.log.drop((await tab.hold('door')).handle);
  await world.run(world.time + 100);
  assert.ok(tabs[0].leads);
  return { world, tabs };
};

/** @param {string} title @param {(seed: number) => Promise<void>} test */
const withSeeds = (title, test) => it(title, async () => {
  for (const seed of SEEDS) await test(seed);
});

describe('the rules of the leader log', () => {
  withSeeds('R6: who is alone posts nothing', async (seed) => {
    const { world, tabs: [tab] } = await open(seed, 1);
    await world.run(world.time + 3000);
    const { posted } = tab;
    for (let each = 0; each < 10; each++) tab.log.drop((await tab.hold('a')).handle);
    assert.equal(tab.posted, posted);
    assert.ok((await Promise.race([tab.log.inspect(), world.run(world.time + 10)])).alone);
  });

  withSeeds('R10: a dead leader is replaced, and what it held is free', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    await leader.hold('a');
    const next = other.ask('a');
    await world.run(world.time + 50);
    leader.context.kill();
    await until(world, () => next.told === 'granted', 1500);
    assert.ok(other.leads || third.leads);
  });

  withSeeds('R12: a leader that is stopped without a word is deposed within 2.5 seconds', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    leader.context.freeze('all');
    const asked = other.ask('a');
    await until(world, () => asked.told === 'granted', 2500);
    // When it wakes it is delivered the news before it acts.
    const own = leader.ask('a');
    leader.context.thaw();
    await world.run(world.time + 2000);
    assert.equal(own.told, '');
    assert.ok(!leader.leads);
    other.log.drop(asked.handle);
    await until(world, () => own.told === 'granted', 1000);
  });

  withSeeds('R13: a leader that is going to be frozen is replaced within 50 milliseconds', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    leader.context.tell(FROZEN);
    await world.run(world.time + 1);
    leader.context.freeze('all');
    const began = world.time;
    const asked = other.ask('a');
    await until(world, () => asked.told === 'granted', 50);
    assert.ok(asked.at - began < 50);
  });

  withSeeds('R13: a hidden leader that holds something lets a visible context lead, and keeps its lock', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    const held = await leader.hold('a');
    leader.context.tell(HIDDEN);
    await until(world, () => other.leads || third.leads, 50);
    await world.run(world.time + 1000);
    assert.equal(held.told, 'granted');
  });

  withSeeds('R13: a page that leads alone and has been frozen does not keep a newcomer waiting', async (seed) => {
    const { world, tabs: [frozen] } = await open(seed, 1);
    const held = await frozen.hold('a');
    frozen.context.tell(FROZEN);
    await world.run(world.time + 1);
    frozen.context.freeze('chromium');
    const newcomer = new Tab(world);
    const [other, same] = [newcomer.ask('b'), newcomer.ask('a')];
    await until(world, () => other.told === 'granted', 3000);
    await world.run(world.time + 1000);
    assert.deepEqual([held.told, same.told], ['granted', '']);
  });

  withSeeds('R14: a holder that is stopped keeps its lock', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    const held = await leader.hold('a');
    leader.context.freeze('all');
    const waiting = other.ask('a');
    await world.run(world.time + 60000);
    assert.equal(waiting.told, '');
    leader.context.thaw();
    await world.run(world.time + 100);
    leader.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 1000);
  });

  withSeeds('R15: who hides and holds nothing is not waited for', async (seed) => {
    const { world, tabs: [old] } = await open(seed, 1);
    old.context.tell(HIDDEN);
    await world.run(world.time + 50);
    old.context.freeze('all');
    const young = new Tab(world);
    const asked = young.ask('a');
    await until(world, () => asked.told === 'granted', 500);
    old.context.tell(VISIBLE);
    old.context.thaw();
    const again = old.ask('a');
    await world.run(world.time + 500);
    assert.equal(again.told, '');
    young.log.drop(asked.handle);
    await until(world, () => again.told === 'granted', 500);
  });

  withSeeds('R15: who finishes while it is hidden leaves soon after', async (seed) => {
    const { world, tabs: [old] } = await open(seed, 1);
    const held = await old.hold('a');
    old.context.tell(HIDDEN);
    await world.run(world.time + 3000);
    assert.equal(held.told, 'granted');
    old.log.drop(held.handle);
    await until(world, () => !Object.keys(world.record.members).length || old.context.names.size === 0, 1500);
  });

  withSeeds('R16: a deadline in a year keeps nobody busy', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 2);
    const year = 365 * 24 * 3600 * 1000;
    leader.log.request({ names: ['a'], mode: 'exclusive', hold: year }, () => {});
    const waiting = other.ask('a');
    await world.run(world.time + 1000);
    const { posted } = leader;
    await world.run(world.time + 10000);
    assert.deepEqual([leader.posted, waiting.told], [posted, '']);
  });

  withSeeds('R17: site data is cleared, and who holds goes on holding, who waits goes on waiting', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    const held = await other.hold('a');
    const [second, last] = [leader.ask('a'), third.ask('a')];
    await world.run(world.time + 50);
    world.wipe();
    await world.run(world.time + 1000);
    assert.deepEqual([held.told, second.told, last.told], ['granted', '', '']);
    other.log.drop(held.handle);
    await until(world, () => second.told === 'granted', 500);
    leader.log.drop(second.handle);
    await until(world, () => last.told === 'granted', 500);
  });

  withSeeds('R17: a page that was frozen while data was cleared still holds what it held', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    const held = await leader.hold('a');
    leader.context.freeze('all');
    const waiting = other.ask('a');
    world.wipe();
    await world.run(world.time + 5000);
    assert.equal(waiting.told, '');
    leader.context.thaw();
    await world.run(world.time + 1000);
    assert.deepEqual([held.told, waiting.told], ['granted', '']);
    leader.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 1000);
  });

  withSeeds('R11: who was frozen while it joined finds a log that began meanwhile, though data was cleared', async (seed) => {
    const world = new World({ seed });
    const [late, early] = [new Tab(world), new Tab(world)];
    const waiting = late.ask('a');
    await until(world, () => late.posted > 0, 10);
    late.context.freeze('chromium');
    await world.run(world.time + 20);
    const held = await early.hold('a');
    world.wipe();
    late.context.tell(VISIBLE);
    late.context.thaw();
    await world.run(world.time + 3000);
    assert.deepEqual([held.told, waiting.told], ['granted', '']);
    early.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 500);
  });

  for (const heard of [true, false]) {
    const when = heard ? 'when its first message has come back' : 'when its storage is open, if no message comes back';
    withSeeds(`R11: a context opens its core once, ${when}`, async (seed) => {
      const world = new World({ seed });
      const context = world.createContext();
      const { place } = context;
      /** @type {string[]} */
      const seen = [];
      const log = createLog({
        ...place,
        openChannel: (onLog, ...others) => place.openChannel((message) => {
          seen.push('message');
          if (heard) onLog(message);
        }, ...others),
        async openRegister(onLost) {
          const register = await place.openRegister(onLost);
          // What waits for it stands behind this.
          await world.storageEvent(context, 20, 30);
          seen.push('storage');
          return register;
        },
      }, () => {
        seen.push('core');
        return createCore();
      });
      log.request({ names: ['a'], mode: 'exclusive' }, () => {});
      for (let job = 0; job < 20; job++) await undefined;
      assert.deepEqual(seen, [], 'not in the task of the request');
      await world.run(world.time + 200);
      assert.equal(seen[seen.indexOf('core') - 1], heard ? 'message' : 'storage');
      assert.equal(seen.filter((each) => each === 'core').length, 1);
    });
  }

  withSeeds('R11: who is alone begins a log though its timers are a little early by its clock', async (seed) => {
    const world = new World({ seed, timersEarly: 1 });
    for (let i = 0; i < 20; i++) {
      const tab = new Tab(world);
      const held = tab.ask('a');
      await until(world, () => held.told === 'granted', 400);
      tab.log.leave();
      await world.run(world.time + 1000);
      world.wipe();
    }
  });

  withSeeds('R17: whoever is missing in a register that was written anew has not come back yet, and counts as alive', async (seed) => {
    const { world, tabs: [, other, late] } = await open(seed, 3);
    const held = await late.hold('a');
    const waiting = other.ask('a');
    await world.run(world.time + 50);
    late.context.brokenUntil = world.time + 400;
    world.wipe();
    await until(world, () => world.record && world.record.incomplete, 1000);
    const { [late.log.clientId()]: missing, ...members } = world.record.members;
    world.record = { ...world.record, members };
    await world.run(world.time + 2000);
    assert.deepEqual([held.told, waiting.told], ['granted', '']);
    assert.equal(world.record.incomplete, false);
    late.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 1000);
  });

  withSeeds('R18: into the back-forward cache and out of it', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    const held = await leader.hold('a');
    const waiting = other.ask('a');
    leader.context.tell(AWAY);
    await world.run(world.time + 1);
    assert.equal(held.told, 'lost');
    leader.context.freeze('all');
    await until(world, () => waiting.told === 'granted', 1000);
    const asked = leader.ask('a');
    await world.run(world.time + 1000);
    leader.context.thaw();
    await world.run(world.time + 1000);
    assert.equal(asked.told, '', 'nothing is asked for before it is seen again');
    leader.context.tell(VISIBLE);
    other.log.drop(waiting.handle);
    await until(world, () => asked.told === 'granted', 1000);
  });

  withSeeds('R18: a page that ends says goodbye, and tells nobody in it', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 2);
    const held = await leader.hold('a');
    const queued = leader.ask('a');
    const waiting = other.ask('a');
    await world.run(world.time + 20);
    leader.context.tell(OVER);
    await until(world, () => waiting.told === 'granted', 1000);
    assert.deepEqual([held.told, queued.told], ['granted', '']);
  });

  withSeeds('R19: a page of another version waits, says so once, and is served when the last one of this has been closed', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 2);
    const held = await other.hold('a');
    const stranger = new Tab(world, createOtherLog);
    const asked = stranger.ask('a');
    await world.run(world.time + 5000);
    other.log.drop(held.handle);
    await world.run(world.time + 1000);
    assert.equal(asked.told, '');
    const said = stranger.context.warnings.filter((text) => /another version is in use/.test(text));
    assert.equal(said.length, 1);
    leader.context.kill();
    await world.run(world.time + 3000);
    assert.equal(asked.told, '');
    other.context.kill();
    await until(world, () => asked.told === 'granted', 2000);
    assert.equal(world.record.protocol, 2);
  });

  withSeeds('what is not ours on the channel is ignored, with one warning', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 2);
    const held = await leader.hold('a');
    const waiting = other.ask('a');
    const { log, epoch } = world.record;
    const channel = world.createContext().place.openChannel(() => {}, () => {});
    const [leads, follows] = [leader, other].map((each) => each.log.clientId());
    /** @param {string} kind @param {any[]} values */
    const ours = (kind, ...values) => JSON.stringify([1, kind, ...values]);
    /** @param {any} operation */
    const entries = (operation) => ours('entries', log, epoch, 1, 0, 0, [operation]);
    for (const message of [
      null, 'text', '7', '{}', '[1,"goodbye"', 7, [], {}, [1], [2, 'goodbye', leads], JSON.stringify([2, 'goodbye', leads]), [1, 'goodbye'],
      ours('toString', leads), ours('goodbye'), ours('goodbye', 7), ours('prepare', log, 2 ** 60, 'x'),
      ours('entries', log, epoch, 1), entries(null), entries({ type: '__proto__', client: 'x', number: 1 }),
      entries({ type: 'request', client: 'x', number: 1, names: ['a', 'a'], mode: 'shared' }),
      ours('operations', log, follows, [{ type: 'gone', client: leads }]),
      ours('operations', log, follows, [{ type: 'drop', client: leads, number: 9, request: 1 }]),
      [1, 'goodbye', [leads]], [1, 'snapshot', follows, follows, log, epoch, epoch, 1e9, new Uint8Array(9)],
    ]) {
      channel.postLog(message);
      channel.postOperations(message);
    }
    await world.run(world.time + 3000);
    assert.deepEqual([held.told, waiting.told], ['granted', '']);
    assert.deepEqual([leader, other].map(({ context }) => context.warnings.length), [1, 1]);
    leader.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 500);
  });

  withSeeds('R20: a lock that is let go of and asked for again in the task of its grant is kept, and nothing is said', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    for (const tab of [leader, other]) {
      const before = { sent: tab.sent, posted: leader.posted };
      const grants = tab.repeat('a', 400);
      await until(world, () => grants.length === 400, 5000);
      const numbers = new Set(grants.map(({ number }) => number));
      assert.ok(numbers.size > 1, 'in one task not without end');
      assert.ok(numbers.size < 40, `${numbers.size} numbers`);
      assert.ok(tab.sent - before.sent <= numbers.size + 1);
      assert.ok(leader.posted - before.posted <= numbers.size + 2);
    }
    // For everybody else it is one lock, which comes free.
    await third.hold('a');
    const { state } = await Promise.race([third.log.inspect(), world.run(world.time + 50)]);
    assert.deepEqual([state.held.length, state.pending.length], [1, 0]);
    const { state: others } = await Promise.race([leader.log.inspect(), world.run(world.time + 50)]);
    assert.deepEqual(others.held, state.held);
  });

  withSeeds('R20: not where somebody waits for it', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    const held = await leader.hold('a');
    const grants = other.repeat('a', 2);
    await world.run(world.time + 50);
    const waiting = third.ask('a');
    await world.run(world.time + 50);
    leader.log.drop(held.handle);
    await until(world, () => waiting.told === 'granted', 500);
    await world.run(world.time + 100);
    assert.equal(grants.length, 1);
    third.log.drop(waiting.handle);
    await until(world, () => grants.length === 2, 500);
  });

  withSeeds('R20: whoever never stops lets others in', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    for (const tab of [leader, other]) {
      const grants = tab.repeat('a', Infinity);
      await until(world, () => grants.length > 1000, 3000);
      const asked = await third.hold('a');
      const during = grants.length;
      await world.run(world.time + 200);
      assert.equal(grants.length, during, 'beside another holder');
      third.log.drop(asked.handle);
      await until(world, () => grants.length > during, 500);
      tab.context.kill();
    }
  });

  withSeeds('R20: not where it was held for longer, is shared with frames, shows its fence, is another one, or is stolen', async (seed) => {
    const { world, tabs } = await open(seed, 5);
    const other = tabs[2];
    const held = await other.hold('a', { steal: false });
    await world.run(world.time + 10);
    other.log.drop(held.handle);
    const next = other.ask('a', { steal: false });
    await until(world, () => next.told === 'granted', 500);
    assert.notEqual(next.handle.number, held.handle.number);

    const frame = tabs.find(({ context }) => context.place.sharesEventLoop()) || assert.fail('no frame');
    const inFrame = frame.repeat('b', 10);
    const draft = other.repeat('c', 10, {});
    await until(world, () => inFrame.length + draft.length === 20, 5000);
    assert.equal(new Set(inFrame.map(({ number }) => number)).size, 10);
    draft.reduce((before, { fence }) => (assert.ok(fence > before), fence), 0);

    for (const options of [{ steal: true }, { mode: 'shared', steal: false }]) {
      const first = other.log.request({ names: ['d'], mode: 'exclusive', steal: false }, () => {
        other.log.drop(first);
        second = other.ask('d', options);
      });
      /** @type {any} */
      let second;
      await until(world, () => second && second.told === 'granted', 500);
      assert.notEqual(second.handle.number, first.number);
      other.log.drop(second.handle);
    }
  });

  withSeeds('R20: what only waited, and is asked for again, is not held', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    await leader.hold('a');
    /** @type {any} */
    let again;
    const request = other.log.request({ names: ['a'], mode: 'exclusive', steal: false }, () => assert.fail('granted'));
    await world.run(world.time + 50);
    // In the task of a message.
    const signal = other.log.request({ names: ['b'], mode: 'exclusive', steal: false }, () => {
      other.log.drop(request);
      again = other.ask('a', { steal: false });
    });
    await world.run(world.time + 100);
    assert.ok(signal.fence && again);
    assert.equal(again.told, '');
  });

  /**
   * [tab] waits for [name]. [early]: whether its core still showed it waiting when its listener was told of the grant.
   * @param {Tab} tab @param {string} name @param {object} [options] @param {() => void} [entered]
   */
  const wait = (tab, name, options = { steal: false }, entered = () => {}) => {
    const asked = { told: /** @type {string[]} */ ([]), early: false };
    const request = tab.log.request({ names: [name], mode: 'exclusive', ...options }, (outcome) => {
      asked.told.push(outcome);
      const waits = tab.core.state().pending.some(({ client, number }) => client === tab.log.clientId() && number === request.number);
      if (outcome !== 'granted') return;
      asked.early = waits;
      entered();
    });
    return Object.assign(asked, { request });
  };

  withSeeds('R21: a leader that is next enters when it is told of the release, and is told once', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    const held = await other.hold('a', { steal: false });
    const next = wait(leader, 'a');
    await world.run(world.time + 50);
    const last = third.ask('a');
    await world.run(world.time + 50);
    other.log.drop(held.handle);
    await until(world, () => next.told.length, 500);
    assert.ok(next.early);
    await world.run(world.time + 100);
    assert.deepEqual(next.told, ['granted']);
    assert.equal(last.told, '');
    leader.log.drop(next.request);
    await until(world, () => last.told === 'granted', 500);
  });

  withSeeds('R21: who is next after itself enters at once, and all that it does then travels together', async (seed) => {
    for (const place of [0, 1]) {
      const { world, tabs } = await open(seed, 3);
      const tab = tabs[place];
      const held = await tab.hold('a', { steal: false });
      const [first, second, third] = [1, 2, 3].map(() => {
        const next = wait(tab, 'a', undefined, () => tab.log.drop(next.request));
        return next;
      });
      await world.run(world.time + 50);
      const last = tabs[2].ask('a');
      await world.run(world.time + 50);
      const before = [tab.posted, tab.sent];
      tab.log.drop(held.handle);
      for (let job = 0; job < 60; job++) await undefined;
      assert.deepEqual([first, second, third].map(({ told, early }) => [told, early]), [1, 2, 3].map(() => [['granted'], true]));
      assert.equal(last.told, '');
      await until(world, () => last.told === 'granted', 500);
      assert.equal(tab.posted + tab.sent, before[0] + before[1] + 1);
      assert.deepEqual([first, second, third].map(({ told }) => told), [['granted'], ['granted'], ['granted']]);
      await world.run(world.time + 50);
      assert.equal(tabs[0].core.requestCount(), 1);
    }
  });

  withSeeds('R21: what it does in the same task travels with the release', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    const held = await other.hold('a', { steal: false });
    const request = leader.log.request({ names: ['a'], mode: 'exclusive', steal: false }, () => leader.log.drop(request));
    await world.run(world.time + 50);
    const { posted } = leader;
    other.log.drop(held.handle);
    await world.run(world.time + 50);
    assert.equal(leader.posted, posted + 1);
    assert.equal(other.core.requestCount(), 0);
  });

  withSeeds('R21: what it does then keeps nobody waiting for what else it has let go of', async (seed) => {
    for (const place of [0, 1]) {
      for (const waits of [false, true]) {
        const { world, tabs } = await open(seed, 3);
        const tab = tabs[place];
        const held = [await tab.hold('a', { steal: false }), await tab.hold('b', { steal: false })];
        let sent = 0;
        const next = wait(tab, 'a', undefined, () => {
          sent = tab.posted + tab.sent;
        });
        await world.run(world.time + 50);
        const waiting = tabs[2].ask(waits ? 'b' : 'c');
        await world.run(world.time + 50);
        const before = tab.posted + tab.sent;
        for (const { handle } of held) tab.log.drop(handle);
        await until(world, () => next.told.length, 500);
        assert.ok(next.early);
        assert.equal(sent - before, waits ? 1 : 0);
        await until(world, () => waiting.told === 'granted', 500);
      }
    }
  });

  withSeeds('R21: so it is where the other one has done the same', async (seed) => {
    const { world, tabs: [leader, other] } = await open(seed, 3);
    const held = await other.hold('a', { steal: false });
    /** @type {ReturnType<typeof wait>[]} */
    const requests = [];
    for (const tab of [other, other, leader, leader, other]) {
      const isLast = requests.length === 4;
      const next = wait(tab, 'a', undefined, () => isLast || tab.log.drop(next.request));
      requests.push(next);
      await world.run(world.time + 50);
    }
    const before = [other.sent, leader.posted];
    other.log.drop(held.handle);
    await until(world, () => requests[4].told.length, 500);
    assert.deepEqual([other.sent - before[0], leader.posted - before[1]], [1, 1]);
    assert.deepEqual(requests.map(({ early }) => early), [true, true, true, true, false]);
  });

  withSeeds('R21: a release is sent though what was entered then is held on', async (seed) => {
    const { world, tabs: [, other, third] } = await open(seed, 3);
    const held = await other.hold('a', { steal: false });
    const next = wait(other, 'a');
    await world.run(world.time + 50);
    other.log.drop(held.handle);
    await world.run(world.time + 50);
    assert.ok(next.early);
    assert.deepEqual(third.core.state().held.map(({ number }) => number), [next.request.number]);
  });

  withSeeds('R21: not where another is next or holds too, what is next has no place yet, or a draft asks', async (seed) => {
    const { world, tabs: [leader, other, third] } = await open(seed, 3);
    const own = await other.hold('a', { steal: false });
    const last = wait(other, 'a');
    other.log.drop(own.handle);
    await until(world, () => last.told.length, 500);
    assert.ok(!last.early);

    const held = await other.hold('b');
    const first = third.ask('b');
    await world.run(world.time + 50);
    const second = wait(leader, 'b');
    const behind = wait(other, 'b');
    await world.run(world.time + 50);
    other.log.drop(held.handle);
    await until(world, () => first.told === 'granted', 500);
    third.log.drop(first.handle);
    await until(world, () => second.told.length, 500);
    assert.ok(second.early);
    assert.deepEqual(behind.told, []);
    leader.log.drop(second.request);
    await until(world, () => behind.told.length, 500);
    assert.ok(!behind.early);

    const readers = [await other.hold('c', { mode: 'shared' }), await third.hold('c', { mode: 'shared' })];
    const writer = wait(leader, 'c');
    await world.run(world.time + 50);
    other.log.drop(readers[0].handle);
    await world.run(world.time + 50);
    assert.deepEqual(writer.told, []);
    third.log.drop(readers[1].handle);
    await until(world, () => writer.told.length, 500);
    assert.ok(writer.early);

    const busy = await other.hold('d');
    const once = wait(leader, 'd');
    await world.run(world.time + 50);
    leader.log.request({ names: ['e'], mode: 'exclusive' }, () => {});
    other.log.drop(busy.handle);
    await until(world, () => once.told.length, 500);
    await world.run(world.time + 50);
    assert.deepEqual(once.told, ['granted']);

    for (const tab of [leader, other]) {
      const drafts = await other.hold('f');
      const draft = wait(tab, 'f', {});
      await world.run(world.time + 50);
      other.log.drop(drafts.handle);
      await until(world, () => draft.told.length, 500);
      assert.ok(!draft.early);
      tab.log.drop(draft.request);
    }
  });

  withSeeds('R21: not where somebody whose release would be forced holds it', async (seed) => {
    const { world, tabs: [, other, third] } = await open(seed, 3);
    const held = await third.hold('a');
    const next = wait(other, 'a');
    await world.run(world.time + 50);
    const forced = other.log.forceRelease(['a']);
    await until(world, () => next.told.length, 500);
    assert.ok(!next.early);
    await forced;
    await until(world, () => held.told === 'broken', 500);
  });

  withSeeds('R21: what was entered early is held on with a state that does not show it yet, unless it was stolen', async (seed) => {
    for (const steals of [false, true]) {
      const { world, tabs: [leader, other, third] } = await open(seed, 3);
      const held = await other.hold('a', { steal: false });
      const next = wait(other, 'a');
      await world.run(world.time + 50);
      other.deaf = true;
      const thief = third.ask(steals ? 'a' : 'b', { steal: true });
      await world.run(world.time + 50);
      assert.equal(thief.told, 'granted');
      other.deaf = false;
      // Its release is lost, and the next entry shows the gap.
      other.dumb = true;
      other.log.drop(held.handle);
      await until(world, () => next.told.length, 500);
      assert.ok(next.early);
      leader.log.drop((await leader.hold('c')).handle);
      await world.run(world.time + 100);
      other.dumb = false;
      await world.run(world.time + 3000);
      assert.deepEqual(next.told, steals ? ['granted', 'broken'] : ['granted']);
      const { held: holders, pending } = leader.core.state();
      assert.deepEqual(holders.map(({ names }) => names[0]), steals ? ['a'] : ['b', 'a']);
      assert.equal(holders.find(({ names }) => names[0] === 'a')?.client, (steals ? third : other).log.clientId());
      assert.deepEqual(pending, []);
    }
  });

  withSeeds('R21: what was entered early, and is void, is held on, unless it is stolen: then it ends everywhere', async (seed) => {
    for (const steals of [false, true]) {
      const { world, tabs: [leader, other, third] } = await open(seed, 3);
      if (!world.oneOrder) continue;
      const held = await other.hold('a', { steal: false });
      const readers = [0, 1].map(() => wait(leader, 'a', { mode: 'shared', steal: false }));
      await world.run(world.time + 50);
      leader.mute = true;
      other.log.drop(held.handle);
      await until(world, () => readers.every(({ told }) => told.length), 500);
      assert.ok(readers.every(({ early }) => early));
      leader.context.freeze('all');
      // Its release reaches no leader before somebody has stolen.
      if (steals) other.context.freeze('all');
      const thief = third.ask(steals ? 'a' : 'b', { steal: true });
      await until(world, () => thief.told === 'granted', 3000);
      leader.context.thaw();
      other.context.thaw();
      leader.mute = false;
      await world.run(world.time + 2000);
      for (const { told } of readers) assert.deepEqual(told, steals ? ['granted', 'broken'] : ['granted']);
      assert.ok(third.leads || other.leads);
      const { held: holders, pending } = third.core.state();
      assert.deepEqual(pending, []);
      const [own, thiefs] = [leader, third].map(({ log }) => log.clientId());
      assert.deepEqual(holders.filter(({ names }) => names[0] === 'a').map(({ client }) => client), steals ? [thiefs] : [own, own]);
    }
  });
});
