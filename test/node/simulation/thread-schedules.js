/** Exact schedules for threads: a waiter hears only of what concerns it, and nothing watches the journal's file for it. */
import assert from 'node:assert';
import { AT_ONCE, LONG, diesBeforeLease, schedulesOf } from './stage.js';
import { halveWrites } from './system-calls.js';

/** @type {Record<string, (stage: import('./stage.js').Stage) => Promise<void>>} */
const plays = {
  async 'a lease that begins while others wait ends, though its holder is busy'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    const leased = b.ask('x', { hold: 500 });
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    held.drop();
    await stage.isTold(leased, 'granted');
    b.stop();
    await stage.pass(480);
    assert.deepStrictEqual(last.happened, []);
    await stage.pass(30);
    assert.deepStrictEqual(last.happened, ['granted']);
  },

  async 'a lease ends, though its holder was busy when it began'(stage) {
    const [a, b, c] = await stage.startAll(3);
    const held = a.ask('x');
    await stage.pass(10);
    b.ask('x', { hold: 500 });
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    b.stop();
    held.drop();
    await stage.pass(510);
    assert.deepStrictEqual(last.happened, ['granted']);
  },

  async 'a holder dies while the next, which has a lease, is busy: the one behind has the lock after that lease'(stage) {
    await diesBeforeLease(stage, 'x');
  },

  async 'and where the next waits for several names, and no other thread waits for the dead'(stage) {
    await diesBeforeLease(stage, 'y');
  },

  async 'a thief is slow before it writes, and is terminated right after the steal: the holder is told'(stage) {
    const [holder, thief] = await stage.startAll(2);
    const held = holder.ask('x');
    await stage.pass(LONG);
    // The holder hears of the coming steal, and reads before it is written.
    thief.isSlow();
    thief.afterNext('kill');
    thief.ask('x', { steal: true });
    await stage.isTold(held, 'granted,broken');
  },

  async 'a holder joined before the file with which the next in line has begun, and dies: the next has the lock'(stage) {
    const [holder] = await stage.startAll(1);
    holder.ask('x');
    await stage.pass(LONG);
    const next = stage.start().ask('x');
    await stage.pass(LONG);
    holder.kill();
    await stage.isTold(next, 'granted');
  },

  async 'a busy thread is granted a lock, and the file with the grant is removed: it has the lock once it goes on'(stage) {
    const [holder, busy] = await stage.startAll(2);
    const held = holder.ask('x');
    await stage.pass(10);
    const next = busy.ask('x');
    await stage.pass(LONG);
    busy.stop();
    const [journal] = stage.simulation.journals;
    const goOn = async (/** @type {number} */ files) => {
      const end = journal.number() + files;
      for (let count = 0; journal.number() < end && count < 500; count++) {
        holder.ask('y').drop();
        await stage.pass(1);
      }
      assert.strictEqual(journal.number(), end);
    };
    await goOn(1);
    held.drop();
    await goOn(2);
    busy.goOn();
    await stage.isTold(next, 'granted');
    next.drop();
    await stage.isTold(holder.ask('x'), 'granted');
  },

  async 'a thread that loses a lock and is granted another at once is told of both'(stage) {
    const [a, b] = await stage.startAll(2);
    const released = a.ask('x');
    const stolen = b.ask('y');
    await stage.pass(10);
    const next = b.ask('x');
    await stage.pass(LONG);
    a.ask('y', { steal: true });
    released.drop();
    await stage.pass(AT_ONCE);
    assert.deepStrictEqual([stolen.happened, next.happened], [['granted', 'broken'], ['granted']]);
  },

  async 'a wait in the middle runs out, and its thread is busy since: the one behind has the lock when the holder dies'(stage) {
    const [a, b, c] = await stage.startAll(3);
    a.ask('x');
    await stage.pass(10);
    const middle = b.ask('x', { wait: 500 });
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    assert.deepStrictEqual(middle.happened, ['expired']);
    b.stop();
    a.kill();
    await stage.isTold(last, 'granted');
  },

  async 'a waiter in the middle is busy, and is taken for dead: the one behind has the lock when the holder dies'(stage) {
    const [a, b, c, d] = await stage.startAll(4);
    a.ask('x');
    await stage.pass(10);
    b.ask('x');
    await stage.pass(10);
    const last = c.ask('x');
    await stage.pass(LONG);
    b.stop();
    // As a cleaner of temporary files may.
    stage.simulation.lives.remove(b.client());
    // The fourth checks whether the contexts before it live.
    await stage.isTold(d.ask('x', { ifAvailable: true }), 'unavailable');
    await stage.pass(LONG);
    a.kill();
    await stage.isTold(last, 'granted');
  },

  async 'a request for a lock that another thread holds is written before the task goes on'(stage) {
    const [first, second, asker] = await stage.startAll(3);
    const held = first.ask('x');
    await stage.pass(LONG);
    held.drop();
    const now = second.ask('x');
    await stage.pass(LONG);
    // The asker has not read since the first one held the lock.
    let written = 0;
    asker.beforeNext(() => written++);
    const asked = asker.ask('x');
    assert.strictEqual(written, 1);
    now.drop();
    const again = second.ask('x');
    await stage.isTold(asked, 'granted');
    assert.deepStrictEqual(again.happened, []);
    // A request for its own lock, or for a free one, is written later.
    asker.beforeNext(() => written++);
    for (const name of ['x', 'y', 'z']) asker.ask(name);
    assert.strictEqual(written, 1);
    await stage.pass(LONG);
    assert.strictEqual(written, 2);
  },

  async 'a line of which only a part can be written, twice, is written again later, as on a full disk'(stage) {
    const [a] = await stage.startAll(1);
    a.beforeNext(() => halveWrites(2));
    const asked = a.ask('x');
    await stage.pass(50);
    assert.deepStrictEqual(asked.happened, []);
    await stage.pass(LONG);
    assert.deepStrictEqual(asked.happened, ['granted']);
  },

  async 'an ifAvailable request is not refused because of a writer that died while it waited'(stage) {
    const [reader, writer, another] = await stage.startAll(3);
    reader.ask('x', { mode: 'shared' });
    await stage.pass(10);
    writer.ask('x');
    await stage.pass(LONG);
    writer.kill();
    await stage.pass(LONG);
    await stage.isTold(another.ask('x', { mode: 'shared', ifAvailable: true }), 'granted');
  },

  async 'a waiter writes a death once'(stage) {
    const [holder, next] = await stage.startAll(2);
    holder.ask('x');
    await stage.pass(10);
    const asked = next.ask('x');
    await stage.pass(LONG);
    let written = 0;
    const count = () => {
      written++;
      next.beforeNext(count);
    };
    next.beforeNext(count);
    holder.kill();
    await stage.isTold(asked, 'granted');
    assert.strictEqual(written, 1);
  },

  async 'a busy holder is told once of each request for its lock, whatever else the waiter\'s thread asks for'(stage) {
    const [holder, waiter] = await stage.startAll(2);
    holder.ask('x');
    await stage.pass(LONG);
    holder.stop();
    const { reads } = holder.context;
    for (let request = 0; request < 2; request++) {
      waiter.ask('x');
      for (let count = 0; count < 20; count++) {
        await stage.pass(20);
        waiter.ask('y').drop();
      }
    }
    holder.goOn();
    await stage.pass(AT_ONCE);
    assert.strictEqual(holder.context.reads - reads, 2);
  },

  async 'and of the requests of a waiter that has left and come back, though these have lower numbers'(stage) {
    const [holder, waiter] = await stage.startAll(2);
    holder.ask('x');
    waiter.ask('y').drop();
    waiter.ask('x');
    await stage.pass(LONG);
    waiter.leave();
    await stage.pass(LONG);
    const { reads } = holder.context;
    waiter.ask('x');
    await stage.pass(LONG);
    assert.strictEqual(holder.context.reads - reads, 1);
  },

  async 'a thread that outlives all others is alone again, though nothing waited for them: it does not read what it writes'(stage) {
    const [a, b] = await stage.startAll(2);
    b.kill();
    // It checks once a second whether it is alone.
    for (let count = 0; count < 3; count++) {
      a.ask('y').drop();
      await stage.pass(1000);
    }
    a.ask('y').drop();
    await stage.pass(10);
    const { reads } = a.context;
    await stage.isTold(a.ask('x'), 'granted');
    assert.strictEqual(a.context.reads, reads);
  },
};

export const threadSchedules = schedulesOf(plays, false);
