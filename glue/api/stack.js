/**
 * A program may call near the end of its stack, as in a recursion without an end. Then an error could come in the middle of any function of
 * ours, and leave things half done, such as a lock that nobody holds. So what a program calls first asks for enough of the stack.
 */

/** With twelve arguments each, this many levels take 5 KB and more in every engine. Functions of ours take half of that. */
const LEVELS = 32;
/** A function that has not run yet takes more: V8 compiles none in the last 40 KB. */
const LEVELS_AT_FIRST = 320;
/** After so many calls, nearly every function has run. */
const FIRST = 100;

let calls = 0;

/**
 * The arguments only make the frames larger, so that fewer are needed. No tail call, which would take no stack.
 * @type {(levels: number, ...filling: undefined[]) => number}
 */
const descend = (levels, a, b, c, d, e, f, g, h, i, j, k, l) => levels && 1 + descend(levels - 1, a, b, c, d, e, f, g, h, i, j, k, l);

/**
 * Throws the engine's error if too little of the stack is left.
 * @param {boolean} [isRare] the call may be the first of its kind, however many others there were
 */
export const needStack = (isRare) => void descend(isRare || ++calls < FIRST ? LEVELS_AT_FIRST : LEVELS);
