/**
 * Who keeps the state.
 *
 * @typedef {import('./program.js').Program} Program
 */

/** @param {Program} program */
export const isAwake = ({ context, simulation }) => context.alive && !context.frozen && context.loop.busyUntil <= simulation.world.time;

/** Whether it is awake and keeps the state. @param {Program} program */
export const isKeeper = (program) => {
  const { copy, witness } = program;
  return isAwake(program) && copy.lives() && copy.isMember() && witness.acting && !copy.outOfMemory;
};

/** Whether the state is kept without it. @param {Program} program */
export const othersKeep = (program) => program.simulation.programs.some((each) => each !== program && isKeeper(each));
