/** A system that does something else for a moment. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * @template T
 * @param {string} name of a function of fs
 * @param {(original: (...given: any[]) => any) => (...given: any[]) => any} replace makes the one that is called in its place
 * @param {() => T} action what is done meanwhile
 * @returns {T}
 */
export const whileReplaced = (name, replace, action) => {
  const functions = /** @type {any} */ (fs);
  const original = functions[name];
  functions[name] = replace(original);
  syncBuiltinESMExports();
  try {
    return action();
  } finally {
    functions[name] = original;
    syncBuiltinESMExports();
  }
};

/**
 * For whileReplaced().
 * @param {string} code
 * @param {string} text
 * @returns {() => () => never}
 */
export const failing = (code, text) => () => () => {
  throw Object.assign(new Error(text), { code });
};
