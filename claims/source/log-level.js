/**
 * The log of one machine, in a LevelDB folder. An append is on disk before it resolves. Keys:
 *
 *   format       {format, software}; the first thing written
 *   clock        what log time goes on from, see clock.js
 *   state        the last checkpoint but for what follows: JSON
 *   core         the lock manager's snapshot in it
 *   claim/id     its claims, see record.js
 *   block/n      what is said of a block of claims that are all final, see archive.js
 *   page/n/name  its columns
 *   entry/place  an entry after it: checksum, space, text
 *
 * A checkpoint is one atomic write. LevelDB itself drops a write that was torn by a crash. What else is wrong shows in the checksums
 * and in the gapless places: a damaged last entry is cut off, for it cannot be told from a torn one; anything else is refused.
 */
import { ClassicLevel } from 'classic-level';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BLOCK } from './columns.js';
import { DataError, Unavailable } from './log.js';
import { LEVEL } from './operations.js';

/** @typedef {import('./log.js').Log} Log */
/** @typedef {ClassicLevel<string, Buffer>} Level */

const FORMAT = 2;
const READ_AT_ONCE = 4000;
const BYTES_AT_ONCE = 2 ** 20;

/**
 * @param {string} folder made if it is missing
 * @param {{warn: (message: string) => void}} report
 * @returns {Promise<Log>}
 */
export async function openLevelLog(folder, { warn }) {
  let level = await open(folder);
  await checkFormat(level, folder).catch(async (error) => {
    await level.close();
    throw error;
  });
  /** The first place whose entry may still be there. */
  let first = 1;
  /** The place of the last entry. */
  let last = 0;
  /** @type {import('./log.js').Receiver} */
  let receiver;

  /** @type {Log} */
  const log = {
    async load(given) {
      receiver = given;
      const checkpoint = await readCheckpoint(level);
      receiver.begin();
      await readClaims(level, receiver);
      if (checkpoint) receiver.restore(checkpoint);
      first = (checkpoint?.place ?? 0) + 1;
      last = await readEntries(level, first, receiver, warn);
      return readJson(level, 'clock');
    },

    async append(batch) {
      const text = JSON.stringify(batch);
      const bytes = Buffer.from(`${checksum(text)} ${text}`);
      await write(() => level.put(entryKey(last + 1), bytes, { sync: true }));
      last += 1;
      receiver.deliver({ place: last, batch, size: bytes.length });
      return true;
    },

    read: undefined,

    async keep(checkpoint, register) {
      const { core, ...state } = checkpoint.machine;
      const { records, forgotten, blocks, done, failed } = register.checkpoint();
      const batch = level.batch();
      for (const [id, bytes] of records) batch.put(claimKey(id), bytes);
      for (const id of forgotten) batch.del(claimKey(id));
      for (const { number, summary, columns } of blocks) {
        batch.put(blockKey(number), summary);
        for (const [name, bytes] of Object.entries(columns)) batch.put(pageKey(number, name), bytes);
      }
      for (let place = first; place <= checkpoint.place; place += 1) batch.del(entryKey(place));
      batch.put('state', Buffer.from(JSON.stringify({ place: checkpoint.place, checksum: crc32(core), ...state })));
      batch.put('core', Buffer.from(core));
      try {
        await write(() => batch.write({ sync: true }));
      } catch (error) {
        failed();
        throw error;
      }
      first = checkpoint.place + 1;
      done();
    },

    kept: () => first - 1,
    copy: (to) => copy(level, to),
    rank: () => 0,
    level: () => LEVEL,

    readClaims: (ids) => level.getMany(ids.map(claimKey)),
    readColumns: (block, names) => level.getMany(names.map((name) => pageKey(block, name))),

    keepClock: (record) => write(() => level.put('clock', Buffer.from(JSON.stringify(record)), { sync: true })),

    async recover() {
      await level.close();
      level = await open(folder);
    },

    watch: () => {},
    close: () => level.close(),
  };
  return log;
}

/**
 * @param {string} folder
 * @returns {Promise<Level>}
 */
