/**
 * A program may call near the end of its stack, as in a recursion without an end. Then an error could come in the middle of any function of
 * ours, and leave things half done, such as a lock that nobody holds. So what a program calls first asks for enough of the stack.
 */

/** With twelve arguments each, this many levels take 5 KB and more in every engine. Functions of ours that have run before take half. */
const LEVELS = 32;
/** A function that has not run yet takes more: V8 compiles none in the last 40 KB. This many levels take 60 KB and more. */
const COLD_LEVELS = 400;
/** The first so many calls may run functions for the first time. Later ones ask for less, since that many levels take microseconds. */
const COLD_CALLS = 100;

let calls = 0;

/**
 * The arguments only make the frames larger, so that fewer are needed. No tail call, which would take no stack.
 * @type {(levels: number, ...filling: undefined[]) => number}
 */
const descend = (levels, a, b, c, d, e, f, g, h, i, j, k, l) => levels && 1 + descend(levels - 1, a, b, c, d, e, f, g, h, i, j, k, l);

/**
 * Throws the engine's error if too little of the stack is left.
 * @param {boolean} [isRare] what follows may run functions for the first time, however often this was called
 */
export const needStack = (isRare) => {
  descend(isRare || calls < COLD_CALLS ? COLD_LEVELS : LEVELS);
  // Not before: a call that is refused runs nothing.
  calls++;
};

/**
 * Calls it at once, or in a promise job, which has a stack of its own, if too little is left here. For events that a program dispatches.
 * @param {() => void} callback
 */
export const callWithStack = (callback) => {
  try {
    needStack(true);
  } catch {
    void Promise.resolve().then(callback);
    return;
  }
  callback();
};
