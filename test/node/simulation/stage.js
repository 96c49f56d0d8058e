/**
 * The stage of exact schedules: simulated processes or threads, each of which does what it is told to.
 *
 * @typedef {import('./simulation.js').Options['createLog']} CreateLog
 */
import assert from 'node:assert';
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NodeSimulation } from './simulation.js';

/** Milliseconds after which a waiter sleeps, whatever happened before. */
export const LONG = 2000;
/** And within which a waiter must have been told. */
export const AT_ONCE = 15;

export class Stage {
  /**
   * @param {CreateLog} createLog
   * @param {boolean} processes or threads
   * @param {Partial<import('./simulation.js').Options>} [options] of its world
   */
  constructor(createLog, processes, options) {
    this.simulation = new NodeSimulation({ seed: 1, processes, faults: [], createLog, ...options });
    this.time = 0;
  }

  /** @param {number} milliseconds */
  pass(milliseconds) {
    this.time += milliseconds;
    return this.simulation.advance(this.time);
  }

  start() {
    const program = this.simulation.addVisitor();
    const process = {
      context: program.context,
      client: () => program.log.clientId(),
      /** @param {string} name @param {any} [options] */
      ask(name, options) {
        const happened = /** @type {string[]} */ ([]);
        const handle = program.log.request({ names: [name], mode: 'exclusive', ...options }, (outcome) => void happened.push(outcome));
        return { happened, drop: () => program.log.drop(handle) };
      },
      leave: () => program.log.leave(),
      kill: () => this.simulation.kill(program.context),
      stop: () => this.simulation.freeze(program, 'all', 1e6),
      goOn: () => this.simulation.thaw(program),
      /** @param {'halt' | 'kill'} what happens right after its next entry */
      afterNext: (what) => void (program.context.afterNext = what),
      /** @param {() => void} callback runs right before its next entry */
      beforeNext: (callback) => void (program.context.beforeNext = () => {
        program.context.beforeNext = undefined;
        callback();
      }),
      /** It is slow right before its next entry: others hear first what it has said. */
      isSlow: () => process.beforeNext(() => this.simulation.bells.deliverNow()),
      /** @param {() => void} callback runs right after its next look for signs of life */
      afterLook: (callback) => void (program.context.afterLook = () => {
        program.context.afterLook = undefined;
        callback();
      }),
    };
    return process;
  }

  /** So many contexts, in a journal with a full first file: that file is then touched only for alarms. @param {number} count */
  async startAll(count) {
    const all = Array.from({ length: count }, () => this.start());
    for (let round = 0; round < 8; round++) {
      for (const each of all) {
        each.ask('warm up').drop();
        await this.pass(20);
      }
    }
    await this.pass(LONG);
    return all;
  }

  /** Two processes: [a] holds, and [b], which sleeps by then, is the next. */
  async startWaiting() {
    const [a, b] = await this.startAll(2);
    const held = a.ask('x');
    await this.pass(10);
    const next = b.ask('x');
    await this.pass(LONG);
    return { a, b, held, next };
  }

  /** Ends the file that is being written. */
  endFile() {
    const [journal] = this.simulation.journals.filter((each) => each.number()).sort((one, other) => other.number() - one.number());
    if (!journal) return;
    const path = journal.path();
    const next = `${journal.number() + 1}-next`;
    appendFileSync(join(dirname(path), next), '');
    appendFileSync(path, `${JSON.stringify({ close: next })}\n`);
  }

  /** @param {{happened: string[]}} asked @param {string} expected */
  async isTold(asked, expected) {
    await this.pass(AT_ONCE);
    assert.strictEqual(asked.happened.join(), expected);
  }
}

/**
 * Its lease of 500 ms began with its grant, just now.
 * @param {Stage} stage @param {{happened: string[]}} next
 */
export const lastsHalfASecond = async (stage, next) => {
  await stage.pass(400);
  assert.deepStrictEqual(next.happened, ['granted']);
  await stage.pass(200);
  assert.deepStrictEqual(next.happened, ['granted', 'expired']);
};

/**
 * [a] holds, [b] is next with a lease, and [c] waits behind them. [b] stops, so only [c] can notice that [a] dies.
 * @param {Stage} stage @param {string} name that [a] holds; [b] waits for this name and for x
 */
export const diesBeforeLease = async (stage, name) => {
  const [a, b, c] = await stage.startAll(3);
  a.ask(name);
  await stage.pass(10);
  b.ask('x', { names: [...new Set(['x', name])], hold: 500 });
  await stage.pass(10);
  const last = c.ask('x');
  await stage.pass(LONG);
  b.stop();
  a.kill();
  await stage.pass(490);
  assert.deepStrictEqual(last.happened, []);
  await stage.pass(510);
  assert.deepStrictEqual(last.happened, ['granted']);
};

/**
 * @typedef {(stage: Stage) => Promise<void>} Play
 * @typedef {((createLog?: CreateLog) => Promise<void>) & {play: Play, processes: boolean}} Schedule [play]: what it plays, on any stage
 *
 * @param {Record<string, Play>} plays by title
 * @param {boolean} processes or threads
 * @returns {Record<string, Schedule>} by title
 */
export const schedulesOf = (plays, processes) => {
  /** @param {Play} play @returns {Schedule} */
  const prepare = (play) => Object.assign(async (/** @type {CreateLog} */ createLog) => {
    const stage = new Stage(createLog, processes);
    try {
      await play(stage);
    } finally {
      stage.simulation.clear();
    }
  }, { play, processes });
  return Object.fromEntries(Object.entries(plays).map(([title, play]) => [title, prepare(play)]));
};
