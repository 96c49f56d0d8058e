import assert from 'node:assert/strict';

const { needStack } = await import(`../../glue/api/stack.js?${Math.random()}`);

/** Functions that have not run yet. @param {number} count @returns {(() => number)[]} */
const coldFunctions = (count) => (0, eval)(`[${Array.from({ length: count }, (_, index) => `() => ${index}`).join()}]`);

/**
 * Calls needStack(), and then a function that has not run yet, at each of the last depths before the stack ends.
 * @param {boolean} isRare
 * @returns {string[]} how each call has ended, from the deepest on
 */
const callAtDepths = (isRare) => {
  const cold = coldFunctions(300);
  /** @type {string[]} */
  const ends = [];
  /** How many calls the stack has lost again since it ended. */
  let risen = 0;
  let /** @type {(() => number) | undefined} */ next;
  const act = () => {
    let isAllowed = false;
    try {
      needStack(isRare);
      isAllowed = true;
      /** @type {() => number} */ (next)();
      return 'works';
    } catch {
      return isAllowed ? 'fails' : 'is refused';
    }
  };
  const dig = () => {
    try {
      dig();
    } catch {
      risen = 1;
    }
    if (!risen || risen++ % 5 || !(next = cold.pop())) return;
    try {
      ends.push(act());
    } catch {
      // Too little of the stack is left for the test itself.
    }
  };
  // The functions of this test have to run once far from the end of the stack.
  next = cold.pop();
  act();
  dig();
  return ends;
};

describe('a call near the end of the stack', () => {
  const { stackTraceLimit } = Error;

  // Otherwise each of the many errors takes long.
  before(() => { Error.stackTraceLimit = 0; });
  after(() => { Error.stackTraceLimit = stackTraceLimit; });

  for (const isRare of [false, true]) {
    it(`is refused where a function of ours could not run for the first time: ${isRare ? 'a rare call' : 'the first calls'}`, () => {
      const ends = callAtDepths(isRare);
      assert.ok(ends.includes('is refused') && ends.includes('works'), [...new Set(ends)].join());
      assert.equal(ends.filter((end) => end === 'fails').length, 0);
    });
  }
});
