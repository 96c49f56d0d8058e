/** Decides whether this context prints what it does, and where (docs/debugging.md). */
import { debugSetting, printLine } from '#place';

/** The option `debug`. @typedef {boolean | ((line: string) => void) | undefined} Debug */

/**
 * @param {Debug} option undefined: LOCKKEEPER_DEBUG decides
 * @returns {((line: string) => void) | undefined} prints a line; undefined if debugging is off
 */
export const printerFor = (option) => {
  // In a microtask of its own: the function may request locks, and its errors must not reach the log.
  if (typeof option === 'function') return (line) => void Promise.resolve(line).then(option);
  return (option === undefined ? isOn(debugSetting()) : option) ? printLine : undefined;
};

/** @param {unknown} setting */
const isOn = (setting) => !['', '0', 'false', 'undefined', 'null'].includes(String(setting));
