/**
 * The log of several servers, in etcd. Keys, below a prefix:
 *
 *   format       {format}
 *   entry/place  an entry: text
 *   checkpoint   {place, parts}: the last checkpoint, in that many parts
 *   part/name/n  a part of a checkpoint: its gzipped JSON, cut into pieces that etcd takes
 *
 * An append is a transaction: only where the place is still free and the checkpoint is the one that this server knows does it write,
 * else it gives the entries that this server does not have. So the order of places is the order of etcd's revisions; an attempt that
 * arrives late, or twice, changes nothing; and a server that is behind the checkpoint cannot write where entries have been dropped.
 * Reads are transactions as well, and linearizable.
 */
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { createEtcd } from './etcd.js';
import { Behind, DataError } from './log.js';

/** @typedef {import('./log.js').Log} Log */
/** @typedef {import('./log.js').Entry} Entry */
/** @typedef {{place: number, name: string, parts: number}} Pointer */
/** @typedef {{text: string, revision: string}} Found */

export const PREFIX = '/lockkeeper/claims/';
const FORMAT = 1;
const PAGE = 200;
const PART = 700_000;
/** Watches may hang, so every server also looks by itself. */
const LOOK = 1000;

/**
 * @param {object} options
 * @param {string[]} options.members URLs
 * @param {string} [options.prefix]
 * @param {boolean} [options.compact] have etcd forget old revisions after a checkpoint
 * @param {number} [options.late] so many entries stay behind a checkpoint, for servers that are a little late
 * @param {number} [options.deadline] of an attempt, in milliseconds
 * @param {number} [options.patience] of a call
 * @returns {Log}
 */
