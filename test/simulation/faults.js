/**
 * The faults of a world. Each world draws its kinds of faults: some have nearly none, and some have a single kind, but often.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('./program.js').Program} Program
 */
import { clearings, pause, stall } from './clearings.js';
import { foreignMessage } from './damage.js';
import { isAwake, isThreadProtected, sameThread } from './keepers.js';

/** Within so many milliseconds, a hidden context with nothing left to do has left. */
const REST = 1100;

/** Whether R15 holds: a hidden member with nothing to do leaves soon, unless it was stopped. @param {Program} program */
const hasLeft = (program) => {
  const { context, simulation, witness, busyAt } = program;
  const { told, toldAt, loop, frozenUntil, brokenUntil, stumbledUntil, throttled } = context;
  // A context that must come back is protected for longer than it needs for that.
  const stopped = Math.max(loop.busyUntil, frozenUntil, brokenUntil, stumbledUntil, witness.disturbed);
  const since = Math.max(toldAt, busyAt, stopped, ...simulation.protection.values());
  const { incomplete, members } = simulation.world.record;
  // While one of these is true, somebody's lock may depend on this context.
  const isNeeded = incomplete || witness.unheard.size > 0 || Object.values(members).some(({ alive }) => !alive);
  // When the faults end, stopped contexts go on at once, so these times say nothing.
  const mayStay = told !== 'hidden' || throttled || simulation.ending || isNeeded || !program.done();
  return mayStay || simulation.world.time - since < REST || !witness.acting;
};

/** @type {Record<string, (simulation: Simulation, program: Program) => void>} */
export const kinds = {
  kill(simulation, program) {
    if (simulation.isProtected(program)) return;
    simulation.note(program.context, 'is killed');
    program.kill();
  },

  /** A page is closed, and its context is told so. */
  close(simulation, program) {
    if (simulation.isProtected(program) || !isAwake(program)) return;
    simulation.note(program.context, 'is closed');
    program.context.tell('over');
    program.kill();
  },

  /** A process is stopped, or a phone sleeps. Nobody is told. */
  stop(simulation, program) {
    if (isThreadProtected(program)) return;
    const milliseconds = simulation.world.between(50, 4000);
    for (const each of sameThread(program)) simulation.freeze(each, 'all', milliseconds);
  },

  stall(simulation, program) {
    if (isThreadProtected(program)) return;
    stall(program, simulation.world.between(10, 2500));
  },

  /** Its page stands in a debugger. Messages that arrive meanwhile are lost, and it does not know before it looks. */
  pause(simulation, program) {
    pause(program, simulation.world.between(5, 1000));
  },

  /** Chromium freezes the page, and mostly tells it. Messages are still delivered to it. */
  freeze(simulation, program) {
    if (!isAwake(program) || isThreadProtected(program)) return;
    const milliseconds = simulation.world.between(50, 4000);
    for (const each of sameThread(program)) {
      if (simulation.world.random() < 0.7) each.context.tell('frozen');
      simulation.freeze(each, 'chromium', milliseconds);
    }
  },

  hide(simulation, program) {
    if (!isAwake(program) || simulation.isRecovering(program)) return;
    simulation.note(program.context, 'is hidden');
    program.mayLose = true;
    program.context.tell('hidden');
    program.later(simulation.world.between(10, 2000), () => {
      if (!hasLeft(program)) simulation.fail(`R15: ${program.log.clientId()} is hidden, has nothing to do, and has not left`);
      program.context.tell('visible');
    });
  },

  /** The page enters the back-forward cache. It comes back, or dies there. */
  away(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    program.mayLose = true;
    simulation.note(program.context, 'goes away');
    program.context.tell('away');
    const { world } = simulation;
    world.at(program.context, world.time, () => {
      if (program.context.frozen || !program.context.alive) return;
      simulation.freeze(program, 'all', world.between(20, 2000));
    });
  },

  storageFails(simulation, program) {
    if (simulation.isProtected(program)) return;
    const milliseconds = simulation.world.between(10, 3000);
    simulation.note(program.context, `has no storage for ${Math.round(milliseconds)}`);
    program.context.brokenUntil = simulation.world.time + milliseconds;
    // Until then, what it posts may be late.
    if (simulation.nature.hasStore) simulation.lastDisturbance = program.context.brokenUntil + 200;
  },

  /**
   * One call of storage fails, or is answered seconds late: a call of this context, or the next one of any. A context that must come back
   * soon is spared what would take too long.
   */
  stumble(simulation, program) {
    const { world } = simulation;
    const calls = /** @type {const} */ (['open', 'show', 'append', 'append', 'append', 'watch', 'post']);
    const call = calls[Math.floor(world.random() * calls.length)];
    const isLate = call === 'watch' || (call !== 'post' && world.random() < 0.5);
    const late = isLate ? world.between(500, 8000) : 0;
    const isAnybodys = world.random() < 0.5;
    /** @param {Program | undefined} caller */
    const mayHappenTo = (caller) => {
      if (!caller || (caller !== program && !isAnybodys)) return false;
      // Others wait a second for a context that has to come back (docs/guarantees.md). Two failures in a row take longer, as does a failure
      // after its thread was busy. So does one failure where timers fire once a minute.
      const { throttled, stumbledUntil } = caller.context;
      const takesLong = simulation.isRecovering(caller) && (throttled || world.time < stumbledUntil);
      return isLate ? !simulation.isProtected(caller) : !takesLong;
    };
    world.storage.stumbles.plan({ call, late, mayHappen: (context) => {
      const mayHappen = mayHappenTo(simulation.programs.find((each) => each.context === context));
      if (mayHappen) simulation.note(context, `${call} ${isLate ? `is late by ${Math.round(late)}` : 'fails once'}`);
      return mayHappen;
    } });
  },

  slowStorage(simulation) {
    simulation.world.slowStorage = simulation.world.random() < 0.5 ? 1 : simulation.world.between(1, 8);
  },

  outOfMemory(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    simulation.note(program.context, 'will be out of memory');
    program.mayLose = true;
    program.copy.outOfMemory = true;
  },

  ...clearings,

  /** Another library posts on our channel, or posts again, damaged, what it has heard. */
  garbage(simulation) {
    const { world, stranger } = simulation;
    const order = stranger[world.random() < 0.5 ? 0 : 1];
    order.append(foreignMessage(simulation.lastDelivered, world.random));
  },

  /** A frame of the page posts again what it has heard. */
  repeat({ repeater }) {
    if (repeater) repeater.repeat();
  },

  join(simulation) {
    if (simulation.programs.length < 8) simulation.addProgram(0);
  },

  /** A page of another version, as from before or after a deploy. */
  otherVersion(simulation) {
    if (simulation.programs.length < 8) simulation.addProgram(0, 1);
  },

  clockJumps(simulation) {
    simulation.world.wallClockBase += simulation.world.between(-1e6, 1e6);
  },
};

