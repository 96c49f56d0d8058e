/**
 * Exact schedules for processes that tell each other. The writer stops, or is killed, right after its entry is in the journal and
 * before it could tell the others. The processes that the entry concerns must still know at once.
 */
import assert from 'node:assert';
import { AT_ONCE, LONG, diesBeforeLease, lastsHalfASecond, schedulesOf } from './stage.js';

/** @type {Record<string, (stage: import('./stage.js').Stage) => Promise<void>>} */
const plays = {
  async 'a holder stops right after its release: the next has the lock'(stage) {
    const { a, held, next } = await stage.startWaiting();
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a holder is slow after it has rung, releases, and stops right then: the next has the lock'(stage) {
    const { a, held, next } = await stage.startWaiting();
    a.isSlow();
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a holder is slow after it has rung, and is killed right after its release: the next has the lock'(stage) {
    const { a, held, next } = await stage.startWaiting();
    a.isSlow();
    a.afterNext('kill');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a holder has rung, finds the disk full, writes later, and stops right then: the next has the lock'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    const next = b.ask('x');
    await stage.pass(LONG);
    a.context.beforeNext = () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    };
    held.drop();
    await stage.pass(10);
    // A waiter checks whether it may sleep again.
    c.ask('y').drop();
    await stage.pass(250);
    a.context.beforeNext = undefined;
    a.afterNext('halt');
    await stage.pass(100);
    assert.deepStrictEqual(next.happened, ['granted']);
  },

  async 'a process that aborts before it has registered, and asks again, registers: it is told'(stage) {
    const [a, b] = await stage.startAll(2);
    const held = a.ask('x');
    await stage.pass(10);
    const first = b.ask('x');
    await stage.pass(5);
    first.drop();
    await stage.pass(100);
    const next = b.ask('x');
    await stage.pass(LONG);
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a holder has rung while nobody waited, and writes later: who has asked again has the lock'(stage) {
    const { a, b, held, next } = await stage.startWaiting();
    next.drop();
    await stage.pass(LONG);
    a.context.beforeNext = () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    };
    held.drop();
    await stage.pass(8);
    const again = b.ask('x');
    await stage.pass(250);
    a.context.beforeNext = undefined;
    a.afterNext('halt');
    await stage.pass(100);
    assert.deepStrictEqual(again.happened, ['granted']);
  },

  async 'a process that leaves and comes back registers again with a holder that had promised it a ring: it is told'(stage) {
    const { a, b, held } = await stage.startWaiting();
    b.leave();
    await stage.pass(LONG);
    const next = b.ask('x');
    await stage.pass(LONG);
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a thief is slow after it has announced the steal, steals, and stops right then: the holder is told'(stage) {
    const [a, b] = await stage.startAll(2);
    const held = a.ask('x');
    await stage.pass(LONG);
    b.isSlow();
    b.afterNext('halt');
    b.ask('x', { steal: true });
    await stage.isTold(held, 'granted,broken');
  },

  async 'a holder is killed right after its release: the next has the lock'(stage) {
    const { a, held, next } = await stage.startWaiting();
    a.afterNext('kill');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a process for which the kernel rings is not made deaf by some entries each second'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    // The holder promises nothing, so the kernel rings for every entry.
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    for (let each = 0; each < 12; each++) {
      c.ask('y').drop();
      await stage.pass(50);
    }
    c.ask('y').drop();
    await stage.pass(4);
    a.afterNext('halt');
    a.goOn();
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a release rings only for the process that it concerns'(stage) {
    const [a, b, c, d] = await stage.startAll(4);
    const held = a.ask('x');
    await stage.pass(10);
    b.ask('x');
    await stage.pass(10);
    c.ask('x');
    d.ask('y');
    await stage.pass(LONG);
    const reads = [b, c, d].map(({ context }) => context.reads);
    held.drop();
    await stage.pass(10);
    a.ask('z').drop();
    await stage.pass(LONG / 4);
    const after = [b, c, d].map(({ context }, index) => context.reads > reads[index]);
    assert.deepStrictEqual(after, [true, false, false]);
  },

  async 'where sixteen take turns, a turn wakes the processes that it concerns, and not all'(stage) {
    const all = (await stage.startAll(16)).map((process) => ({ process, asked: process.ask('x') }));
    const countReads = () => all.reduce((sum, { process }) => sum + process.context.reads, 0);
    let reads = 0;
    await stage.pass(AT_ONCE);
    for (let turn = 0; turn < 4 * all.length; turn++) {
      if (turn === 2 * all.length) reads = countReads();
      const holder = all.find(({ asked }) => asked.happened.length);
      assert.ok(holder, 'no process has the lock');
      const { process, asked } = holder;
      // The holder asks for its next turn during its present one.
      holder.asked = process.ask('x');
      await stage.pass(1);
      asked.drop();
      await stage.pass(AT_ONCE);
    }
    const each = (countReads() - reads) / (2 * all.length);
    assert.ok(each < 10, `${each} reads a turn`);
  },

  async 'a process that no longer holds or waits reads nothing, and sleeps when it holds again'(stage) {
    const [a, b, c] = await stage.startAll(3);
    a.ask('x');
    await stage.pass(10);
    // The holder promises nothing, so the kernel rings for every entry.
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    next.drop();
    await stage.pass(LONG);
    let before = b.context.reads;
    c.ask('y', { steal: true }).drop();
    await stage.pass(LONG);
    assert.strictEqual(b.context.reads, before, 'there is nothing that could concern it');
    b.ask('z');
    await stage.pass(2);
    before = b.context.reads;
    c.ask('y').drop();
    await stage.pass(10);
    assert.strictEqual(b.context.reads, before, 'no process rings for it');
  },

  async 'a waiter that holds a lock with a lease of its own sleeps'(stage) {
    const [a, b, c] = await stage.startAll(3);
    a.ask('x');
    await stage.pass(10);
    b.ask('y', { hold: 1e6 });
    b.ask('x');
    await stage.pass(LONG);
    const { reads } = b.context;
    c.ask('z').drop();
    await stage.pass(10);
    assert.strictEqual(b.context.reads, reads);
  },

  async 'a holder stops right after its release: all that wait to share the lock have it'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    const sharing = [b, c].map((each) => each.ask('x', { mode: 'shared' }));
    await stage.pass(LONG);
    a.afterNext('halt');
    held.drop();
    await stage.pass(AT_ONCE);
    assert.deepStrictEqual(sharing.map(({ happened }) => happened.join()), ['granted', 'granted']);
  },

  async 'a waiter was told of one release, and has no time to register for the next: it is still rung for'(stage) {
    const { a, b, held, next } = await stage.startWaiting();
    held.drop();
    await stage.isTold(next, 'granted');
    next.drop();
    await stage.pass(10);
    const again = a.ask('x');
    await stage.pass(10);
    const last = b.ask('x');
    await stage.pass(2);
    again.drop();
    await stage.isTold(last, 'granted');
  },

  async 'a waiter in the middle aborts and stops: the one behind it is next, and is told'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    const middle = b.ask('x');
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    b.afterNext('halt');
    middle.drop();
    await stage.pass(LONG);
    a.afterNext('halt');
    held.drop();
    await stage.isTold(last, 'granted');
  },

  async 'a thief stops right after the steal: the holder is told'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    b.ask('x');
    await stage.pass(LONG);
    c.afterNext('halt');
    c.ask('x', { steal: true });
    await stage.isTold(held, 'granted,broken');
  },

  async 'a thief is killed right after the steal, and the kernel rings for the waiter anyway: the waiter soon finds out'(stage) {
    const [a, b, c, d] = await stage.startAll(4);
    a.ask('x');
    // While there is a lease, the kernel rings for every entry, and waiters look for the dead every 200 milliseconds.
    d.ask('y', { hold: 1e6 });
    await stage.pass(10);
    const next = b.ask('x');
    await stage.pass(LONG);
    const before = b.context.reads;
    while (b.context.reads === before) await stage.pass(1);
    c.afterNext('kill');
    c.ask('x', { steal: true });
    await stage.pass(100);
    assert.deepStrictEqual(next.happened, ['granted']);
  },

  async 'a process stops right after it has written of a death: all that waited for the dead go on'(stage) {
    const [a, b, c] = await stage.startAll(3);
    a.ask('x');
    a.ask('y');
    await stage.pass(10);
    b.ask('x');
    await stage.pass(LONG);
    const last = c.ask('y');
    await stage.pass(LONG);
    b.afterNext('halt');
    stage.simulation.kill(a.context);
    await stage.isTold(last, 'granted');
  },

  async 'a holder is stopped before it can promise, then releases and stops: the next has the lock'(stage) {
    const [a, b] = await stage.startAll(2);
    const held = a.ask('x');
    await stage.pass(10);
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    a.afterNext('halt');
    a.goOn();
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'and where the next has just asked for another lock, whose holder has yet to promise'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    c.ask('y');
    await stage.pass(10);
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    c.stop();
    b.ask('y');
    // By then it has checked whether it may sleep.
    await stage.pass(60);
    a.afterNext('halt');
    a.goOn();
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a process for which the kernel rings asks for a lock of a dead holder, whose death is still unknown: it soon has the lock'(stage) {
    const [a, b, c] = await stage.startAll(3);
    a.ask('x');
    c.ask('y');
    await stage.pass(10);
    a.stop();
    b.ask('x');
    await stage.pass(LONG);
    c.kill();
    // Right after it has checked whether it may sleep.
    const { reads } = b.context;
    while (b.context.reads === reads) await stage.pass(1);
    const asked = b.ask('y');
    await stage.pass(100);
    assert.deepStrictEqual(asked.happened, ['granted']);
  },

  async 'the lease of a stopped holder runs out while the next sleeps: the next has the lock'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    b.ask('x', { hold: 500 });
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    b.stop();
    held.drop();
    await stage.pass(500);
    await stage.isTold(last, 'granted');
  },

  async 'a waiter without a promise reads seldom while others write all the time, and at once when they rest'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    const before = b.context.reads;
    for (let each = 0; each < 500; each++) {
      c.ask('other').drop();
      await stage.pass(2);
    }
    const reads = b.context.reads - before;
    assert.ok(reads > 5 && reads < 50, `it has read ${reads} times`);
    await stage.pass(LONG);
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'several die one after the other before a waiter comes: it finds out about all of them'(stage) {
    const all = await stage.startAll(6);
    for (const each of all) {
      each.ask('x', { hold: 1e6 });
      await stage.pass(1);
      each.kill();
    }
    const last = stage.start();
    const asked = last.ask('x');
    await stage.pass(60 * all.length);
    assert.deepStrictEqual(asked.happened, ['granted']);
  },

  async 'a holder dies while the next, which has a lease, is stopped: the one behind has the lock after that lease'(stage) {
    await diesBeforeLease(stage, 'x');
  },

  async 'and where the next waits for several names, and no other process waits for the dead'(stage) {
    await diesBeforeLease(stage, 'y');
  },

  async 'a lease counts from its grant, although nothing was written for long'(stage) {
    const [a, b] = await stage.startAll(2);
    a.ask('x');
    await stage.pass(10);
    const next = b.ask('x', { hold: 500 });
    await stage.pass(60000);
    a.kill();
    await lastsHalfASecond(stage, next);
  },

  async 'a lease counts from its grant, although the releasing process was busy and has not read of it'(stage) {
    const [a, b] = await stage.startAll(2);
    const held = a.ask('x');
    await stage.pass(10);
    a.stop();
    const next = b.ask('x', { hold: 500 });
    await stage.pass(60000);
    held.drop();
    await lastsHalfASecond(stage, next);
  },

  async 'a holder stops right after it has written that it leaves: the next has the lock'(stage) {
    const { a, next } = await stage.startWaiting();
    a.afterNext('halt');
    a.leave();
    await stage.isTold(next, 'granted');
  },

  async 'a holder writes that it leaves right after the end of a file: the next has the lock, though it watches no process yet'(stage) {
    const [a, b] = await stage.startAll(2);
    a.ask('x');
    await stage.pass(10);
    const next = b.ask('x');
    await stage.pass(2);
    a.beforeNext(() => stage.endFile());
    a.leave();
    await stage.isTold(next, 'granted');
  },

  async 'a process writes of a death right after the end of a file: the next has the lock'(stage) {
    const { a, b, next } = await stage.startWaiting();
    b.beforeNext(() => stage.endFile());
    a.kill();
    await stage.isTold(next, 'granted');
  },

  async 'a waiter takes another lock all the time while the holder dies: it has the lock'(stage) {
    const [a, b] = await stage.startAll(2);
    a.ask('x');
    await stage.pass(10);
    const next = b.ask('x');
    for (let each = 0; each < 150; each++) {
      if (each === 60) a.kill();
      b.ask('y').drop();
      await stage.pass(5);
    }
    await stage.isTold(next, 'granted');
  },

  async 'a connection ends, then the holder releases and stops: the next has the lock'(stage) {
    const { a, held, next } = await stage.startWaiting();
    stage.simulation.bells.cutAll();
    await stage.pass(20);
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },

  async 'a late promise counts: the next sleeps, and is told'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    a.stop();
    const next = b.ask('x');
    await stage.pass(LONG);
    a.goOn();
    await stage.pass(LONG);
    const before = b.context.reads;
    c.ask('other').drop();
    await stage.pass(20);
    assert.strictEqual(b.context.reads, before, 'it sleeps');
    a.afterNext('halt');
    held.drop();
    await stage.isTold(next, 'granted');
  },
};

export const schedules = schedulesOf(plays, true);