export function createEtcdLog({ members, prefix = PREFIX, compact = true, late = 500, deadline, patience }) {
  const etcd = createEtcd({ members, deadline, patience });
  const key = (/** @type {string} */ name) => encode(prefix + name);
  const entryKey = (/** @type {number} */ place) => key(`entry/${String(place).padStart(16, '0')}`);
  const entriesEnd = key('entry0');
  const checkpointKey = key('checkpoint');
  /** @type {{place: number, revision: string}} the last checkpoint that this server knows */
  let known = { place: 0, revision: '0' };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {number} place */
  const lookFrom = (place) => [
    { request_range: { key: entryKey(place), range_end: entriesEnd, limit: PAGE } },
    { request_range: { key: checkpointKey } },
  ];

  /**
   * What lookFrom gave.
   * @param {number} place
   * @param {any[]} responses
   * @returns {Entry[]}
   */
  function understand(place, responses) {
    const [found, [checkpoint]] = responses.map(results);
    const last = checkpoint ? JSON.parse(checkpoint.text) : { place: 0 };
    const entries = found.map(({ text }, index) => ({ place: place + index, text }));
    if (found.length > 0 ? found[0].key !== entryKey(place) : last.place >= place) throw new Behind();
    known = { place: last.place, revision: checkpoint?.revision ?? '0' };
    return entries;
  }

  /**
   * @param {number} place
   * @returns {Promise<Entry[]>}
   */
  async function read(place) {
    /** @type {Entry[]} */
    const all = [];
    for (;;) {
      const { responses } = await etcd.call('/v3/kv/txn', { success: lookFrom(place + all.length) });
      const entries = understand(place + all.length, responses);
      all.push(...entries);
      if (entries.length < PAGE) return all;
    }
  }

  async function checkFormat() {
    const { succeeded, responses } = await etcd.call('/v3/kv/txn', {
      compare: [{ key: key('format'), target: 'CREATE', create_revision: '0', result: 'EQUAL' }],
      success: [{ request_put: { key: key('format'), value: encode(JSON.stringify({ format: FORMAT })) } }],
      failure: [{ request_range: { key: key('format') } }],
    });
    if (succeeded) return;
    const { format } = JSON.parse(results(responses[0])[0].text);
    if (format === FORMAT) return;
    throw new DataError(`The claims in etcd below ${prefix} were written by a newer version of this service: they have format ${format}, `
      + `and this one reads format ${FORMAT}. Nothing was changed; start the newer version.`);
  }

  /** @returns {Promise<{pointer: Pointer, revision: string, content: any} | undefined>} */
  async function readCheckpoint() {
    for (;;) {
      const [found] = results({ response_range: await etcd.call('/v3/kv/range', { key: checkpointKey }) });
      if (!found) return undefined;
      /** @type {Pointer} */
      const pointer = JSON.parse(found.text);
      const parts = [];
      for (let part = 0; part < pointer.parts; part += 1) {
        const response = await etcd.call('/v3/kv/range', { key: key(`part/${pointer.name}/${part}`) });
        if (response.kvs?.length === 1) parts.push(Buffer.from(response.kvs[0].value, 'base64'));
      }
      // Where a part is missing there is another checkpoint by now.
      if (parts.length < pointer.parts) continue;
      const content = JSON.parse((await promisify(gunzip)(Buffer.concat(parts))).toString());
      return { pointer, revision: found.revision, content };
    }
  }

  return {
    async load(loader) {
      await checkFormat();
      for (;;) {
        const checkpoint = await readCheckpoint();
        const place = checkpoint?.pointer.place ?? 0;
        known = { place, revision: checkpoint?.revision ?? '0' };
        const entries = await read(place + 1).catch((error) => {
          if (error instanceof Behind) return undefined;
          throw error;
        });
        if (!entries) continue;
        // From here on all at once, for requests are answered meanwhile.
        loader.begin();
        if (checkpoint) {
          const { records, core, ...machine } = checkpoint.content;
          for (const { id, bytes } of records) loader.record(id, Buffer.from(bytes, 'base64'));
          loader.restore({ place, machine: { ...machine, core: Buffer.from(core, 'base64') } });
        }
        for (const entry of entries) loader.entry(entry);
        return undefined;
      }
    },

    async append(place, text) {
      const { succeeded, responses } = await etcd.call('/v3/kv/txn', {
        compare: [
          { key: entryKey(place), target: 'CREATE', create_revision: '0', result: 'EQUAL' },
          { key: checkpointKey, target: 'MOD', mod_revision: known.revision, result: 'EQUAL' },
        ],
        success: [{ request_put: { key: entryKey(place), value: encode(text) } }],
        failure: lookFrom(place),
      });
      return succeeded ? [{ place, text }] : understand(place, responses);
    },

    read,

    async keep({ place, machine: { core, ...machine } }, register) {
      const before = known;
      // Another server may have been quicker.
      if (place - before.place < late) return;
      const records = register.all().map(({ id, bytes }) => ({ id, bytes: bytes.toString('base64') }));
      const content = await promisify(gzip)(JSON.stringify({ ...machine, core: Buffer.from(core).toString('base64'), records }));
      const name = randomUUID();
      const parts = Math.ceil(content.length / PART);
      for (let part = 0; part < parts; part += 1) {
        const value = content.subarray(part * PART, (part + 1) * PART).toString('base64');
        await etcd.call('/v3/kv/put', { key: key(`part/${name}/${part}`), value });
      }
      const { succeeded, header, responses } = await etcd.call('/v3/kv/txn', {
        compare: [{ key: checkpointKey, target: 'MOD', mod_revision: before.revision, result: 'EQUAL' }],
        success: [
          { request_put: { key: checkpointKey, value: encode(JSON.stringify({ place, name, parts })) } },
          { request_delete_range: { key: entryKey(0), range_end: entryKey(Math.max(1, place - late + 1)) } },
          { request_delete_range: { key: key('part/'), range_end: key(`part/${name}/`) } },
          { request_delete_range: { key: key(`part/${name}0`), range_end: key('part0') } },
        ],
        failure: [{ request_range: { key: checkpointKey } }],
      });
      // If it was done by an attempt whose answer was lost, this is the checkpoint.
      const done = succeeded || JSON.parse(results(responses[0])[0].text).name === name;
      if (!done) await etcd.call('/v3/kv/deleterange', { key: key(`part/${name}/`), range_end: key(`part/${name}0`) });
      // Another server may have had it done already.
      else if (compact) await etcd.call('/v3/kv/compaction', { revision: header.revision }).catch(() => {});
    },

    readClaims: undefined,
    keepClock: async () => {},
    recover: async () => {},

    watch(wake) {
      void etcd.watch({ key: entryKey(0), range_end: entriesEnd }, wake);
      timer = setInterval(wake, LOOK);
    },

    async close() {
      clearInterval(timer);
      etcd.close();
    },
  };
}

/** @param {string} text */
const encode = (text) => Buffer.from(text).toString('base64');

/**
 * @param {any} response of a range, in a transaction
 * @returns {{key: string, text: string, revision: string}[]}
 */
const results = ({ response_range: { kvs = [] } }) => kvs.map((/** @type {any} */ { key, value = '', mod_revision: revision }) =>
  ({ key, text: Buffer.from(value, 'base64').toString(), revision }));
