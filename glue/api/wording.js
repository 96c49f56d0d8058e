/**
 * The texts of errors. Each says what was wrong, with what, and what to do. In the script-tag build they are as brief as a browser's, to
 * keep it small.
 */
import { IS_PACKAGE } from '#edition';

/** How many characters of a value are shown at most. */
const LONGEST = 60;

/** @param {string} name of an interface */
const withArticle = (name) => `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`;

/** @param {string} text */
const shorten = (text) => text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;

/** The kind of an object. The names of platform objects help: an AbortController is close to what was meant. @param {object} object */
const kindOf = (object) => {
  const name = Object.prototype.toString.call(object).slice('[object '.length, -1);
  return withArticle(name === 'Object' || name === 'Array' ? name.toLowerCase() : shorten(name));
};

/** Shows a refused value. @param {unknown} value */
export const show = (value) => {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return kindOf(value);
  return shorten(typeof value === 'string' ? JSON.stringify(value) : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`);
};

/** @param {string} operation its name @param {string} needed what it needs @param {number} count of the arguments that it was given */
export const tooFewArguments = (operation, needed, count) => IS_PACKAGE
  ? `${operation}() needs ${needed}. It was called with ${count === 1 ? '1 argument' : `${count} arguments`}.`
  : 'Too few arguments';

/** Advice if the callback was given before the options. @param {unknown} options what came before the callback */
export const ifSwapped = (options) => typeof options === 'function' ? ' The options come before it.' : '';

/** @param {unknown} value @param {unknown} options what came before it */
export const notACallback = (value, options) =>
  IS_PACKAGE ? `The callback must be a function, not ${show(value)}.${ifSwapped(options)}` : 'No callback';

/** @param {unknown} value */
export const notOptions = (value) => IS_PACKAGE ? `The options must be an object, not ${show(value)}.` : 'No options';

/** @param {string} what @param {symbol} value */
export const notAString = (what, value) => `The ${what} must be a string, not ${show(value)}.`;

/** @param {string} what @param {number} longest it may be @param {number} length it has */
export const tooLong = (what, longest, length) => IS_PACKAGE
  ? `The ${what} has ${length} characters. It may have at most ${longest}.`
  : 'Too long';

/** @param {unknown} value */
export const notAMode = (value) => IS_PACKAGE ? `The lock mode must be 'exclusive' or 'shared', not ${show(value)}.` : 'No lock mode';

/** @param {unknown} value */
export const notASignal = (value) => IS_PACKAGE ? `The option signal must be an AbortSignal, not ${show(value)}.` : 'No AbortSignal';

/** @param {string} name */
export const reservedName = (name) => IS_PACKAGE
  ? `The name ${show(name)} is reserved: the name of a lock must not begin with a hyphen.`
  : 'Reserved name';

/**
 * Names the options that cannot be combined; empty if they can.
 * @param {import('./idl.js').LockOptions} options
 */
export const conflictIn = ({ ifAvailable, mode, signal, steal }) => {
  const isShared = mode === 'shared';
  if (!(steal && (ifAvailable || isShared)) && !(signal && (steal || ifAvailable))) return '';
  if (!IS_PACKAGE) return 'Conflicting options';
  const [one, other] = !steal ? ['signal', 'ifAvailable']
    : ['steal', ifAvailable ? 'ifAvailable' : isShared ? "mode 'shared'" : 'signal'];
  return `LockOptions.${one} cannot be combined with ${other}.`;
};

/** @param {string} name of the interface */
export const illegalInvocation = (name) => IS_PACKAGE
  ? `Illegal invocation: this is not ${withArticle(name)}. Call a method as object.method(), or bind it to its object.`
  : 'Illegal invocation';

/** @param {string} name of the interface */
export const illegalConstructor = (name) => IS_PACKAGE
  ? `Illegal constructor: ${withArticle(name)} cannot be made by new.`
  : 'Illegal constructor';

export const INACTIVE_DOCUMENT = IS_PACKAGE
  ? 'This document is not active: its frame was removed, or its window shows another document.'
  : 'Inactive document';

export const OPAQUE_ORIGIN = IS_PACKAGE
  ? 'This origin is opaque, so it has no storage and no locks. A sandboxed frame needs allow-same-origin.'
  : 'Opaque origin';

export const ABORTED = IS_PACKAGE ? 'The signal has aborted the request.' : 'Request aborted';

/** @param {readonly string[]} names */
export const lockOn = (names) => `lock on ${names.map(show).join(', ')}`;

/** For a request that has outlived its timeout because the manager has not answered at all. @param {readonly string[]} names */
export const unanswered = (names) => `The ${lockOn(names)} was not granted within the timeout: the lock manager has not answered. ` +
  'docs/faq.md, "Why does a request not settle?", says what to check.';

/**
 * Name and message of the exception for a request that has ended other than by its owner.
 * @param {import('../log/types.js').Outcome} outcome
 * @param {string[]} names of the request
 * @param {boolean} held whether the lock was held
 * @returns {[string, string]}
 */
export const ending = (outcome, names, held) => {
  if (!IS_PACKAGE) return ['AbortError', 'Lock lost'];
  if (outcome === 'expired') {
    const what = lockOn(names);
    return ['TimeoutError', held ? `The lease of the ${what} is over.` : `The ${what} was not granted within the timeout.`];
  }
  if (outcome === 'closed') return ['AbortError', `The request for the ${lockOn(names)} has ended: its lock manager was closed.`];
  if (outcome === 'lost') {
    return ['AbortError', `The ${lockOn(names)} was lost: this context has left the lock manager, as a page does on its way into the ` +
      'back-forward cache, or the others took it for dead.'];
  }
  return ['AbortError', `The ${lockOn(names)} was lost: stolen, or broken by forceRelease().`];
};

/**
 * Why a realm can have no lock manager; empty if it can.
 * @param {{indexedDB?: unknown, process?: {versions?: {node?: string}}}} global
 */
export const missingIn = ({ indexedDB, process }) => {
  if (indexedDB) return '';
  const needs = 'Lockkeeper needs IndexedDB';
  if (!IS_PACKAGE) return needs;
  const advice = process && process.versions && process.versions.node
    ? "This file is for browsers: in Node, import 'lockkeeper' by its name. " +
      "In tests with jsdom, resolve it by the condition 'node' (docs/faq.md)."
    : 'docs/quick-start.md, "Older browsers", says what to load before it.';
  return `${needs}, and there is none here. ${advice}`;
};
