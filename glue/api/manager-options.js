/** Checks the options of createLockManager() and install(). */
import { toDOMString } from './idl.js';
import { checkKnown } from './known-options.js';
import { show } from './wording.js';

/**
 * @typedef {object} OwnManagerOptions
 * @property {string} [name]
 * @property {'process' | 'host'} [scope]
 * @property {boolean} [keepAlive]
 * @property {string} [directory]
 * @property {boolean | ((line: string) => void)} [debug]
 */

const OWN = ['name', 'scope', 'directory', 'keepAlive', 'debug'];
const CLAIMS = ['url', 'ttl', 'clientId', 'headers', 'patience'];
const INSTALL = ['force', 'insecure', 'join', 'debug'];

/** @param {string} text @returns {never} */
const refuse = (text) => {
  throw new TypeError(text);
};

/**
 * @param {unknown} options
 * @returns {options is import('../claims/service.js').ClaimsOptions} whether the options are for a manager over a claims service
 */
export const wantsClaims = (options) => {
  if (typeof options !== 'object' || options === null) {
    return refuse(`createLockManager() needs an object with a name, or with the url of a claims service, not ${show(options)}.`);
  }
  if (!('url' in options)) {
    checkKnown('createLockManager', options, ['url', ...OWN]);
    return false;
  }
  if (typeof options.url !== 'string' && Object.prototype.toString.call(options.url) !== '[object URL]') {
    // With url: undefined, for example from an unset variable, the caller would silently get locks of one process or origin.
    refuse(`The option url must be a string, the address of a claims service, not ${show(options.url)}.`);
  }
  for (const option of ['name', 'scope', 'keepAlive', 'directory']) {
    if (/** @type {Record<string, unknown>} */ (options)[option] === undefined) continue;
    refuse(`The option ${option} cannot be combined with url: the locks of a claims service belong to all who use its address.`);
  }
  checkKnown('createLockManager', options, [...CLAIMS, ...OWN]);
  return true;
};

/** @param {unknown} debug */
export const checkDebug = (debug) => {
  if (debug === undefined || typeof debug === 'boolean' || typeof debug === 'function') return;
  refuse(`The option debug must be true, false or a function that is given each line, not ${show(debug)}.`);
};

/**
 * @param {OwnManagerOptions} options
 * @param {boolean} isNode
 * @returns {{name: string, debug: OwnManagerOptions['debug'], options: Omit<OwnManagerOptions, 'name' | 'debug'>}} an empty name stands for
 *   the manager of navigator.locks
 */
export const toOwnManager = ({ name, scope, keepAlive, directory, debug }, isNode) => {
  checkDebug(debug);
  if (scope !== undefined && scope !== 'process' && scope !== 'host') {
    refuse(`The option scope must be 'process' or 'host', not ${show(scope)}.`);
  }
  if (scope === 'host' && !isNode) {
    refuse("The option scope cannot be 'host' in a browser: there a manager reaches all contexts of the origin, and no other.");
  }
  if (directory !== undefined && scope !== 'host') refuse("The option directory needs scope: 'host'.");
  if (directory !== undefined && (typeof directory !== 'string' || directory === '')) {
    refuse(`The option directory must be a path, not ${show(directory)}.`);
  }
  if (keepAlive !== undefined && typeof keepAlive !== 'boolean') {
    refuse(`The option keepAlive must be true or false, not ${show(keepAlive)}.`);
  }
  const options = { scope, keepAlive, directory };
  if (name === undefined && keepAlive !== undefined && scope === undefined) return { name: '', debug, options };
  if (name === undefined || name === '') {
    refuse(`createLockManager() needs a name that is not empty: { name: 'my-app' }. ${name === '' ? 'It is empty.' : 'There is none.'}`);
  }
  if (typeof name !== 'string' && typeof name !== 'number') refuse(`The option name must be a string, not ${show(name)}.`);
  return { name: toDOMString(name), debug, options };
};

/** @param {unknown} options */
export const checkInstallOptions = (options) => {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) return refuse(`install() takes its options as an object, not ${show(options)}.`);
  checkKnown('install', options, INSTALL);
  const given = /** @type {Record<string, unknown>} */ (options);
  for (const option of ['force', 'insecure', 'join']) {
    if (given[option] === undefined || typeof given[option] === 'boolean') continue;
    refuse(`The option ${option} of install() must be true or false, not ${show(given[option])}.`);
  }
  checkDebug(given.debug);
};
