/** Exact schedules for a thread that is alone, and so takes its own lines without reading them (glue/platform/node/solitude.js). */
import assert from 'node:assert';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createJournal } from '../../../glue/platform/node/journal.js';
import { arrivalsAmong } from '../arrivals.js';
import { failing, untilSettled } from '../system.js';
import { schedulesOf } from './stage.js';
import { fillDisk, halveWrites } from './system-calls.js';

const HOUR = 3600 * 1000;

/** @type {import('../../../glue/core/types.js').Operation} */
const JOIN = { type: 'join', client: 'other', number: 1 };

/**
 * Another thread, step by step. It writes without looking at what others have written.
 * @param {import('./stage.js').Stage} stage
 */
const intrude = ({ simulation }) => {
  const none = () => {};
  const journal = createJournal({
    directory: () => simulation.directory, randomId: () => 'other', snapshot: () => new Uint8Array(), begin: () => new Uint8Array(),
    restore: none, apply: none,
  });
  simulation.journals.push(journal);
  const write = (/** @type {import('../../../glue/core/types.js').Operation[]} */ operations) => {
    // If the file was removed or emptied (./damaged.js), this thread does not begin a new one.
    if (!statSync(join(simulation.directory, 'log', '0'), { throwIfNoEntry: false })?.size) return;
    journal.open();
    journal.append({ by: 'other', operations });
  };
  const announce = () => arrivalsAmong(simulation.heard, 'other').announce();
  return {
    come() {
      simulation.lives.begin('other', undefined);
      announce();
    },
    announce,
    join: () => write([JOIN]),
    bury: (/** @type {string} */ client) => write([{ type: 'gone', client }]),
    requestLock: () => write([JOIN, { type: 'request', client: 'other', number: 2, names: ['x'], mode: 'exclusive' }]),
  };
};

/** @param {import('./stage.js').Stage} stage @param {ReturnType<import('./stage.js').Stage['start']>} thread */
const warmUp = (stage, thread) => {
  thread.ask('warm up').drop();
  return stage.pass(20);
};

/** A thread that is alone. @param {import('./stage.js').Stage} stage */
const startAlone = async (stage) => {
  const alone = stage.start();
  await warmUp(stage, alone);
  return alone;
};

/** @param {import('./stage.js').Stage} stage @param {ReturnType<import('./stage.js').Stage['start']>} thread @param {string[]} names */
const isTaken = async (stage, thread, names) => {
  for (const name of names) await stage.isTold(thread.ask(name, { ifAvailable: true }), 'unavailable');
};

/** This thread takes a lock of a requester whose sign of life was removed. @param {import('./stage.js').Stage} stage */
const deceive = async (stage) => {
  const alone = await startAlone(stage);
  alone.beforeNext(intrude(stage).requestLock);
  const held = alone.ask('x');
  await stage.isTold(held, 'granted');
  return { alone, held };
};

