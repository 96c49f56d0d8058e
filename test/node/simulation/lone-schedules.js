/** Exact schedules for a thread that is alone, and so takes its own lines without reading them (glue/platform/node/solitude.js). */
import assert from 'node:assert';
import { createJournal } from '../../../glue/platform/node/journal.js';
import { arrivalsAmong } from '../arrivals.js';
import { schedulesOf } from './stage.js';
import { fillDisk } from './system-calls.js';

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
  return {
    showLife: () => simulation.lives.begin('other', undefined),
    announce: () => arrivalsAmong(simulation.heard, 'other').announce(),
    requestLock() {
      journal.open();
      journal.append({ by: 'other', operations: [
        { type: 'join', client: 'other', number: 1 },
        { type: 'request', client: 'other', number: 2, names: ['x'], mode: 'exclusive' },
      ] });
    },
  };
};

/** A thread that is alone. @param {import('./stage.js').Stage} stage */
const startAlone = async (stage) => {
  const alone = stage.start();
  alone.ask('warm up').drop();
  await stage.pass(20);
  return alone;
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

  async 'another thread comes, and requests the lock right before it does'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(() => {
      const other = intrude(stage);
      other.showLife();
      other.announce();
      other.requestLock();
    });
    await stage.isTold(alone.ask('x'), '');
  },

  async 'another thread was announced before it, and writes afterwards'(stage) {
    const other = intrude(stage);
    other.showLife();
    other.announce();
    const alone = await startAlone(stage);
    await stage.pass(2000);
    alone.ask('warm up').drop();
    await stage.pass(20);
    alone.beforeNext(other.requestLock);
    await stage.isTold(alone.ask('x'), '');
  },

  async 'a line that was written in part only: what follows it counts for all'(stage) {
    const alone = await startAlone(stage);
    alone.beforeNext(fillDisk);
    const asked = alone.ask('x');
    await stage.pass(2000);
    assert.deepStrictEqual(asked.happened, ['granted']);
    const other = stage.start();
    await stage.isTold(other.ask('x', { ifAvailable: true }), 'unavailable');
  },
};

export const loneSchedules = schedulesOf(plays, false);