/** Some kinds are rarer or more frequent than others. @type {Record<string, number>} */
const weights = {
  stumble: 3, repeat: 6, wipe: 0.4, wipeAndDie: 0.3, deleteAll: 0.3, closeStorage: 0.4, join: 2, kill: 1.5, outOfMemory: 0.5,
};

/**
 * Kinds that are not drawn, so that other worlds stay what they were. A world's nature says whether it has them.
 * @type {Record<string, 'closesAndDies' | 'stumbles' | 'repeats' | 'pausesAndWipes' | 'wipesTwice'>}
 */
const traits = {
  closeAndDie: 'closesAndDies', stumble: 'stumbles', repeat: 'repeats', pause: 'pausesAndWipes', wipeAfterPause: 'pausesAndWipes',
  wipeInPause: 'pausesAndWipes', wipeTwice: 'wipesTwice',
};

/** Whether such a fault deletes the register. Then nothing remembers the last log. @param {string} kind */
const forgets = (kind) => /^wipe|^delete/.test(kind);

/** Now and then a context cannot read some messages. @param {Simulation} simulation @param {number} until */
const planMisses = ({ world, programs }, until) => {
  for (let left = world.between(1, 8); left > 0; left--) {
    world.at(undefined, world.between(0, until), () => {
      const { context } = programs[Math.floor(world.random() * programs.length)];
      context.misses = Math.ceil(world.random() * 3);
    });
  }
};

/** Now and then a page stands in a debugger, and what arrives meanwhile is lost. @param {Simulation} simulation @param {number} until */
const planPauses = ({ world, programs }, until) => {
  for (let left = world.between(1, 8); left > 0; left--) {
    world.at(undefined, world.between(0, until), () => {
      programs[Math.floor(world.random() * programs.length)].context.pause(world.between(5, 1000));
    });
  }
};

/**
 * Draws the world's faults and lets them happen until [until].
 * @param {Simulation} simulation
 * @param {number} until
 * @param {string[]} [only] these kinds, instead of drawn ones
 */
export const plan = (simulation, until, only) => {
  const { world } = simulation;
  if (simulation.nature.misses) planMisses(simulation, until);
  if (simulation.nature.pauses) planPauses(simulation, until);
  const drawn = Object.keys(kinds).filter((kind) => kind in traits ? simulation.nature[traits[kind]] : world.random() < 0.3);
  // A context that is paused while data is cleared or connections are closed may lose its locks (docs/guarantees.md).
  const chosen = (only || drawn).filter((kind) => !simulation.nature.pauses || !/^(wipe|delete|close)/.test(kind));
  // Where contexts make their orders differently, a newcomer of the other kind does not hear the members that have lost the register.
  // Where the register forgets, nothing tells a page of another version that a log still lives.
  const remembers = chosen.filter((kind) => !simulation.nature.isMixed || !forgets(kind));
  const fitting = remembers.filter((kind) => !remembers.some(forgets) || kind !== 'otherVersion');
  simulation.faults = fitting;
  // If a clock goes back and the register forgets, nothing makes sure that fences grow.
  simulation.checker.forgetsFences = (simulation.nature.clocks || fitting.includes('clockJumps')) && fitting.some(forgets);
  for (const kind of fitting) {
    const count = Math.round(world.between(0, 6) * (weights[kind] || 1) + (weights[kind] < 1 ? 0.4 : 0));
    for (let each = 0; each < count; each++) {
      world.at(undefined, world.between(0, until), () => {
        const living = simulation.programs.filter(({ context }) => context.alive);
        if (living.length) kinds[kind](simulation, living[Math.floor(world.random() * living.length)]);
      });
    }
  }
};
