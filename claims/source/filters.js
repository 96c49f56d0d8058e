/**
 * The query of a list: its filters, and which part of it is wanted.
 *
 * @typedef {object} Filters in seconds; times of creation in milliseconds since 1970
 * @property {string} [resource]
 * @property {import('./claim.js').Status} [status]
 * @property {number} [minimum_ttl]
 * @property {number} [maximum_ttl]
 * @property {number} [minimum_active_duration]
 * @property {number} [maximum_active_duration]
 * @property {number} [minimum_waiting_duration]
 * @property {number} [maximum_waiting_duration]
 * @property {number} [minimum_created]
 * @property {number} [maximum_created]
 */
import { STATUSES } from './claim.js';
import { badParameters } from './errors.js';

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TIME = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** @type {Record<string, (text: string) => unknown>} each returns undefined for an invalid text */
const READERS = {
  resource: (text) => text || undefined,
  status: (text) => STATUSES.find((status) => status === text),
  limit: (text) => whole(text, 1),
  offset: (text) => whole(text, 0),
};
for (const name of ['ttl', 'active_duration', 'waiting_duration']) READERS[`minimum_${name}`] = READERS[`maximum_${name}`] = readNumber;
READERS.minimum_created = READERS.maximum_created = readTime;

/** @type {Record<string, string>} */
const DEMANDS = {
  resource: 'Must be a resource: at least one character.',
  status: `Must be one of ${STATUSES.join(', ')}.`,
  limit: 'Must be a whole number, 1 or more.',
  offset: 'Must be a whole number, 0 or more.',
  minimum_created: 'Must be a time as in ISO 8601, like 2030-01-31T12:00:00Z.',
};
DEMANDS.maximum_created = DEMANDS.minimum_created;

/** The parameters that a list's query may have. */
export const QUERY_NAMES = Object.keys(READERS);

/**
 * @param {Record<string, string | string[]>} query
 * @returns {{filters: Filters, limit?: number, offset?: number}}
 */
export function readQuery(query) {
  /** @type {Record<string, any>} */
  const values = Object.create(null);
  /** @type {Record<string, string>} */
  const wrong = Object.create(null);
  for (const [name, text] of Object.entries(query)) {
    if (!Object.hasOwn(READERS, name)) wrong[name] = 'Unknown filter.';
    else if (typeof text !== 'string') wrong[name] = 'Given more than once.';
    else if ((values[name] = READERS[name](text)) === undefined) wrong[name] = DEMANDS[name] ?? 'Must be a number of seconds.';
  }
  if (Object.keys(wrong).length > 0) throw badParameters(wrong);
  const { limit, offset, ...filters } = values;
  return { filters, limit, offset };
}

/** @param {string} text */
export function readNumber(text) {
  const value = NUMBER.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** @param {string} text */
function readTime(text) {
  // In a query, an unescaped plus sign means a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+');
  const [, year, month, day] = TIME.exec(time) ?? [];
  const value = Date.parse(time);
  if (!year || Number.isNaN(value)) return undefined;
  // Date.parse would read February 31 as a day in March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) ? value : undefined;
}

/**
 * @param {string} text
 * @param {number} minimum
 */
function whole(text, minimum) {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  return value >= minimum ? value : undefined;
}
