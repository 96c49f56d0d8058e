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
    // Where somebody has removed or emptied it (./damaged.js), this thread begins no other.
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

/** A thread takes the lock that somebody has requested whose sign of life was removed. @param {import('./stage.js').Stage} stage */
const deceive = async (stage) => {
  const alone = await startAlone(stage);
  alone.beforeNext(intrude(stage).requestLock);
  const held = alone.ask('x');
  await stage.isTold(held, 'granted');
  return { alone, held };
};

/** @type {Record<string, (stage: import('./stage.js').Stage) => Promise<void>>} */
const plays = {
  async 'who is alone reads nothing that it has written'(stage) {
    const alone = await startAlone(stage);
    const { reads } = alone.context;
    const asked = alone.ask('x');
    await stage.isTold(asked, 'granted');
    asked.drop();
    await stage.isTold(alone.ask('x'), 'granted');
    assert.strictEqual(alone.context.reads, reads);
  },

  async 'who is alone writes marks and begins new files, and loses nothing by that'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('held');
    const [journal] = stage.simulation.journals;
    for (let count = 0; count < 60; count++) {
      alone.ask('x').drop();
      await stage.pass(15);
      // Every line that it writes, it takes: otherwise it would think that somebody else has written.
      assert.strictEqual(journal.position(), statSync(journal.path()).size);
      // So that it looks again after each of its lines, at some time.
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

  async 'another thread comes, and requests the lock right before it does'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(() => {
      const other = intrude(stage);
      other.come();
      other.requestLock();
    });
    await stage.isTold(alone.ask('x'), '');
  },

  async 'another thread was announced before it, and writes afterwards'(stage) {
    const other = intrude(stage);
    other.come();
    const alone = await startAlone(stage);
    await stage.pass(2000);
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'another thread is announced right after it has looked who lives, and writes afterwards'(stage) {
    const alone = await startAlone(stage);
    const other = intrude(stage);
    await stage.pass(2000);
    alone.afterLook(other.come);
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'who has come writes once more, and nobody is announced again'(stage) {
    const alone = await startAlone(stage);
    const other = intrude(stage);
    other.come();
    await warmUp(stage, alone);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'it counts as gone right when it looks who lives: it comes again'(stage) {
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.afterLook(() => intrude(stage).bury(alone.client()));
    await stage.isTold(alone.ask('x'), 'granted');
  },

  async 'another member counts it as gone right when it looks who lives: it comes again'(stage) {
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

  async 'a member whose sign of life somebody has removed may write all the same'(stage) {
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

  async 'somebody writes whose sign of life was removed: it learns of that within a second'(stage) {
    const { alone, held } = await deceive(stage);
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'somebody writes whose sign of life was removed: it learns of that, though it writes a mark within that second'(stage) {
    const { alone, held } = await deceive(stage);
    for (let count = 0; count < 20; count++) {
      alone.ask('y').drop();
      await stage.pass(1);
    }
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'somebody writes whose sign of life was removed: it learns of that, though a third thread comes within that second'(stage) {
    const { alone, held } = await deceive(stage);
    await warmUp(stage, stage.start());
    await warmUp(stage, alone);
    await stage.pass(1000);
    alone.ask('warm up').drop();
    await stage.isTold(held, 'granted,lost');
  },

  async 'a line that was written in part only: what follows it counts for all'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(fillDisk);
    const asked = alone.ask('x');
    await stage.pass(2000);
    await isTaken(stage, stage.start(), ['x']);
    await stage.pass(2000);
    alone.ask('warm up').drop();
    await stage.isTold(asked, 'granted');
  },

  async 'a line that was written in two attempts: its writer knows where it ends'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(() => halveWrites());
    await stage.isTold(alone.ask('x'), 'granted');
    const [journal] = stage.simulation.journals;
    assert.strictEqual(journal.position(), statSync(journal.path()).size);
    const [broken, whole] = readFileSync(journal.path(), 'utf8').trimEnd().split('\n').slice(-2);
    assert.ok(whole.startsWith(broken), `it was written once more: ${broken}`);
  },

  async 'a line that was written in part only, and another one before it is tried again'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(fillDisk);
    const asked = [alone.ask('x')];
    await stage.pass(10);
    asked.push(alone.ask('y'));
    await stage.pass(2000);
    await isTaken(stage, stage.start(), ['x', 'y']);
    for (const each of asked) await stage.isTold(each, 'granted');
  },

  async 'somebody ends in the middle of a line right before it looks who lives'(stage) {
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.afterLook(() => appendFileSync(stage.simulation.journals[0].path(), '["oth'));
    await warmUp(stage, alone);
    alone.ask('x');
    await stage.pass(20);
    await isTaken(stage, stage.start(), ['x']);
  },

  async 'who has left hears nothing any more, also if it was not yet a member'(stage) {
    const [alone, late] = [await startAlone(stage), stage.start()];
    late.ask('x');
    [alone, late].forEach((each) => each.leave());
    await stage.pass(20);
    assert.strictEqual(stage.simulation.heard.size, 0);
  },

  async 'its journal was removed, and others have begun a new one: it comes to them, and is not alone there'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('held');
    await stage.pass(2000);
    rmSync(join(stage.simulation.directory, 'log'), { recursive: true });
    const other = stage.start();
    other.ask('warm up').drop();
    // Until it touches its files. Those that it finds are not its own.
    await stage.pass(12.5 * HOUR);
    assert.deepStrictEqual([held.happened, alone.context.touched], [['granted', 'lost'], undefined]);
    await stage.isTold(other.ask('x'), 'granted');
    await isTaken(stage, alone, ['x']);
  },

  async 'twice a day it touches the files that it uses, so that nobody takes them for forgotten ones'(stage) {
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

  async 'its files cannot be touched: it tells who waits, and nothing else happens'(stage) {
    const alone = await startAlone(stage);
    const held = alone.ask('x');
    await stage.pass(20);
    const refuse = failing('EPERM', 'not permitted');
    await untilSettled('utimesSync', refuse, () => stage.pass(12 * HOUR));
    assert.deepStrictEqual(held.happened, ['granted', 'lost']);
    await stage.isTold(alone.ask('x'), 'granted');
  },

  async 'who has left looks after the journal no more, and begins no other where it was removed'(stage) {
    const alone = await startAlone(stage);
    alone.leave();
    const folder = join(stage.simulation.directory, 'log');
    rmSync(folder, { recursive: true });
    await stage.pass(25 * HOUR);
    assert.strictEqual(existsSync(folder), false);
  },

  async 'somebody empties the file: it learns of that, however much it writes there'(stage) {
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

  async 'somebody empties the file, and a newcomer fills it again: it learns of that'(stage) {
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
