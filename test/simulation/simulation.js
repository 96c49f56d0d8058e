/**
 * One world from one seed: contexts with the real log and a real core, what their users do, what goes wrong, and the checks.
 */
import { fromMessage } from '../../glue/log/messages.js';
import { VISIBLE } from '../../glue/platform/lifecycle.js';
import { World } from '../../glue/platform/simulated.js';
import { Checker, Violation } from './checker.js';
import { plan } from './faults.js';
import { Program } from './program.js';

/**
 * @typedef {import('../../glue/core/types.js').Core} Core
 * @typedef {typeof import('../../glue/log/log.js').createLog} CreateLog
 *
 * @typedef {object} Options
 * @property {number} seed
 * @property {CreateLog} createLog
 * @property {CreateLog} [createOtherLog] of another version of the protocol; without it, the same
 * @property {() => Core} createCore
 * @property {(core: Core) => void} [recycle] takes the cores back when the world has ended
 * @property {string[]} [faults] these kinds and no others, instead of drawn ones
 * @property {boolean} [trace] note everything that happens
 */

/** So long, after the faults, may it take until all that was asked for has ended. */
const PATIENCE = 60000;
/**
 * And so long where the leader has just been stopped: about 2 seconds until it is deposed, and as much for whoever joins anew meanwhile.
 */
const IMPATIENCE = 4000;

export class Simulation {
  /** @param {Options} options */
  constructor({ seed, createLog, createOtherLog, createCore, faults, trace = false }) {
    /** What a context of the one version runs, and what one of the other. */
    this.logs = [createLog, createOtherLog || createLog];
    this.onlyFaults = faults;
    /** @type {Core[]} */
    this.cores = [];
    this.createCore = () => {
      const core = createCore();
      this.cores.push(core);
      return core;
    };
    this.world = new World({ seed, oneOrder: seed % 4 !== 3, timersEarly: seed % 5 === 2 ? 1 : 0 });
    /** Whether users who let go at once often ask for the same again. */
    this.repeats = seed % 6 === 4;
    this.checker = new Checker();
    /** @type {string[] | undefined} */
    this.notes = trace ? [] : undefined;
    /** @type {Program[]} */
    this.programs = [];
    /** The faults are over; and whoever asks now lets go at once. */
    this.ending = this.closing = false;
    this.wiped = false;
    /** @type {string[]} */
    this.faults = [];
    /** @type {any} */
    this.lastMessage = undefined;
    this.stranger = this.world.createContext().place.openChannel((message) => {
      if (fromMessage(message).length) this.lastMessage = message;
    }, () => {}, () => {});
    /** @type {Map<Program, number>} until when nothing must stop it */
    this.protection = new Map();
  }

  /** @param {Program['context'] | undefined} context @param {string} text */
  note(context, text) {
    if (this.notes) this.notes.push(`${this.world.time.toFixed(1).padStart(8)} ${context ? context.id : '-'} ${text}`);
  }

  /** @param {Program['context']} context @returns {import('../../glue/platform/place.js').Place} */
  tracedPlace(context) {
    if (!this.notes) return context.place;
    /** @param {any} message */
    const print = (message) => typeof message === 'string' ? message
      : JSON.stringify(message, (key, value) => (value instanceof Uint8Array ? `${value.byteLength} bytes` : value)) || '';
    /** @param {(message: any) => void} listener @returns {(message: any) => void} */
    const traced = (listener) => (message) => {
      this.note(context, `< ${print(message).slice(0, 300)}`);
      listener(message);
    };
    return {
      ...context.place,
      openChannel: (onLog, onOperations, onGap) => {
        const channel = context.place.openChannel(traced(onLog), traced(onOperations), onGap);
        return { ...channel, postLog: (message) => {
          const [, kind, ...values] = typeof message === 'string' ? JSON.parse(message) : message;
          this.note(context, `> ${kind} ${values.filter((/** @type {any} */ value) => typeof value === 'number').join(' ')}`);
          channel.postLog(message);
        } };
      },
      watchAlive: (name, onDeath) => context.place.watchAlive(name, () => {
        this.note(context, `sees the death of ${name}`);
        onDeath();
      }),
      warn: (text) => this.note(context, text),
    };
  }

  /** @param {number} delay until its user begins @param {number} [version] */
  addProgram(delay, version = 0) {
    const program = new Program(this, this.world.createContext(), version);
    this.programs.push(program);
    const actions = Math.floor(this.world.between(2, 14));
    program.later(delay, () => program.run(actions));
  }

