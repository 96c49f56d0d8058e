/** Checks the log's keys in etcd, and has the messages for wrong ones. */
import { randomUUID } from 'node:crypto';
import { decode, encode, hasValue, isAbsent, isUnchanged, results } from './etcd-keys.js';
import { Changed, DataError } from './log.js';

/** @typedef {import('./etcd-keys.js').Keys} Keys */

const FORMAT = 2;
/** That of a log in which no server may start. Earlier versions know only that it is none that they read. */
const CONDEMNED = 3;

/** @typedef {{revision: number, text: string}} Found the key `format` */

/** Each log has another text, so that no server takes one for another. */
const firstText = () => JSON.stringify({ format: FORMAT, log: randomUUID() });

/**
 * Writes the format if there is nothing yet.
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {Keys} keys
 * @param {boolean} [evenIfChanged] also where a server has found that it is not what it had read
 * @returns {Promise<{cluster: string, format: Found}>} [cluster] is its id
 */
export async function readFormat(etcd, keys, evenIfChanged) {
  const text = firstText();
  const { succeeded, header, responses } = await etcd.call('Txn', {
    compare: [isAbsent(keys.format)],
    success: [{ request_put: { key: keys.format, value: encode(text) } }],
    failure: [{ request_range: { key: keys.format } }],
  });
  const cluster = header.cluster_id;
  if (succeeded) return { cluster, format: { revision: Number(header.revision), text } };
  const [{ value, revision }] = results(responses[0].response_range);
  const { format, changed: how } = parseObject(keys, value);
  if (how !== undefined && !evenIfChanged) {
    throw new Changed(`A server has found that what is in etcd below ${keys.prefix} is not what it had read: ${how}. So no server starts `
      + 'with it. See "Backup" in the manual: lockkeeper-claims --new-incarnation continues with ids and fences that no client has.', how);
  }
  if (format === FORMAT || how !== undefined) return { cluster, format: { revision, text: value } };
  throw new DataError(`The claims in etcd below ${keys.prefix} were written by ${format > FORMAT ? 'a newer' : 'an older'} version of `
    + `this service: they have format ${format}, and this one reads format ${FORMAT}. Nothing was changed; `
    + (format > FORMAT ? 'start the newer version.' : 'let the claims end with the older version, or choose another --etcd-prefix.'));
}

/**
 * What is there is not what this server had read. So no server may start with it, and those that have started stop. This changes nothing if
 * it is a log of its own, or one that an operator has let begin anew since.
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {Keys} keys
 * @param {Found} format as it was read
 * @param {string} how
 */
export async function condemn(etcd, keys, { revision, text }, how) {
  const put = { request_put: { key: keys.format, value: encode(JSON.stringify({ format: CONDEMNED, changed: how })) } };
  for (const compare of [[isUnchanged(keys.format, revision), hasValue(keys.format, text)], [isAbsent(keys.format)]]) {
    const { succeeded } = await etcd.call('Txn', { compare, success: [put], failure: [] });
    if (succeeded) return;
  }
}

/**
 * Lets servers start again. One that still runs with the log as it was stops.
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {Keys} keys
 */
export async function renewFormat(etcd, keys) {
  await etcd.call('Put', { key: keys.format, value: encode(firstText()) });
}

/**
 * What a key holds.
 * @param {Keys} keys
 * @param {string} text
 * @param {(content: any) => boolean} [isComplete]
 * @returns {any} an object
 */
export function parseObject({ prefix }, text, isComplete = () => true) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    // It is no object, then.
  }
  if (typeof content === 'object' && content !== null && isComplete(content)) return content;
  throw new DataError(`An entry in etcd below ${prefix} was not written by this service: ${JSON.stringify(text.slice(0, 80))}`);
}

/**
 * @param {Keys} keys
 * @param {string} text
 * @param {boolean} isBatch or else a join
 */
export const parseEntry = (keys, text, isBatch) => parseObject(keys, text, ({ now, token, operations }) => (
  Number.isFinite(now) && typeof token === 'string' && Array.isArray(operations) === isBatch));

/**
 * The number at the end of an entry's key.
 * @param {Keys} keys
 * @param {Buffer} key
 */
export function readNumber({ prefix }, key) {
  const name = decode(key).slice(prefix.length);
  const [, number] = /^(?:join|batch\/\d{10})\/(\d{10,16})$/.exec(name) ?? [];
  if (number === undefined) throw new DataError(`A key in etcd was not written by this service: ${prefix}${name}`);
  return Number(number);
}

/**
 * The entries in an answer, in the order of revisions, and the revision up to which they are complete.
 * @param {Keys} keys
 * @param {number} position up to which everything had been read when the question was asked
 * @param {number} revision of the answer
 * @param {any[]} ranges the joins, then the batches of the servers in [asked]
 * @param {{id: number, number: number}[]} asked
 * @param {import('./log-etcd.js').Put} [put] at that revision
 */
export function readRanges(keys, position, revision, [joins, ...batches], asked, put) {
  const found = results(joins).slice(0, 1).map((each) => ({ ...each, id: 0, number: readNumber(keys, each.key) }));
  if (put) found.push({ key: put.key, value: put.text, revision, id: put.id, number: put.number });
  // If the answer shows a server's join for the first time, it lacks that server's batches.
  const join = found.find(({ id }) => id === 0);
  let complete = join ? join.revision : revision;
  batches.forEach((range, place) => {
    const page = results(range);
    if (range.more) complete = Math.min(complete, page[page.length - 1].revision);
    for (const each of page) found.push({ ...each, id: asked[place].id, number: readNumber(keys, each.key) });
  });
  found.sort((one, other) => one.revision - other.revision);
  const [oldest] = found;
  if (oldest?.revision <= position) throw changed(keys, `an entry is at revision ${oldest.revision} that was not there`);
  return { found, complete };
}

/**
 * @param {Keys} keys
 * @param {string} how
 */
export const changed = ({ prefix }, how) =>
  new Changed(`What is in etcd below ${prefix} is not what this server has read: ${how}. Keys were deleted or overwritten, or etcd was `
    + 'restored from a copy while this server was running. This server stops, and none starts with what is there: see "Backup" in the '
    + 'manual.', how);
