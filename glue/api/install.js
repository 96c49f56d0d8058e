import { defineMembers } from './platform-object.js';

/**
 * Makes [manager] the realm's navigator.locks, if the navigator has none.
 *
 * @template Manager
 * @param {import('./environment.js').Realm} global
 * @param {Manager} manager
 * @param {Record<string, Function>} interfaces the interface objects to define with it, by name
 * @param {{force?: boolean, insecure?: boolean}} [options] [force] replaces a native one, [insecure] allows a context that is not secure
 * @returns {unknown} the manager in use; undefined if the context is not secure
 */
export const install = (global, manager, interfaces, { force, insecure } = {}) => {
  const { navigator } = global;
  let isForeign;
  try {
    if (navigator && navigator.locks && !force) return navigator.locks;
  } catch {
    // The getter that Lockkeeper has defined for another window's navigator: happy-dom's windows share one prototype.
    isForeign = true;
  }
  if (global.isSecureContext === false && !insecure) return undefined;
  if (!navigator) return manager;

  // Usually `locks` is defined on the prototype. It is defined on the navigator itself if that is a plain object or has an own `locks`, or
  // if the prototype is frozen or has another window's. (Object.isExtensible(null) is false, too.)
  const prototype = Object.getPrototypeOf(navigator);
  const isOwn = isForeign || prototype === Object.prototype || !Object.isExtensible(prototype)
    || Object.getOwnPropertyDescriptor(navigator, 'locks');
  defineMembers(isOwn ? navigator : prototype, {
    get locks() {
      if (/** @type {unknown} */ (this) !== navigator) throw new TypeError('Illegal invocation');
      return manager;
    },
  });
  for (const name of Object.keys(interfaces)) {
    Object.defineProperty(global, name, { value: interfaces[name], writable: true, configurable: true });
  }
  return manager;
};
