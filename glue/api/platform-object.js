/** Objects and interfaces that scripts cannot distinguish from the browser's own. */
import { IS_PACKAGE } from '#edition';
import { illegalConstructor, illegalInvocation } from './wording.js';

/**
 * An interface object whose objects have a [State]. [stateType] exists only for the type checker.
 *
 * @template State
 * @typedef {Function & {prototype: object, stateType?: State}} PlatformInterface
 */

/** The handler of the proxy whose prototype was read last. @type {Handler | undefined} */
let answer;

/**
 * The handler of an object's proxy. It keeps the object's state, so that no property shows it. Its one trap gives stateOf() the handler. A
 * WeakMap would work, too, but its entries survive many garbage collections, and there may be very many locks.
 */
class Handler {
  /** @param {Function} Interface @param {unknown} state */
  constructor(Interface, state) {
    this.Interface = Interface;
    this.state = state;
    this.proxy = new Proxy(Object.create(Interface.prototype), this);
  }

  /** @param {object} target */
  getPrototypeOf(target) {
    answer = this;
    return Object.getPrototypeOf(target);
  }
}
// A page's script may have given Object.prototype a property such as `get`. That must not be a trap.
Object.setPrototypeOf(Handler.prototype, null);

/**
 * @template State
 * @param {PlatformInterface<State>} Interface
 * @param {State} state
 * @returns {object} an object that structuredClone refuses, as it does any proxy
 */
export const createPlatformObject = (Interface, state) => new Handler(Interface, state).proxy;

/**
 * The state of a platform object; this is also the brand check.
 * @template State
 * @param {PlatformInterface<State>} Interface that [object] must have
 * @param {unknown} object
 * @returns {State}
 * @throws {TypeError} if [object] is anything else
 */
export const stateOf = (Interface, object) => {
  // This call runs the trap, which sets [answer]. Bundlers believe that it has no effect, so its result must be used.
  const prototype = Object.getPrototypeOf(Object(object));
  const handler = /** @type {Handler | undefined} */ (prototype && answer);
  // A foreign proxy around our object would run our trap, too.
  if (!handler || handler.proxy !== object || handler.Interface !== Interface) throw new TypeError(illegalInvocation(Interface.name));
  return /** @type {State} */ (handler.state);
};

/**
 * Gives [target] the methods and getters of [members]. Members of an object literal are enumerable and named, as WebIDL requires.
 * @param {object} target
 * @param {object} members
 */
export const defineMembers = (target, members) => Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));

/** The consoles of Node, Bun and Deno call the method under this symbol to show an object. Nothing else reads it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The properties of a lock that such a console shows. */
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
    // This is a proxy's target, which has no state. Node's prompt shows it, too.
    return `${tag} {}`;
  }
};

/**
 * An interface object as WebIDL defines it. Its name survives minifiers.
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
