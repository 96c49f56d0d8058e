/** Writes glue/core/constants.js: the header's numbers, by their names in JavaScript. */
import { readFileSync } from 'node:fs';
import { at, write } from './files.mjs';

/**
 * The constants of one enum: LK_FORCE_RELEASE = 3 becomes ['force-release', 3].
 * @param {string} header
 * @param {RegExp} start where the enum begins
 * @returns {[string, number][]}
 */
const constantsOf = (header, start) => {
  const body = header.split(start)[1].split('}')[0].replace(/\/\*.*?\*\//gs, '');
  return [...body.matchAll(/LK_(\w+) = (-?\d+)/g)].map(([, name, value]) => [name.toLowerCase().replaceAll('_', '-'), Number(value)]);
};

/**
 * An array that has each name at its number.
 * @param {[string, number][]} constants
 * @param {(value: number) => number} place
 */
const listOf = (constants, place = (value) => value) => {
  const names = constants.filter(([, value]) => place(value) >= 0);
  const list = Array.from({ length: Math.max(...names.map(([, value]) => place(value))) + 1 }, () => '');
  for (const [name, value] of names) list[place(value)] = name;
  return `[${list.map((name) => `'${name}'`).join(', ')}]`;
};

/** The text of glue/core/constants.js. */
export const constantsText = () => {
  const header = readFileSync(at('csrc/lockkeeper.h'), 'utf8');
  const lines = [
    '/** Generated from csrc/lockkeeper.h by build/constants.mjs. The names are at the places of their numbers. */',
    `export const OPERATIONS = ${listOf(constantsOf(header, /enum lk_operation_type \{/))};`,
    `export const MODES = ${listOf(constantsOf(header, /enum lk_mode \{/))};`,
    '/** @type {import(\'./types.js\').LockEvent[\'type\'][]} */',
    `export const EVENTS = /** @type {any[]} */ (${listOf(constantsOf(header, /enum lk_event_type \{/))});`,
    '/** What is refused, by the status without its sign. */',
    `export const REFUSALS = ${listOf(constantsOf(header, /enum lk_status \{/).filter(([, value]) => value < 0), (value) => -value)};`,
    ...[...constantsOf(header, /enum lk_status \{/), ...constantsOf(header, /enum \{/)].map(
      ([name, value]) => `export const ${name.toUpperCase().replaceAll('-', '_')} = ${value};`)
  ];
  return `${lines.join('\n')}\n`;
};

export const buildConstants = () => write('glue/core/constants.js', constantsText());