  /** @param {Program} program @param {number} milliseconds */
  protect(program, milliseconds) {
    this.protection.set(program, program.context.frozen ? Infinity : this.world.time + milliseconds);
    program.context.promptUntil = this.protection.get(program) || 0;
  }

  /** @param {Program} program */
  isProtected(program) {
    return this.world.time < (this.protection.get(program) || 0);
  }

  /** @param {Program} program @param {'all' | 'chromium'} way @param {number} milliseconds */
  freeze(program, way, milliseconds) {
    const { context } = program;
    if (!context.alive || context.frozen || this.isProtected(program)) return;
    this.note(context, `is frozen (${way}) for ${Math.round(milliseconds)}`);
    context.freeze(way);
    this.world.at(undefined, this.world.time + milliseconds, () => this.thaw(program));
  }

  /** @param {Program} program */
  thaw(program) {
    const { context } = program;
    if (!context.frozen || !context.alive) return;
    this.note(context, 'is thawed');
    context.tell(VISIBLE);
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

  /** @param {number} until */
  async advance(until) {
    const { checker, world } = this;
    await world.run(until, () => {
      if (checker.violation) throw checker.violation;
    });
  }

  /** The faults are over: whatever was asked for must end. */
  async end() {
    const { world } = this;
    this.note(undefined, 'the faults are over');
    this.ending = true;
    world.slowStorage = 1;
    for (const program of this.programs) {
      program.context.brokenUntil = program.context.busyUntil = 0;
      program.copy.outOfMemory = false;
      program.context.catchUp();
      this.thaw(program);
      program.finish();
    }
    await this.settle('hangs', PATIENCE);
    await this.endOneVersion();
    // What was let go of last is still on its way.
    await this.advance(world.time + 3000);
    this.closing = true;
    const stopped = this.stopOne();
    for (const program of this.inPower()) {
      if (program.context.alive && program !== stopped) program.request({ names: ['a', 'b', 'c', 'd'], mode: 'exclusive', hold: 1000 });
    }
    await this.settle('cannot be served in the end', stopped ? IMPATIENCE : PATIENCE);
  }

  /** Who runs the version that the register has. */
  inPower() {
    const version = this.world.record && this.world.record.protocol === 2 ? 1 : 0;
    return this.programs.filter((program) => program.version === version);
  }

  /** Pages of another version wait until the last one of this has been closed, and are served then. */
  async endOneVersion() {
    if (this.programs.every((program) => program.done())) return;
    this.note(undefined, 'the version in power ends');
    for (const program of this.inPower()) {
      program.context.kill();
      program.died();
    }
    await this.settle('of another version hangs', PATIENCE);
  }

  /**
   * Where silence is no reason to wait: one context that holds nothing, the leader if possible, stops for ever or dies while another
   * one with state goes on.
   */
  stopOne() {
    const { world } = this;
    const members = this.inPower().filter(({ copy }) => copy.lives() && copy.isMember());
    if (!world.oneOrder || members.length < 2 || world.random() < 0.5) return undefined;
    const stopped = members.find(({ log }) => world.record && world.record.leader === log.clientId()) || members[0];
    const dies = world.random() < 0.3;
    this.note(stopped.context, dies ? 'dies in the end' : 'stops for ever');
    if (dies) stopped.context.kill();
    else stopped.context.freeze('all');
    return stopped;
  }

  /** @param {string} complaint @param {number} patience */
  async settle(complaint, patience) {
    const { world } = this;
    const deadline = world.time + patience;
    for (;;) {
      const program = this.inPower().find((each) => !each.done());
      if (!program) return;
      if (world.time > deadline) {
        const asked = [...program.asked][0];
        this.fail(`L1: ${asked ? `${program.key(asked)}, ${asked.state},` : `a query of ${program.log.clientId()}`} ${complaint}`);
      }
      await this.advance(world.time + 100);
    }
  }
}

/** What was thrown where nobody waited for it. @type {unknown} */
let unhandled;
process.on('unhandledRejection', (error) => {
  unhandled = unhandled || error;
});

/**
 * Throws a Violation that says everything where something is wrong.
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
      // eslint-disable-next-line no-unsafe-finally -- whatever else went wrong follows from it
      if (error) throw error;
    }
  } catch (error) {
    if (options.trace) {
      const notes = /** @type {string[]} */ (simulation.notes);
      const { message } = /** @type {any} */ (error);
      const lines = [`seed ${options.seed}: ${message}`, `faults: ${simulation.faults.join(' ')}`, ...notes];
      throw new Violation(lines.join('\n'), { cause: error });
    }
    throw new Violation(`seed ${options.seed}: ${/** @type {any} */ (error).message}`, { cause: error });
  }
  return simulation;
};
