/** What a manager of createLockManager() has besides the standard's members: inspect(), close(), and disposal where the language has it. */
import { LockManager } from './lock-manager.js';
import { defineMembers, stateOf } from './platform-object.js';
import { illegalInvocation } from './wording.js';

/**
 * @typedef {object} Own what stands behind a manager of its own
 * @property {() => Promise<import('./inspect.js').Report>} inspect
 * @property {() => Promise<void>} close
 */

/**
 * @param {any} manager
 * @param {(own: Own) => Promise<any>} operation
 */
const answer = (manager, operation) => {
  try {
    const { own } = stateOf(LockManager, manager);
    if (!own) throw new TypeError(illegalInvocation('LockManager of createLockManager()'));
    return operation(own);
  } catch (error) {
    return Promise.reject(error);
  }
};

const createPrototype = () => defineMembers(Object.create(LockManager.prototype), {
  inspect() {
    return answer(this, (own) => own.inspect());
  },

  close() {
    return answer(this, (own) => own.close());
  },

  ...(Symbol.asyncDispose ? {
    [Symbol.asyncDispose]() {
      return answer(this, (own) => own.close());
    },
  } : {}),
});

/** @type {object | undefined} made at the first use: importing does nothing */
let prototype;

/**
 * Gives [manager] the further members.
 * @param {any} manager of createLockManager() in ./lock-manager.js
 * @param {Own} own
 */
export const makeOwn = (manager, own) => {
  prototype = prototype || createPrototype();
  stateOf(LockManager, manager).own = own;
  return Object.setPrototypeOf(manager, prototype);
};
