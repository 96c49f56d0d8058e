/** Checks the log's keys in etcd, and has the messages for wrong ones. */
import { decode, encode, isAbsent, results } from './etcd-keys.js';
import { DataError } from './log.js';

/** @typedef {import('./etcd-keys.js').Keys} Keys */

const FORMAT = 2;

/**
 * Writes the format if there is nothing yet.
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {Keys} keys
 * @returns {Promise<{cluster: string, revision: number}>} the cluster's id, and the revision of the key
 */
export async function checkFormat(etcd, keys) {
  const { succeeded, header, responses } = await etcd.call('Txn', {
    compare: [isAbsent(keys.format)],
    success: [{ request_put: { key: keys.format, value: encode(JSON.stringify({ format: FORMAT })) } }],
    failure: [{ request_range: { key: keys.format } }],
  });
  const cluster = header.cluster_id;
  if (succeeded) return { cluster, revision: Number(header.revision) };
  const [{ value, revision }] = results(responses[0].response_range);
  const { format } = JSON.parse(value);
  if (format === FORMAT) return { cluster, revision };
  throw new DataError(`The claims in etcd below ${keys.prefix} were written by ${format > FORMAT ? 'a newer' : 'an older'} version of `
    + `this service: they have format ${format}, and this one reads format ${FORMAT}. Nothing was changed; `
    + (format > FORMAT ? 'start the newer version.' : 'let the claims end with the older version, or choose another --etcd-prefix.'));
}

/**
 * @param {Keys} keys
 * @param {string} text
 * @returns {any}
 */
export function parseEntry({ prefix }, text) {
  /** @type {any} */
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    content = {};
  }
  if (Number.isFinite(content?.now) && typeof content.token === 'string') return content;
  throw new DataError(`An entry in etcd below ${prefix} was not written by this service: ${JSON.stringify(text.slice(0, 80))}`);
}

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
  // The answer lacks the batches of a server whose join it shows for the first time.
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
  new DataError(`What is in etcd below ${prefix} is not what this server has read: ${how}. Nothing was written. Keys were deleted or `
    + 'overwritten, or etcd was restored from a copy while this server was running.');
