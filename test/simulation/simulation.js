/**
 * One world from one seed: contexts with the real log and a real core, what their users do, what goes wrong, and the checks.
 */
import { createNature } from './nature.js';
import { Checker } from './checker.js';
import { endWorld } from './ending.js';
import { plan } from './faults.js';
import { othersKeep } from './keepers.js';
import { Violation } from './ledger.js';
import { Program } from './program.js';
import { Repeater } from './repeater.js';

/**
 * @typedef {import('../../glue/core/types.js').Core} Core
 * @typedef {typeof import('../../glue/log/log.js').createLog} CreateLog
 *
 * @typedef {object} Options
 * @property {number} seed
 * @property {CreateLog} createLog
 * @property {CreateLog} [createOtherLog] of another version of the protocol; by default createLog
 * @property {() => Core} createCore
 * @property {(core: Core) => void} [recycle] takes the cores back when the world has ended
 * @property {string[]} [faults] these kinds and no others, instead of drawn ones
 * @property {boolean} [trace] note everything that happens
 */

export class Simulation {
  /** @param {Options} options */
  constructor({ seed, createLog, createOtherLog, createCore, faults, trace = false }) {
    /** The logs of the two versions; each context runs one of them. */
    this.logs = [createLog, createOtherLog || createLog];
    this.onlyFaults = faults;
    /** @type {Core[]} */
    this.cores = [];
    this.createCore = () => {
      const core = createCore();
      this.cores.push(core);
      return core;
    };
    this.nature = createNature(seed);
    this.world = this.nature.world;
    /** Whether users often ask again for a lock that they have just released. */
    this.repeats = seed % 6 === 4;
    this.checker = new Checker();
    /**
     * Where current copies stand at each index of an order, one place for each log.
     * @type {Record<string, import('./ledger.js').Place[][]>}
     */
    this.places = { broadcast: [], store: [] };
    /** @type {string[] | undefined} */
    this.notes = trace ? [] : undefined;
    /** @type {Program[]} */
    this.programs = [];
    /** Logs that were withdrawn (D11). @type {Set<string>} */
    this.withdrawn = new Set();
    /** Those of them whose writers did so before they were delivered their own `begin`. @type {Set<string>} */
    this.takenBack = new Set();
    /** [ending]: the faults are over; [closing]: and each lock is released as soon as it is granted. */
    this.ending = this.closing = false;
    /** The number of requests by contexts that share a thread. */
    this.calls = 0;
    /** When something last happened that may delay everybody. */
    this.lastDisturbance = 0;
    /** @type {string[]} */
    this.faults = [];
    /** @type {any} the last message that was delivered to anybody */
    this.lastDelivered = undefined;
    const stranger = this.world.createContext();
    this.stranger = [this.world.kind, 'broadcast'].map((kind) => stranger.openOrder(/** @type {any} */ (kind), () => {}, () => {}));
    this.repeater = this.nature.repeats ? new Repeater(this, stranger, this.nature.orders) : undefined;
    /** The clients whose `gone` was posted. @type {Set<string>} */
    this.gone = new Set();
    /** @type {Map<Program, number>} until when it must not be stopped */
    this.protection = new Map();
  }

  /** @param {Program['context'] | undefined} context @param {string} text */
  note(context, text) {
    if (this.notes) this.notes.push(`${this.world.time.toFixed(1).padStart(8)} ${context ? context.id : '-'} ${text}`);
  }

  /** @param {Program} program @returns {import('../../glue/platform/place.js').Place} */
  placeFor(program) {
    return program.witness.place;
  }

  /** @param {number} delay until its user begins @param {number} [version] */
  addProgram(delay, version = 0) {
    const program = new Program(this, this.nature.createContext(this.programs), version);
    this.programs.push(program);
    const actions = Math.floor(this.world.between(2, 14));
    program.later(delay, () => program.run(actions));
  }

  /** Adds a context that comes at the end of the world. */
  addVisitor() {
    const program = new Program(this, this.world.createContext(), 0);
    this.programs.push(program);
    return program;
  }

  /** @param {Program} program @param {number} milliseconds */
  protect(program, milliseconds) {
    this.protection.set(program, program.context.frozen ? Infinity : this.world.time + milliseconds);
    program.context.promptUntil = this.protection.get(program) || 0;
  }

