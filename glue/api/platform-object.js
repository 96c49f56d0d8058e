/** Objects and interfaces that stand up to inspection like the browser's own. */
import { illegalConstructor, illegalInvocation } from './wording.js';

/**
 * The handler of one object's proxy, which keeps its state: no property shows it. It hands everything on, and answers for itself where it
 * is asked for the prototype. A WeakMap would do too, but its entries outlive many collections, and there may be very many locks.
 *
 * @typedef {{Interface: Function, state: unknown, proxy: object | undefined, getPrototypeOf: typeof answerFor}} Handler
 */

/**
 * An interface object whose objects have a [State]; only the type checker knows of [stateType].
 *
 * @template State
 * @typedef {Function & {prototype: object, stateType?: State}} PlatformInterface
 */

/** What the last proxy said that was asked for its prototype. @type {Handler | undefined} */
let answer;

/** @this {Handler} @param {object} target */
const answerFor = function (target) {
  answer = this;
  return Object.getPrototypeOf(target);
};

/**
 * @template State
 * @param {PlatformInterface<State>} Interface
 * @param {State} state
 * @returns {object} an object that structuredClone refuses, as it does any proxy
 */
export const createPlatformObject = (Interface, state) => {
  /** @type {Handler} */
  const handler = { Interface, state, proxy: undefined, getPrototypeOf: answerFor };
  return (handler.proxy = new Proxy(Object.create(Interface.prototype), handler));
};

/**
 * The state of a platform object; this is also the brand check.
 * @template State
 * @param {PlatformInterface<State>} Interface what [object] must be of
 * @param {unknown} object
 * @returns {State}
 * @throws {TypeError} where it is anything else
 */
export const stateOf = (Interface, object) => {
  answer = undefined;
  // Bundlers hold that this does nothing, and leave it out where nobody looks at the result.
  const prototype = Object.getPrototypeOf(Object(object));
  const handler = /** @type {Handler | undefined} */ (prototype && answer);
  // A proxy of another's making passes the question on.
  if (!handler || handler.proxy !== object || handler.Interface !== Interface) throw new TypeError(illegalInvocation(Interface.name));
  return /** @type {State} */ (handler.state);
};

/**
 * Gives [target] the methods and getters of [members], an object literal: there they are as WebIDL wants them, enumerable and named.
 * @param {object} target
 * @param {object} members
 */
export const defineMembers = (target, members) => Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));

/**
 * An interface object as WebIDL has it, under a name that no minifier takes away.
 * @param {string} name
 * @param {object} members
 * @returns {PlatformInterface<never>}
 */
export const defineInterface = (name, members) => {
  const Interface = class {
    constructor() {
      throw new TypeError(illegalConstructor(name));
    }
  };
  const tag = { value: name, configurable: true };
  Object.defineProperty(Interface, 'name', tag);
  Object.defineProperty(defineMembers(Interface.prototype, members), Symbol.toStringTag, tag);
  return Interface;
};
