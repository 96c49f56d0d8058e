/** Objects and interfaces that stand up to inspection like the browser's own. */

/** The state of each object, which no property shows, and what it is of. @type {WeakMap<object, {Interface: Function, state: any}>} */
const entries = new WeakMap();

/** The handler of proxies that hand everything on. */
const transparent = {};

/**
 * @param {Function} Interface
 * @param {object} state
 * @returns {any} an object that structuredClone refuses, as it does any proxy
 */
export const createPlatformObject = (Interface, state) => {
  const object = new Proxy(Object.create(Interface.prototype), transparent);
  entries.set(object, { Interface, state });
  return object;
};

/**
 * The state of a platform object; this is also the brand check.
 * @param {Function} Interface what [object] must be of
 * @param {any} object
 * @returns {any}
 * @throws {TypeError} where it is anything else
 */
export const stateOf = (Interface, object) => {
  const entry = entries.get(object);
  if (!entry || entry.Interface !== Interface) throw new TypeError('Illegal invocation');
  return entry.state;
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
 * @returns {any}
 */
export const defineInterface = (name, members) => {
  const Interface = class {
    constructor() {
      throw new TypeError('Illegal constructor');
    }
  };
  const tag = { value: name, configurable: true };
  Object.defineProperty(Interface, 'name', tag);
  Object.defineProperty(defineMembers(Interface.prototype, members), Symbol.toStringTag, tag);
  return Interface;
};
