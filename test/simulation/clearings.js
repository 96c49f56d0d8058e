/**
 * Faults in which everybody loses storage: the site's data is cleared, or the browser closes all connections.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('./program.js').Program} Program
 */
import { isAwake, isKeeper, isThreadProtected, othersKeep } from './keepers.js';

/** A context that has lost its storage comes back in so many milliseconds. The protocol does not cover what stops it in that time. */
const RECOVERY = 2000;

/** If a message travels for longer than so many milliseconds, newcomers take its listener for a stopped one. */
const PROMPT = 6;

/**
 * Whether everybody can lose storage now. All living contexts must then come back, so nothing may prevent one from doing so. And no death
 * may be unknown: nobody could tell a dead context from a living one.
 * @param {Simulation} simulation
 * @param {Program['context']['loop']} [paused] this thread may be busy
 */
const canLose = ({ world, programs }, paused) => {
  const living = programs.filter(({ context }) => context.alive);
  const cannotCome = living.some(({ context: { frozen, loop, brokenUntil } }) =>
    !frozen && Math.max(loop === paused ? 0 : loop.busyUntil, brokenUntil) > world.time);
  if (cannotCome || world.slowStorage > 1 || world.storage.deletion || !world.orders.broadcast.isPrompt(PROMPT)) return false;
  const clients = living.filter(({ copy }) => copy.lives()).map(({ log }) => log.clientId());
  const awake = living.find(isKeeper);
  if (!awake || !awake.core.state().members.every(({ client }) => clients.includes(client))) return false;
  const { members } = world.record;
  return !programs.some(({ context, log }) => !context.alive && members[log.clientId()]?.stateful);
};

/** @param {Simulation} simulation @param {number} [pause] one of them stands in a debugger for so many milliseconds more */
const protectAll = (simulation, pause = 0) => {
  simulation.lastDisturbance = simulation.world.time + pause + 300;
  for (const program of simulation.programs) if (program.context.alive) simulation.protect(program, pause + RECOVERY);
};

/** Its thread computes. @param {Program} program @param {number} milliseconds */
export const stall = ({ simulation, context }, milliseconds) => {
  simulation.note(context, `is busy for ${Math.round(milliseconds)}`);
  context.stall(milliseconds);
};

/**
 * Keeps its thread busy when its connections have just been closed. If a call of its storage failed as well, it would come back too late:
 * others wait for a second (docs/guarantees.md).
 * @param {Program} program
 */
const keepBusyThen = (program) => {
  stall(program, program.simulation.world.between(10, 500));
  for (const each of program.context.loop.contexts) each.stumble(RECOVERY);
};

/** It may die soon, if another context keeps the state then. @param {Program} program @param {string} when */
const mayDie = (program, when) => {
  const { simulation, context } = program;
  const { world } = simulation;
  if (world.random() < 0.5) return;
  world.after(undefined, 0, world.random() < 0.5 ? 100 : 3000, () => {
    if (!context.alive || !othersKeep(program)) return;
    simulation.note(context, `dies after ${when}`);
    program.kill();
  });
};

/** Its page stands in a debugger, unless it must not be stopped. @param {Program} program @param {number} milliseconds */
export const pause = (program, milliseconds) => {
  if (isThreadProtected(program)) return false;
  program.simulation.note(program.context, `stands in a debugger for ${Math.round(milliseconds)}`);
  program.context.pause(milliseconds);
  return true;
};

/** @type {Record<string, (simulation: Simulation, program: Program) => void>} */
export const clearings = {
  /**
   * The browser closes all connections, and deletes nothing. Everybody can open others at once. One thread is busy, if a context of another
   * one keeps the state.
   */
  closeStorage(simulation, program) {
    if (!canLose(simulation) || !simulation.programs.every((each) => !each.context.alive || isAwake(each))) return;
    simulation.note(undefined, 'all connections are closed');
    protectAll(simulation);
    simulation.world.closeStorage();
    const isOther = simulation.programs.some((each) => each.context.loop !== program.context.loop && isKeeper(each));
    if (isOther) keepBusyThen(program);
  },

  /** The site's data is cleared, while a context that keeps the state is awake and stays so. */
  wipe(simulation) {
    if (!canLose(simulation)) return;
    simulation.note(undefined, 'site data is cleared');
    protectAll(simulation);
    simulation.world.wipe();
  },

  /** Data is cleared, and soon once more: often before all have come back. */
  wipeTwice(simulation, program) {
    const { world } = simulation;
    if (!canLose(simulation)) return;
    clearings.wipe(simulation, program);
    world.after(undefined, 0, world.random() < 0.5 ? 60 : 2500, () => clearings.wipe(simulation, program));
  },

  /** Data is cleared after a page has stood in a debugger. It often does not know yet that it has missed messages. */
  wipeAfterPause(simulation, program) {
    const { world } = simulation;
    const milliseconds = world.between(5, 500);
    if (!pause(program, milliseconds)) return;
    world.after(undefined, milliseconds, milliseconds + 30, () => clearings.wipe(simulation, program));
  },

  /**
   * Data is cleared while a page stands in a debugger, for less than the second after which others go on without it. It may lose its
   * locks, since it may not hear why a newcomer's log is void (D11).
   */
  wipeInPause(simulation, program) {
    const { world } = simulation;
    const milliseconds = world.between(20, 900);
    if (!pause(program, milliseconds)) return;
    world.after(undefined, 0, milliseconds, () => {
      const { loop } = program.context;
      const left = loop.busyUntil - world.time;
      if (!canLose(simulation, loop) || left > milliseconds) return;
      simulation.note(program.context, 'is paused, and site data is cleared');
      for (const each of simulation.programs) each.mayLose = each.mayLose || each.context.loop === loop;
      protectAll(simulation, left);
      world.wipe();
    });
  },

  /** Data is cleared, and others may die soon. */
  wipeAndDie(simulation, program) {
    const others = simulation.programs.filter((each) => each !== program && each.context.alive);
    if (!isKeeper(program) || !canLose(simulation)) return;
    clearings.wipe(simulation, program);
    for (const other of others) mayDie(other, 'the wipe');
  },

  /** All connections are closed. One member stays awake; others may be busy, and some die soon. */
  closeAndDie(simulation, program) {
    const others = simulation.programs.filter((each) => each !== program && each.context.alive);
    if (!isKeeper(program) || !canLose(simulation) || !others.every(isAwake)) return;
    const { world } = simulation;
    simulation.note(undefined, 'all connections are closed');
    protectAll(simulation);
    world.closeStorage();
    for (const other of others) {
      if (other.context.loop !== program.context.loop && world.random() < 0.5) keepBusyThen(other);
      mayDie(other, 'its connections were closed');
    }
  },

  /** The page deletes all of its databases. */
  deleteAll(simulation) {
    if (!canLose(simulation)) return;
    simulation.note(undefined, 'a page deletes all databases');
    protectAll(simulation);
    simulation.world.deleteAll();
  },
};
