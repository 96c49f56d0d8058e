/**
 * Who keeps the state, and who must not be stopped.
 *
 * @typedef {import('./program.js').Program} Program
 */

/** @param {Program} program */
export const isAwake = ({ context, simulation }) => context.alive && !context.frozen && context.loop.busyUntil <= simulation.world.time;

/** Whether it is awake and keeps the state. @param {Program} program */
export const isKeeper = (program) => {
  const { context, copy, simulation, witness } = program;
  const isCurrent = witness.acting && !copy.outOfMemory && !simulation.world.orders.broadcast.hasMissed(context);
  return isAwake(program) && copy.lives() && copy.isMember() && isCurrent;
};

/** Whether another context keeps the state. @param {Program} program */
export const othersKeep = (program) => program.simulation.programs.some((each) => each !== program && isKeeper(each));

/** All living programs on its thread. @param {Program} program */
export const sameThread = ({ simulation, context }) =>
  simulation.programs.filter((each) => each.context.alive && each.context.loop === context.loop);

/** @param {Program} program */
export const isThreadProtected = (program) => sameThread(program).some((each) => program.simulation.isProtected(each));
