/**
 * Plays an exact schedule with further faults: it leads to places that random worlds rarely reach. What the schedule asserts no longer
 * counts. What holds in every random world must hold here as well, at every moment and in the end: see ../../simulation/checker.js,
 * ./liveness.js and ../../simulation/ending.js. `npm run test:disturbed-node -- --seeds 20 --from 0` does that with every schedule.
 */
import { createCore } from '../../simulation/core.js';
import { kinds } from '../../simulation/faults.js';
import { createRandom, drawName } from '../../simulation/random.js';
import { watchLiveness } from './liveness.js';
import { perform } from './simulation.js';
import { AT_ONCE, Stage } from './stage.js';
import { heal } from './system-calls.js';

/** The latest time of a fault, in milliseconds; most happen early. */
const LATEST = 6000;
/** Many faults follow one of a process's first DOINGS actions in the schedule, within SOON milliseconds. */
const SOON = 20;
const DOINGS = 8;
/** System calls fail for at most FAILING milliseconds: one in OFTEN. After that, one in NEVER. */
const FAILING = 400;
const OFTEN = 4;
const NEVER = 1e9;
/** A schedule may wait for what does not come now. It is given up after so many steps. */
const STUCK = 5000;

/**
 * Schedules that do not fit: files of the journal are removed or emptied, signs of life are removed, or a living context is buried. Then
 * locks are lost (docs/node.md). Or the disk stays full for longer than ./liveness.js allows, or hours pass, in which it looks too often.
 * @param {import('./stage.js').Schedule} schedule
 */