/** @type {Record<string, (stage: import('./stage.js').Stage) => Promise<void>>} */
const plays = {
  async 'a thread that is alone does not read what it has written'(stage) {
    const alone = await startAlone(stage);
    const { reads } = alone.context;
    const asked = alone.ask('x');
    await stage.isTold(asked, 'granted');
    asked.drop();
    await stage.isTold(alone.ask('x'), 'granted');
    assert.strictEqual(alone.context.reads, reads);
  },

  async 'a thread that is alone writes marks and begins new files, and loses nothing by that'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('held');
    const [journal] = stage.simulation.journals;
    for (let count = 0; count < 60; count++) {
      alone.ask('x').drop();
      await stage.pass(15);
      // It takes every line that it writes: otherwise it would believe that another thread has written.
      assert.strictEqual(journal.position(), statSync(journal.path()).size);
      // So that it looks again after each of its lines at some time.
      if (count % 3 === 0) await stage.pass(1000);
    }
    assert.ok(journal.number() > 1);
    assert.strictEqual(held.happened.join(), 'granted');
  },

  async 'a thread shows that it lives, then announces itself, and only then opens the journal'(stage) {
    const { heard, lives, directory } = stage.simulation;
    const thread = stage.start();
    const seen = /** @type {boolean[][]} */ ([]);
    heard.set = (...given) => {
      seen.push([lives.has(thread.client()), existsSync(join(directory, 'log'))]);
      return Map.prototype.set.apply(heard, given);
    };
    await stage.isTold(thread.ask('x'), 'granted');
    assert.deepStrictEqual(seen[0], [true, false]);
  },

  async 'another thread comes, and requests the lock right before this one'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(() => {
      const other = intrude(stage);
      other.come();
      other.requestLock();
    });
    await stage.isTold(alone.ask('x'), '');
  },

  async 'another thread was announced before this one, and writes afterwards'(stage) {
    const other = intrude(stage);
    other.come();
    const alone = await startAlone(stage);
    await stage.pass(2000);
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'another thread is announced right after this one has looked for signs of life, and writes afterwards'(stage) {
    const alone = await startAlone(stage);
    const other = intrude(stage);
    await stage.pass(2000);
    alone.afterLook(other.come);
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'a newcomer writes again, and is not announced again'(stage) {
    const alone = await startAlone(stage);
    const other = intrude(stage);
    other.come();
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'the thread is declared gone right when it looks for signs of life: it comes back'(stage) {
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.afterLook(() => intrude(stage).bury(alone.client()));
    await stage.isTold(alone.ask('x'), 'granted');
  },

  async 'another member declares the thread gone right when it looks for signs of life: it comes back'(stage) {
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.afterLook(() => {
      const other = intrude(stage);
      other.announce();
      other.join();
      other.bury(alone.client());
    });
    const before = alone.client();
    const asked = alone.ask('x');
    await stage.isTold(asked, 'granted');
    assert.notStrictEqual(alone.client(), before);
  },

  async 'a member without its sign of life may still write'(stage) {
    const alone = await startAlone(stage);
    const other = intrude(stage);
    other.announce();
    other.join();
    await stage.pass(2000);
    await warmUp(stage, alone);
    const { reads } = alone.context;
    await stage.isTold(alone.ask('x'), 'granted');
    assert.ok(alone.context.reads > reads);
  },

  async 'a thread without its sign of life writes: this thread learns of it within a second'(stage) {
    const { alone, held } = await deceive(stage);
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'a thread without its sign of life writes: this thread learns of it, though it writes a mark within that second'(stage) {
    const { alone, held } = await deceive(stage);
    for (let count = 0; count < 20; count++) {
      alone.ask('y').drop();
      await stage.pass(1);
    }
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'a thread without its sign of life writes: this thread learns of it, though a third one comes within that second'(stage) {
    const { alone, held } = await deceive(stage);
    await warmUp(stage, stage.start());
    await warmUp(stage, alone);
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'a line was written only in part: what follows it counts for all'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(fillDisk);
    const asked = alone.ask('x');
    await stage.pass(2000);
    await isTaken(stage, stage.start(), ['x']);
    await stage.pass(2000);
    alone.ask('warm up').drop();
    await stage.isTold(asked, 'granted');
  },

  async 'a line was written in two attempts: its writer knows where it ends'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(() => halveWrites());
    await stage.isTold(alone.ask('x'), 'granted');
    const [journal] = stage.simulation.journals;
    assert.strictEqual(journal.position(), statSync(journal.path()).size);
    const [broken, whole] = readFileSync(journal.path(), 'utf8').trimEnd().split('\n').slice(-2);
    assert.ok(whole.startsWith(broken), `it was written once more: ${broken}`);
  },

  async 'a line was written only in part, and another one comes before it is tried again'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(fillDisk);
    const asked = [alone.ask('x')];
    await stage.pass(10);
    asked.push(alone.ask('y'));
    await stage.pass(2000);
    await isTaken(stage, stage.start(), ['x', 'y']);
    for (const each of asked) await stage.isTold(each, 'granted');
  },

  async 'another thread ends in the middle of a line right before this one looks for signs of life'(stage) {
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.afterLook(() => appendFileSync(stage.simulation.journals[0].path(), '["oth'));
    await warmUp(stage, alone);
    alone.ask('x');
    await stage.pass(20);
    await isTaken(stage, stage.start(), ['x']);
  },

  async 'a thread that has left hears nothing more, even if it was not yet a member'(stage) {
    const [alone, late] = [await startAlone(stage), stage.start()];
    late.ask('x');
    [alone, late].forEach((each) => each.leave());
    await stage.pass(20);
    assert.strictEqual(stage.simulation.heard.size, 0);
  },

  async 'its journal was removed, and others have begun a new one: it joins them, and is not alone there'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('held');
    await stage.pass(2000);
    rmSync(join(stage.simulation.directory, 'log'), { recursive: true });
    const other = stage.start();
    other.ask('warm up').drop();
    // Long enough for it to touch its files. Those that it finds are not its own.
    await stage.pass(12.5 * HOUR);
    assert.deepStrictEqual([held.happened, alone.context.touched], [['granted', 'lost'], undefined]);
    await stage.isTold(other.ask('x'), 'granted');
    await isTaken(stage, alone, ['x']);
  },

  async 'it touches the files that it uses twice a day, so that cleaners do not take them for forgotten ones'(stage) {
    const alone = await startAlone(stage);
    for (let count = 0; stage.simulation.journals[0].number() === 0; count++) await warmUp(stage, alone);
    const [journal] = stage.simulation.journals;
    for (let round = 0; round < 3; round++) {
      for (const path of [journal.firstPath(), journal.path()]) utimesSync(path, 1000, 1000);
      alone.context.touched = '';
      await stage.pass(12 * HOUR);
      assert.deepStrictEqual([journal.firstPath(), journal.path()].map((path) => statSync(path).mtimeMs > 1e6), [true, true]);
      assert.strictEqual(alone.context.touched, alone.client());
    }
  },

  async 'its files cannot be touched: it loses its lock, and can ask again'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('x');
    await stage.pass(20);
    const refuse = failing('EPERM', 'not permitted');
    await untilSettled('utimesSync', refuse, () => stage.pass(12 * HOUR));
    assert.deepStrictEqual(held.happened, ['granted', 'lost']);
    await stage.isTold(alone.ask('x'), 'granted');
  },

  async 'a thread that has left does not check the journal, and begins no new one where it was removed'(stage) {
    const alone = await startAlone(stage);
    alone.leave();
    const folder = join(stage.simulation.directory, 'log');
    rmSync(folder, { recursive: true });
    await stage.pass(25 * HOUR);
    assert.strictEqual(existsSync(folder), false);
  },

  async 'the file is emptied: the thread learns of it, however much it writes there'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('held');
    await stage.pass(20);
    const [journal] = stage.simulation.journals;
    const path = journal.path();
    truncateSync(path);
    // Up to the next mark, and a little more.
    for (let count = 0; count < 20 && journal.path() === path; count++) {
      alone.ask('x').drop();
      await stage.pass(1);
    }
    await stage.pass(2000);
    alone.ask('x').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'the file is emptied, and a newcomer fills it again: the thread learns of it'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('x');
    await stage.pass(20);
    const [journal] = stage.simulation.journals;
    const position = journal.position();
    truncateSync(journal.path());
    const late = stage.start();
    await stage.isTold(late.ask('x'), 'granted');
    for (let count = 0; count < 20 && stage.simulation.journals[1].position() <= position; count++) {
      late.ask('y').drop();
      await stage.pass(1);
    }
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },
};

export const loneSchedules = schedulesOf(plays, false);
