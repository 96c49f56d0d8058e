/** Objects and interfaces that stand up to inspection like the browser's own. */
import { IS_PACKAGE } from '#edition';
import { illegalConstructor, illegalInvocation } from './wording.js';

/**
 * The handler of an object's proxy. It keeps the object's state, which no property shows. Its one trap tells stateOf() which handler it is.
 * A WeakMap would do too, but its entries outlive many garbage collections, and there may be very many locks.
 *
 * @typedef {{Interface: Function, state: unknown, proxy: object | undefined, getPrototypeOf: typeof answerFor}} Handler
 */

/**
 * An interface object whose objects have a [State]; only the type checker knows of [stateType].
 *
 * @template State
 * @typedef {Function & {prototype: object, stateType?: State}} PlatformInterface
 */

/** The handler of the proxy that was last asked for its prototype. @type {Handler | undefined} */
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
  // The trap sets [answer]. Bundlers take this call for one without effects, and would drop it if its result were not used.
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

/** Where Node's console, and those of Bun and Deno, look for what an object wants to show. Elsewhere nothing reads it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** What such a console shows of a lock. */
const SHOWN = ['name', 'scope', 'mode', 'fence'];

/**
 * @this {Record<string | symbol, unknown>}
 * @param {number} depth
 * @param {object} options
 * @param {(value: unknown, options: object) => string} inspect
 */
const showInConsole = function (depth, options, inspect) {
  const tag = this[Symbol.toStringTag];
  try {
    return `${tag} ${inspect(Object.fromEntries(SHOWN.filter((key) => key in this).map((key) => [key, this[key]])), options)}`;
  } catch {
    // A proxy's target, which has no state: Node's prompt shows that, too.
    return `${tag} {}`;
  }
};

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
  if (IS_PACKAGE) Object.defineProperty(Interface.prototype, INSPECT, { value: showInConsole, configurable: true });
  return Interface;
};