export const isFit = ({ play }) => !/deceive|rmSync|truncateSync|bury\(|other\.announce|ENOSPC|HOUR|lives\.remove/.test(String(play));

/**
 * Each happens to one context, or to all.
 * @type {Record<string, {weight: number, happens: (stage: DisturbedStage, program: any) => void}>}
 */
const faults = {
  kill: { weight: 16, happens: ({ simulation }, { context }) => simulation.kill(context) },
  'kill others': { weight: 6, happens: (stage, program) => stage.killOthers(program) },
  stop: { weight: 16, happens: ({ simulation }, program) => kinds.stop(simulation, program) },
  'stop for good': { weight: 6, happens: ({ simulation }, program) => simulation.freeze(program, 'all', 1e6) },
  stall: { weight: 12, happens: ({ simulation }, program) => kinds.stall(simulation, program) },
  'stop after writing': { weight: 12, happens: (_, { context }) => void (context.afterNext = 'halt') },
  'die after writing': { weight: 10, happens: (_, { context }) => void (context.afterNext = 'kill') },
  'end of a file': { weight: 10, happens: (stage, { context }) => stage.endFileBefore(context) },
  cut: { weight: 8, happens: ({ simulation }) => simulation.bells.cutAny() },
  join: { weight: 8, happens: (stage) => stage.join() },
  leave: { weight: 4, happens: (_, program) => program.leave() },
  outOfMemory: { weight: 4, happens: ({ simulation }, program) => kinds.outOfMemory(simulation, program) },
  fail: { weight: 10, happens: (stage) => stage.letCallsFail() },
};

/** A stage with more faults than the schedule has. */
export class DisturbedStage extends Stage {
  /** @type {string[]} */
  happened = [];
  /** The names that were asked for. @type {Set<string>} */
  names = new Set(['x']);
  isWarmingUp = false;
  doings = 0;
  steps = 0;

  /**
   * @param {import('./stage.js').CreateLog} createLog
   * @param {boolean} processes or threads
   * @param {number} seed
   * @param {number} many so many faults at most
   * @param {boolean} [trace]
   */
  constructor(createLog, processes, seed, many, trace) {
    const random = createRandom(seed * 7919);
    const drawn = Array.from({ length: Math.ceil(random() * many) }, () => drawName(faults, random));
    super(createLog, processes, { seed, faults: drawn, failing: drawn.includes('fail'), trace });
    this.random = random;
    this.drawn = drawn;
    this.simulation.faults = drawn;
    this.letCallsWork();
    this.watch();
    // Schedules know the journals by their places.
    this.witness = this.simulation.journals.splice(0);
  }

  watch() {
    watchLiveness(this.simulation, createCore());
  }

  /** By the number of an action, the faults soon after it. @type {Map<number, string[]>} */
  due = new Map();

  plan() {
    const { random, simulation: { world } } = this;
    for (const name of this.drawn) {
      const doing = Math.floor(random() * DOINGS);
      if (random() < 0.5) this.due.set(doing, [...this.due.get(doing) || [], name]);
      else world.after(undefined, 0, random() ** 2 * LATEST, () => this.disturb(name));
    }
  }

  /** A process acts, after the preparations. */
  acts() {
    if (this.isWarmingUp) return;
    if (!this.doings) this.plan();
    for (const name of this.due.get(this.doings++) || []) {
      this.simulation.world.after(undefined, 0, this.random() * SOON, () => this.disturb(name));
    }
  }

  /** Whether what has happened explains this error. @type {(error: Error) => boolean} */
  isRight = () => false;

  /** @param {string} name */
  disturb(name) {
    const { simulation } = this;
    const living = simulation.programs.filter(({ context }) => context.alive);
    if (simulation.ending || !living.length) return;
    const program = living[Math.floor(this.random() * living.length)];
    this.happened.push(`${name} (${program.context.id}) at ${simulation.world.time.toFixed(1)}`);
    simulation.note(program.context, `gets a fault: ${name}`);
    faults[name].happens(this, program);
  }

  /** Kills some at once, but not all, since a waiter learns of one death after the other. @param {any} program */
  killOthers(program) {
    const others = this.simulation.programs.filter(({ context }) => context.alive && context !== program.context);
    for (const { context } of others.slice(0, 3)) this.simulation.kill(context);
  }

  /** A context comes that wants what the others want. */
  join() {
    const { simulation } = this;
    simulation.addProgram(0);
    const program = simulation.programs[simulation.programs.length - 1];
    program.drawNames = () => [[...this.names][Math.floor(program.random() * this.names.size)]];
  }

  /** Right before its next entry, which then does not count. @param {any} context */
  endFileBefore(context) {
    context.beforeNext = () => {
      context.beforeNext = undefined;
      this.endFile();
    };
  }

  letCallsFail() {
    Object.assign(this.simulation, { seldom: OFTEN, lacksDescriptors: true });
    this.simulation.world.after(undefined, 0, FAILING, () => this.letCallsWork());
  }

  letCallsWork() {
    Object.assign(this.simulation, { seldom: NEVER, lacksDescriptors: false });
  }

  /** @param {number} milliseconds */
  pass(milliseconds) {
    if (this.steps++ > STUCK) throw new Error('it waits for what does not come');
    return super.pass(milliseconds);
  }

  /** @param {number} count */
  async startAll(count) {
    this.isWarmingUp = true;
    const all = await super.startAll(count);
    this.isWarmingUp = false;
    return all;
  }

  isTold() {
    return this.pass(AT_ONCE);
  }

  start() {
    const process = super.start();
    const { programs } = this.simulation;
    const program = programs[programs.length - 1];
    program.face.canAsk = () => false;
    program.hold = (/** @type {any} */ asked) => this.simulation.ending && program.later(50, () => program.drop(asked));
    return {
      ...process,
      ask: (/** @type {string} */ name, /** @type {any} */ options) => {
        this.acts();
        return this.ask(program, { names: [name], mode: 'exclusive', ...options });
      },
      leave: () => {
        this.acts();
        if (program.context.alive) program.leave();
      },
      kill: () => {
        this.acts();
        process.kill();
      },
      stop: () => {
        this.acts();
        process.stop();
      },
      goOn: () => {
        this.acts();
        process.goOn();
      },
    };
  }

  /** Asks as the program itself would, so that ./liveness.js checks it. @param {any} program @param {any} description */
  ask(program, description) {
    const happened = /** @type {string[]} */ ([]);
    if (!program.context.alive) return { happened, drop() {} };
    for (const name of description.names) this.names.add(name);
    const { log } = program;
    const request = (/** @type {any} */ asked, /** @type {any} */ listener) => log.request(asked, (outcome, fence) => {
      happened.push(outcome);
      listener(outcome, fence);
    });
    program.log = { ...log, request };
    program.request(description);
    program.log = log;
    const asked = [...program.asked].pop();
    return {
      happened,
      drop: () => {
        this.acts();
        if (program.context.alive) program.drop(asked);
      },
    };
  }

  /** @param {import('./stage.js').Play} play */
  async play(play) {
    const { simulation } = this;
    await play(this).catch(() => {});
    if (simulation.checker.violation) return;
    // Faults may be still to come.
    await simulation.advance(Math.max(this.time, simulation.world.time) + this.random() * LATEST);
    this.heal();
    await this.end();
  }

  heal() {
    const { lives, programs } = this.simulation;
    heal();
    this.letCallsWork();
    const nothing = { beforeNext: undefined, afterNext: undefined, afterLook: undefined };
    for (const { context } of programs) Object.assign(context, nothing);
    // The contexts that only the schedule knows.
    lives.died(undefined);
  }

  /** Every request must end, and a late context must be served. */
  end() {
    return this.simulation.end();
  }
}

/**
 * @param {import('./stage.js').Schedule} schedule
 * @param {number} seed
 * @param {{many?: number, trace?: boolean, createLog?: import('./stage.js').CreateLog, SomeStage?: typeof DisturbedStage}} [options]
 *   so many faults at most
 * @returns {Promise<string>} what is wrong, with the faults that have led there; empty if nothing is
 */
export const disturb = async ({ play, processes }, seed, { many = 2, trace, createLog, SomeStage = DisturbedStage } = {}) => {
  // Some schedules for threads are as good for processes, and the other way round.
  const stage = new SomeStage(createLog, seed % 4 ? processes : !processes, seed, many, trace);
  try {
    await perform(stage.simulation, () => stage.play(play));
    return '';
  } catch (error) {
    if (stage.isRight(/** @type {Error} */ (error))) return '';
    return `${/** @type {Error} */ (error).message.split('\n').filter((_, index) => index !== 1).join('\n')}; ${stage.happened.join(', ')}`;
  } finally {
    heal();
    for (const each of stage.witness) each.close();
  }
};
