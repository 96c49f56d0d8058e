import { defineMembers } from './platform-object.js';

/**
 * Makes [manager] the realm's navigator.locks, where there is a navigator and nothing better.
 *
 * @template Manager
 * @param {import('./environment.js').Realm} global
 * @param {Manager} manager
 * @param {Record<string, Function>} interfaces the interface objects that go with it, by name
 * @param {{force?: boolean, insecure?: boolean}} [options] [force] replaces a native one, [insecure] allows a context that is not secure
 * @returns {unknown} the manager in use; undefined where the context is not secure, and so has none
 */
export const install = (global, manager, interfaces, { force, insecure } = {}) => {
  const { navigator } = global;
  if (navigator && navigator.locks && !force) return navigator.locks;
  if (global.isSecureContext === false && !insecure) return undefined;
  if (!navigator) return manager;

  // A navigator that is a plain object, or has a property of its own in front of the prototype's, is given one of its own.
  const prototype = Object.getPrototypeOf(navigator);
  const plain = !prototype || prototype === Object.prototype || Object.getOwnPropertyDescriptor(navigator, 'locks');
  defineMembers(plain ? navigator : prototype, {
    get locks() {
      if (/** @type {unknown} */ (this) !== navigator) throw new TypeError('Illegal invocation');
      return manager;
    },
  });
  for (const name in interfaces) {
    Object.defineProperty(global, name, { value: interfaces[name], writable: true, configurable: true });
  }
  return manager;
};