  /** Whether it has just lost its storage, and must come back. @param {Program} program */
  isRecovering(program) {
    return this.world.time < (this.protection.get(program) || 0);
  }

  /** Whether it must not be stopped now. @param {Program} program */
  isProtected(program) {
    return this.isRecovering(program) || this.isLastKeeper(program);
  }

  /**
   * Whether it alone keeps the state, while another context has been frozen since everybody lost their storage, or while a page is still
   * deleting all databases. If it stopped then, nobody would tell newcomers that a log lives.
   * @param {Program} program
   */
  isLastKeeper(program) {
    const sleeps = this.programs.some((each) =>
      each !== program && each.context.alive && each.context.frozen && this.protection.get(each) === Infinity);
    return (sleeps || !!this.world.storage.deletion) && program.copy.lives() && program.copy.isMember() && !othersKeep(program);
  }

  /** A member must be delivered its own messages within so many milliseconds. @param {Program} program */
  promptness({ context }) {
    return (this.nature.hasStore ? 150 : 40) * context.lag;
  }

  /** Whether its messages may be delivered later than that now. @param {Program} program */
  isSlow({ context }) {
    const { world } = this;
    return context.brokenUntil > world.time || (this.nature.hasStore && (world.holdsUp > 0 || !!world.storage.deletion));
  }

  /** @param {Program} program @param {'all' | 'chromium'} way @param {number} milliseconds */
  freeze(program, way, milliseconds) {
    const { context } = program;
    if (!context.alive || context.frozen || this.isProtected(program)) return;
    this.note(context, `is frozen (${way}) for ${Math.round(milliseconds)}`);
    context.freeze(way, milliseconds);
    this.world.at(undefined, this.world.time + milliseconds, () => this.thaw(program));
  }

  /** @param {Program} program */
  thaw(program) {
    const { context } = program;
    if (!context.frozen || !context.alive) return;
    this.note(context, 'is thawed');
    context.tell('visible');
    context.thaw();
    if (this.isProtected(program)) this.protect(program, 2000);
  }

  /** @param {string} text @returns {never} */
  fail(text) {
    return this.checker.fail(text);
  }

  async run() {
    const { world } = this;
    const until = world.between(500, 5000);
    const first = Math.floor(world.between(1, 5));
    for (let each = 0; each < first; each++) this.addProgram(each && world.random() < 0.5 ? world.between(0, until) : 0);
    plan(this, until, this.onlyFaults);
    await this.advance(until);
    await this.end();
  }

  /** The faults are over. Everything that was asked for must end. */
  end() {
    return endWorld(this);
  }

  /** @param {number} until */
  async advance(until) {
    const { checker, world } = this;
    await world.run(until, () => {
      if (checker.violation) throw checker.violation;
    });
  }
}

/** The first rejection that nobody has handled. @type {unknown} */
let unhandled;
process.on('unhandledRejection', (error) => {
  unhandled = unhandled || error;
});

/**
 * Runs one world. If something is wrong, it throws a Violation; with [trace], that lists everything that has happened.
 * @param {Options} options
 * @returns {Promise<Simulation>}
 */
export const simulate = async (options) => {
  const simulation = new Simulation(options);
  try {
    try {
      await simulation.run();
    } finally {
      // Now the process learns of rejections that nobody has handled.
      await new Promise((resolve) => setImmediate(resolve));
      const error = simulation.checker.violation || unhandled;
      if (options.recycle) simulation.cores.forEach(options.recycle);
      unhandled = undefined;
      // eslint-disable-next-line no-unsafe-finally -- all other errors follow from it
      if (error) throw error;
    }
  } catch (error) {
    if (options.trace) {
      const notes = /** @type {string[]} */ (simulation.notes);
      const { message } = /** @type {any} */ (error);
      const lines = [`seed ${options.seed}: ${message}`, `${simulation.nature.text}; faults: ${simulation.faults.join(' ')}`, ...notes];
      throw new Violation(lines.join('\n'), { cause: error });
    }
    throw new Violation(`seed ${options.seed}: ${/** @type {any} */ (error).message}`, { cause: error });
  }
  return simulation;
};