async function open(folder) {
  /** @type {Level} */
  const level = new ClassicLevel(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
  try {
    await level.open();
    return level;
  } catch (error) {
    throw new DataError(explain(folder, error), error);
  }
}

/**
 * Writes all that is there at the call to another folder, while this one goes on.
 * @param {Level} level
 * @param {string} to a folder that is not there yet
 */
async function copy(level, to) {
  if (existsSync(to)) throw new DataError(`${to} is there already. A copy is written to a new folder.`);
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const snapshot = level.snapshot();
  const other = await open(unfinished);
  try {
    const iterator = level.iterator({ snapshot, highWaterMarkBytes: BYTES_AT_ONCE });
    for (;;) {
      const some = await iterator.nextv(READ_AT_ONCE);
      if (some.length === 0) break;
      await other.batch(some.map(([key, value]) => ({ type: 'put', key, value })), { sync: true });
    }
    await iterator.close();
  } finally {
    await other.close();
    await snapshot.close();
  }
  // Whoever finds the folder finds all of it.
  await rename(unfinished, to);
}

/**
 * @param {string} folder
 * @param {any} error
 */
function explain(folder, error) {
  const cause = error.cause ?? error;
  const text = String(cause.message ?? cause);
  if (cause.code === 'LEVEL_LOCKED') return `${folder} is in use by another server. One folder serves one server at a time.`;
  if (/permission denied|read-only file system/i.test(text)) return `${folder} cannot be written: ${text}. Nothing was changed.`;
  if (/no space left|file too large|quota/i.test(text)) return `There is no room to write in ${folder}: ${text}. Nothing was changed.`;
  if (/corrupt/i.test(text)) return `${folder} is damaged: ${text}. Nothing was changed; restore it from a copy.`;
  return `${folder} cannot be opened: ${text}. Nothing was changed.`;
}

/**
 * @param {Level} level
 * @param {string} folder
 */
async function checkFormat(level, folder) {
  const found = await readJson(level, 'format');
  if (!found) {
    for await (const key of level.keys({ limit: 1 })) {
      throw new DataError(`${folder} holds other data than claims (its first key is ${JSON.stringify(key)}). Nothing was changed.`);
    }
    await write(() => level.put('format', Buffer.from(JSON.stringify({ format: FORMAT, software: 'lockkeeper-claims' })), { sync: true }));
  } else if (found.format !== FORMAT) {
    const age = found.format > FORMAT ? 'a newer' : 'an older';
    const advice = found.format > FORMAT ? 'start the newer version' : 'let its claims end with the older version, then take a new folder';
    throw new DataError(`${folder} was written by ${age} version of this service: it has format ${found.format}, and this one reads `
      + `format ${FORMAT}. Nothing was changed; ${advice}.`);
  }
}

/** @param {Level} level */
async function readCheckpoint(level) {
  const state = await readJson(level, 'state');
  if (!state) return undefined;
  const core = await level.get('core');
  const { place, checksum: expected, ...machine } = state;
  if (!core || crc32(core) !== expected) {
    throw new DataError('The last checkpoint is damaged. Nothing was changed; restore the folder from a copy.');
  }
  return { place, machine: { ...machine, core } };
}

/**
 * @param {Level} level
 * @param {import('./log.js').Receiver} receiver
 */
async function readClaims(level, { block, record }) {
  /** @type {number[]} */
  const blocks = [];
  await each(level, blockKey(0), 'block0', (key, bytes) => {
    blocks.push(numberOf(key));
    block?.(numberOf(key), bytes);
  });
  // Claims will be forgotten one by one, and then what is said of a block is not true any more.
  if (!block && blocks.length > 0) {
    await level.clear({ gte: 'block/', lt: 'block0' });
    await level.clear({ gte: 'page/', lt: 'page0' });
  }
  let from = claimKey(0);
  for (const number of block ? blocks : []) {
    await each(level, from, claimKey(number * BLOCK), (key, bytes) => record(numberOf(key), bytes));
    from = claimKey((number + 1) * BLOCK);
  }
  await each(level, from, 'claim0', (key, bytes) => record(numberOf(key), bytes));
}

/**
 * @param {Level} level
 * @param {number} first the place after the checkpoint
 * @param {import('./log.js').Receiver} receiver
 * @param {(message: string) => void} warn
 * @returns {Promise<number>} the place of the last entry
 */
async function readEntries(level, first, receiver, warn) {
  let place = first;
  /** @type {number | undefined} */
  let damaged;
  await each(level, entryKey(first), 'entry0', (key, bytes) => {
    if (damaged !== undefined) throw damage(`entry ${damaged} is not what was written`);
    if (numberOf(key) !== place) throw damage(`entry ${place} is missing`);
    const text = bytes.toString('utf8', 9);
    if (bytes.toString('latin1', 0, 9) === `${checksum(text)} `) receiver.replay({ place, batch: JSON.parse(text), size: bytes.length });
    else damaged = place;
    place += 1;
  });
  if (damaged === undefined) return place - 1;
  warn(`the last entry of the journal, ${damaged}, was not written to its end and is dropped; it was never acknowledged`);
  await write(() => level.del(entryKey(/** @type {number} */ (damaged)), { sync: true }));
  return damaged - 1;
}

/** @param {string} what */
const damage = (what) =>
  new DataError(`The journal is damaged: ${what}, and later ones are there. Nothing was changed; restore the folder from a copy.`);

/**
 * @param {Level} level
 * @param {string} from
 * @param {string} to
 * @param {(key: string, bytes: Buffer) => void} visit
 */
async function each(level, from, to, visit) {
  const iterator = level.iterator({ gte: from, lt: to, highWaterMarkBytes: BYTES_AT_ONCE });
  try {
    for (;;) {
      const some = await iterator.nextv(READ_AT_ONCE);
      if (some.length === 0) return;
      for (const [key, bytes] of some) visit(key, bytes);
    }
  } finally {
    await iterator.close();
  }
}

/**
 * @param {Level} level
 * @param {string} key
 * @returns {Promise<any>}
 */
async function readJson(level, key) {
  const bytes = await level.get(key);
  if (!bytes) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new DataError(`The record "${key}" of the data folder is damaged. Nothing was changed; restore the folder from a copy.`, error);
  }
}

/** @param {() => Promise<void>} action */
async function write(action) {
  try {
    await action();
  } catch (error) {
    const { cause = error } = /** @type {any} */ (error);
    throw new Unavailable(`the data folder cannot be written: ${cause.message}`, error);
  }
}

/** @param {string} text */
const checksum = (text) => crc32(text).toString(16).padStart(8, '0');

/** @param {number} place */
const entryKey = (place) => `entry/${place.toString(36).padStart(11, '0')}`;

/** @param {number} id */
const claimKey = (id) => `claim/${id.toString(36).padStart(11, '0')}`;

/** @param {number} number */
const blockKey = (number) => `block/${number.toString(36).padStart(11, '0')}`;

/**
 * @param {number} number
 * @param {string} name
 */
const pageKey = (number, name) => `page/${number.toString(36).padStart(11, '0')}/${name}`;

/** @param {string} key */
const numberOf = (key) => parseInt(key.slice(6), 36);
