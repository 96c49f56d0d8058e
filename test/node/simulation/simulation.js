/**
 * Worlds from seeds for the log of threads and processes. Its journal is the real one, in files. Lives, rings, time, and the points at
 * which contexts end are simulated. Programs and checks are those of test/simulation.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournal } from '../../../glue/platform/node/journal.js';
import { createSharedLog } from '../../../glue/platform/node/log.js';
import { createCore } from '../../simulation/core.js';
import { kinds } from '../../simulation/faults.js';
import { Simulation } from '../../simulation/simulation.js';
import { arrivalsAmong } from '../arrivals.js';
import { createLives } from './lives.js';
import { watchLiveness } from './liveness.js';
import { createProcessBells } from './process-bell.js';
import { disturb } from './system-calls.js';
import { createThreadBells } from './thread-bell.js';

/**
 * @typedef {object} Options
 * @property {number} seed
 * @property {boolean} [trace] note everything that happens
 * @property {string[]} [faults] these kinds and no others, instead of drawn ones
 * @property {boolean} [processes] processes, or threads, instead of drawn ones
 * @property {boolean} [failing] system calls fail, and contexts end at any of them
 * @property {boolean} [crowd] there are many, and they do much
 * @property {boolean} [plain] no steals, forced releases or time limits: then processes that wait sleep most of the time
 * @property {typeof createSharedLog} [createLog]
 */

/** What can go wrong among threads and processes. */
const FAULTS = ['kill', 'killInside', 'stop', 'stopInside', 'stall', 'cut', 'join', 'outOfMemory'];
/** Those that may happen many times in a world. */
const OFTEN = ['killInside', 'stopInside'];

export class NodeSimulation extends Simulation {
  /** @param {Options} options */
  constructor({ seed, trace, faults, processes = seed % 2 === 1, crowd = seed % 3 === 0, plain = seed % 5 < 2,
    failing = !faults && seed % 7 === 3, createLog = createSharedLog }) {
    super({ seed, trace, faults, createCore, createLog: /** @type {any} */ ((context, open) => this.openLog(context, open)) });
    this.seed = seed;
    this.createSharedLog = createLog;
    this.crowd = crowd;
    this.plain = plain;
    // Each has a thread of its own. In one thread, one program may hear of a grant some promise jobs before the other hears of the steal.
    this.nature.createContext = () => this.world.createContext();
    this.directory = mkdtempSync(join(tmpdir(), 'lockkeeper-simulation-'));
    /** Whether they are processes, and not threads. */
    this.processes = processes;
    /** @type {any} */
    this.bells = processes ? createProcessBells(this) : createThreadBells(this);
    this.lives = createLives(this);
    /** Whether nothing goes wrong, so that every waiter must be told at once. */
    this.calm = faults ? !faults.length : seed % 8 < 2;
    this.failing = failing && !this.calm;
    /** Then one system call in so many fails, or is its context's last. */
    this.seldom = 30;
    /** Whether signs of life cannot be made now and then, nor looked at. */
    this.lacksDescriptors = false;
    /** The chance that a context ends at a point inside its own doing, and that it stops right after it has written. */
    this.suddenness = this.halts = 0;
    /** @type {Map<string, any>} snapshots, by their bytes as text: a file keeps nothing else of them */
    this.snapshots = new Map();
    /** @type {Map<number, any>} by fence */
    this.emptied = new Map();
    /** By context that hears announcements, whether there was one. @type {Map<any, boolean>} */
    this.heard = new Map();
    /** @type {import('../../../glue/platform/node/types.js').Journal[]} */
    this.journals = [];
  }

  /** @param {number} delay until its user begins */
  addProgram(delay) {
    super.addProgram(delay);
    const program = this.programs[this.programs.length - 1];
    if (this.crowd) program.later(delay, () => program.run(30));
    if (!this.plain) return;
    const draw = program.drawRequest.bind(program);
    program.drawRequest = () => {
      const { names, mode, steal, ifAvailable } = draw();
      return { names, mode, ifAvailable: steal || ifAvailable };
    };
    program.act = () => (program.random() < 0.9 ? program.request(program.drawRequest()) : program.abort());
  }

  placeFor({ context }) {
    return context;
  }

  /** @param {any} context */
  kill(context) {
    if (!context.alive) return;
    this.note(context, 'ends');
    context.kill();
    this.programs.find((program) => program.context === context)?.died();
    this.bells.died(context);
    this.lives.died(context);
  }

  /** A point at which a context may end. @param {any} context @returns {boolean} whether it goes on */
  survives(context) {
    if (context.alive && this.world.random() < this.suddenness) this.kill(context);
    return context.alive;
  }

  /** @param {any} context */
  mustSurvive(context) {
    if (!this.survives(context)) throw Object.assign(new Error('dead'), { syscall: 'dead', code: 'EIO' });
  }

  openLog(context, open) {
    const copy = () => this.programs.find((program) => program.context === context)?.copy;
    const log = this.createSharedLog(this.surroundings(context), () => this.remember(open(), copy));
    return {
      ...log,
      // A context that has ended inside its own doing is told nothing more.
      request: (description, listener) => log.request(description, (outcome, fence) => context.alive && listener(outcome, fence)),
    };
  }

