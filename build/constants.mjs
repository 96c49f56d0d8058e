/** Writes glue/core/constants.js: the header's numbers, under their names in JavaScript. */
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
 */
const listOf = (constants) => {
  const list = Array.from({ length: Math.max(...constants.map(([, value]) => value)) + 1 }, () => '');
  for (const [name, value] of constants) list[value] = name;
  return `/** @type {const} */ ([${list.map((name) => `'${name}'`).join(', ')}])`;
};

/** The text of glue/core/constants.js. */
export const constantsText = () => {
  const header = readFileSync(at('csrc/lockkeeper.h'), 'utf8');
  const statuses = constantsOf(header, /enum lk_status \{/);
  const lines = [
    '/** Generated from csrc/lockkeeper.h by build/constants.mjs. The names are at the places of their numbers. */',
    `export const OPERATIONS = ${listOf(constantsOf(header, /enum lk_operation_type \{/))};`,
    `export const MODES = ${listOf(constantsOf(header, /enum lk_mode \{/))};`,
    `export const EVENTS = ${listOf(constantsOf(header, /enum lk_event_type \{/))};`,
    `export const USES = ${listOf(constantsOf(header, /enum lk_use \{/))};`,
    '/** @type {Record<number, string>} */',
    'export const STATUSES = {',
    ...statuses.map(([name, value]) => `  ${value < 0 ? `'${value}'` : value}: '${name}',`),
    '};',
    ...[...statuses, ...constantsOf(header, /enum \{/)].map(
      ([name, value]) => `export const ${name.toUpperCase().replaceAll('-', '_')} = ${value};`)
  ];
  return `${lines.join('\n')}\n`;
};

export const buildConstants = () => write('glue/core/constants.js', constantsText());
