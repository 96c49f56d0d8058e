/** Whether this context prints what it does, and where to: docs/debugging.md. */
import { debugSetting, printLine } from '#place';

/** What an option `debug` may be. @typedef {boolean | ((line: string) => void) | undefined} Debug */

/**
 * @param {Debug} option undefined: as LOCKKEEPER_DEBUG says
 * @returns {((line: string) => void) | undefined} prints a line; undefined where none is asked for
 */
export const printerFor = (option) => {
  // In a microtask of its own: it may ask for locks, and what it throws concerns no log.
  if (typeof option === 'function') return (line) => void Promise.resolve(line).then(option);
  return (option === undefined ? isOn(debugSetting()) : option) ? printLine : undefined;
};

/** @param {unknown} setting */
const isOn = (setting) => !['', '0', 'false', 'undefined', 'null'].includes(String(setting));