  /**
   * What [core] becomes by the same bytes, or emptied with the same fence, is the same place for the checker.
   * @param {any} core
   * @param {() => any} copy
   */
  remember(core, copy) {
    const text = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('base64');
    return {
      ...core,
      snapshot: () => {
        const bytes = core.snapshot();
        this.snapshots.set(text(bytes), bytes);
        return bytes;
      },
      reset: (/** @type {number} */ fence) => {
        core.reset(fence);
        const known = this.emptied.get(fence) || copy().place;
        this.emptied.set(fence, known);
        copy().place = known;
      },
      restore: (/** @type {Uint8Array} */ bytes) => core.restore(this.snapshots.get(text(bytes)) || bytes),
    };
  }

  journalFor(context, parts) {
    const journal = createJournal({
      ...parts,
      directory: () => this.directory,
      sizes: { first: 300, next: 2000, marks: 400 },
      snapshot: () => {
        this.mustSurvive(context);
        return parts.snapshot();
      },
    });
    this.journals.push(journal);
    if (this.failing) disturb(this, context, journal);
    return {
      ...journal,
      append: (record) => {
        this.mustSurvive(context);
        context.beforeNext?.();
        this.note(context, `> ${JSON.stringify(record).slice(0, 1500)}`);
        // If it goes on in the same task, it has not stopped before.
        this.sendAll(context);
        try {
          journal.append(record);
        } finally {
          this.bells.written(journal.path() === journal.firstPath());
        }
        const next = context.afterNext;
        context.afterNext = undefined;
        if (next === 'halt' || (this.processes && context.alive && this.world.random() < this.halts)) this.halt(context);
        if (next === 'kill') this.kill(context);
        else this.survives(context);
      },
      read: () => {
        context.reads = (context.reads || 0) + 1;
        if (context.alive) journal.read();
      },
      takeLast: () => context.alive && journal.takeLast(),
      tidy: () => context.alive && journal.tidy(),
    };
  }

  /** It stops right after it has written, before it can tell the others. @param {any} context */
  halt(context) {
    const program = this.programs.find((each) => each.context === context);
    if (!program || context.frozen) return;
    this.freeze(program, 'all', this.world.between(50, 4000));
    context.unsent = [];
  }

  /** What [context] sends to others is sent at once, or once it goes on. @param {any} context @param {() => void} send */
  bySender(context, send) {
    if (context.unsent) context.unsent.push(send);
    else send();
  }

  /** @param {any} context */
  sendAll(context) {
    const { unsent = [] } = context;
    context.unsent = undefined;
    unsent.forEach((/** @type {() => void} */ send) => send());
  }

  thaw(program) {
    super.thaw(program);
    this.sendAll(program.context);
  }

  surroundings(context) {
    const { world } = this;
    context.listening = 1;
    return {
      prepare: () => {},
      createJournal: (parts) => this.journalFor(context, parts),
      life: this.lives.lifeFor(context),
      bell: this.bells.bellFor(context),
      arrivals: this.processes ? undefined : arrivalsAmong(this.heard, context),
      now: () => world.time,
      wallClock: () => Math.floor(world.wallClockBase + world.time),
      randomId: context.place.randomId,
      setTimer: context.place.setTimer,
      afterTask: (callback) => world.after(context, 0, 0.02, callback),
      defer: (callback) => void Promise.resolve().then(() => context.alive && callback()),
      warn: (text) => this.note(context, text),
      keepAlive: true,
    };
  }

  plan(until) {
    const { world } = this;
    const drawn = FAULTS.filter((kind) => world.random() < 0.5 && (!this.calm || kind === 'join'));
    const chosen = this.onlyFaults || drawn;
    this.faults = chosen;
    for (const kind of chosen) {
      if (kind === 'killInside') this.suddenness = 10 ** -world.between(1, 3);
      if (kind === 'stopInside') this.halts = 10 ** -world.between(0.5, 2);
      for (let left = OFTEN.includes(kind) ? 0 : Math.round(world.between(0, 8)); left; left--) {
        world.at(undefined, world.between(0, until), () => {
          const living = this.programs.filter(({ context }) => context.alive);
          if (!living.length) return;
          const program = living[Math.floor(world.random() * living.length)];
          if (kind === 'kill') this.kill(program.context);
          else if (kind === 'cut') this.bells.cutAny();
          else kinds[kind](this, program);
        });
      }
    }
  }

  async run() {
    const { world } = this;
    const until = world.between(500, 4000);
    const first = this.crowd ? 6 : Math.floor(world.between(1, 6));
    for (let each = 0; each < first; each++) this.addProgram(each && world.random() < 0.5 ? world.between(0, until) : 0);
    this.plan(until);
    watchLiveness(this, createCore());
    await this.advance(until);
    this.suddenness = this.halts = 0;
    await this.end();
  }

  clear() {
    for (const journal of this.journals) journal.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Throws an error that says everything where something is wrong. @param {NodeSimulation} simulation @param {() => Promise<void>} run */
export const perform = async (simulation, run) => {
  let /** @type {any} */ failure;
  const notice = (/** @type {unknown} */ error) => {
    failure = failure || error;
  };
  process.on('unhandledRejection', notice);
  try {
    await run();
  } catch (error) {
    failure = failure || error;
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', notice);
  simulation.clear();
  failure = simulation.checker.violation || failure;
  if (!failure) return;
  const lines = [`seed ${simulation.seed}: ${failure.message}`, `faults: ${simulation.faults.join(' ')}`, ...(simulation.notes || [])];
  throw new Error(lines.join('\n'), { cause: failure });
};

/** @param {Options} options @returns {Promise<NodeSimulation>} */
export const simulate = async (options) => {
  const simulation = new NodeSimulation(options);
  await perform(simulation, () => simulation.run());
  return simulation;
};
