/** A system that does something else for a moment. */
import fs, { readdirSync, readlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * @param {string} name of a function of fs
 * @param {(original: (...given: any[]) => any) => (...given: any[]) => any} replace makes the one that is called in its place
 * @returns {() => void} brings the original back
 */
const replaceFunction = (name, replace) => {
  const functions = /** @type {any} */ (fs);
  const original = functions[name];
  const set = (/** @type {(...given: any[]) => any} */ present) => {
    functions[name] = present;
    syncBuiltinESMExports();
  };
  set(replace(original));
  return () => set(original);
};

/**
 * @template T
 * @param {string} name
 * @param {Parameters<typeof replaceFunction>[1]} replace
 * @param {() => T} action what is done meanwhile; if it returns a promise, the original is back before that settles
 * @returns {T}
 */
export const whileReplaced = (name, replace, action) => {
  const restore = replaceFunction(name, replace);
  try {
    return action();
  } finally {
    restore();
  }
};

/**
 * @template T
 * @param {string} name
 * @param {Parameters<typeof replaceFunction>[1]} replace
 * @param {() => Promise<T>} action what is done meanwhile, until its promise settles
 */
export const untilSettled = async (name, replace, action) => {
  const restore = replaceFunction(name, replace);
  try {
    return await action();
  } finally {
    restore();
  }
};

/**
 * What to replace a function with.
 * @param {string} code
 * @param {string} text
 * @returns {() => () => never}
 */
export const failing = (code, text) => () => () => {
  throw Object.assign(new Error(text), { code });
};

/** The files in [directory] that this process has open, once for each descriptor. On Linux. @param {string} directory */
export const openFiles = (directory) => readdirSync('/proc/self/fd').flatMap((each) => {
  try {
    const path = readlinkSync(`/proc/self/fd/${each}`);
    return path.startsWith(directory) ? [path] : [];
  } catch {
    // The descriptor that has listed them.
    return [];
  }
});
