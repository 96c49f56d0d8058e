/**
 * The members that a manager of createLockManager() has besides the standard's: inspect(), close() and, if the language has it, disposal.
 */
import { answer, LockManager } from './lock-manager.js';
import { defineMembers, stateOf } from './platform-object.js';
import { needStack } from './stack.js';
import { illegalInvocation } from './wording.js';

/**
 * @typedef {object} Own the functions behind these members
 * @property {() => Promise<import('./inspect.js').Report>} inspect
 * @property {() => Promise<void>} close
 */

/**
 * @template Value
 * @param {unknown} manager
 * @param {(own: Own) => Promise<Value>} operation
 */
const answerOwn = (manager, operation) => answer(manager, ({ own }) => {
  if (!own) throw new TypeError(illegalInvocation('LockManager of createLockManager()'));
  needStack(true);
  return operation(own);
});

const createPrototype = () => defineMembers(Object.create(LockManager.prototype), {
  inspect() {
    return answerOwn(this, (own) => own.inspect());
  },

  close() {
    return answerOwn(this, (own) => own.close());
  },

  ...(Symbol.asyncDispose ? {
    [Symbol.asyncDispose]() {
      return answerOwn(this, (own) => own.close());
    },
  } : {}),
});

/** Created at the first use, since importing must have no side effects. @type {object | undefined} */
let prototype;

/**
 * Adds these members to [manager].
 * @param {object} manager of createLockManager() in ./lock-manager.js
 * @param {Own} own
 */
export const makeOwn = (manager, own) => {
  prototype = prototype || createPrototype();
  stateOf(LockManager, manager).own = own;
  return Object.setPrototypeOf(manager, prototype);
};
