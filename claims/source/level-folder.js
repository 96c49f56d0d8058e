/** The data folder as a LevelDB database: opens it, checks its format, copies it, and explains errors. */
import { ClassicLevel } from 'classic-level';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GONE } from './level-identity.js';
import { checkJournal } from './level-journal.js';
import { damaged, isSealed, isUnsealed, seal, unseal } from './level-keys.js';
import { Changed, DataError, Unavailable } from './log.js';

/** @typedef {ClassicLevel<string, Buffer>} Level */

/** In the one before, values were not sealed. */
const FORMAT = 3;
const READ_AT_ONCE = 4000;
const BYTES_AT_ONCE = 2 ** 20;
/** About as many bytes as LevelDB writes at most when it is opened. */
const ROOM = 4 * 2 ** 20;

/**
 * @param {string} folder
 * @param {boolean} [anew] whether this server had it open before. Then it is not made, and must not be in use
 * @returns {Promise<Level>}
 */
export async function open(folder, anew = false) {
  try {
    if (!anew) await makeFolder(folder);
    await checkJournal(folder);
    /** @type {Level} */
    const level = new ClassicLevel(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer', createIfMissing: !anew });
    await level.open();
    return level;
  } catch (error) {
    if (error instanceof DataError) throw error;
    const text = explain(folder, error);
    // The claims are that server's now.
    if (anew && isInUse(error)) throw new Changed(text, 'another server has opened it');
    throw new DataError(text, error);
  }
}

/**
 * Does something with the folder that is open, and explains LevelDB's errors.
 * @template Result
 * @param {string} folder
 * @param {() => Promise<Result>} action
 */
export async function explaining(folder, action) {
  try {
    return await action();
  } catch (error) {
    throw /^LEVEL_(CORRUPTION|IO_ERROR)$/.test(/** @type {any} */ (error).code) ? new DataError(explain(folder, error), error) : error;
  }
}

/**
 * Throws if there is no room to open the folder anew, or no database in it, as when its disk is no longer mounted.
 * @param {string} folder
 */
export async function checkRoom(folder) {
  // Nothing must be written to the disk below.
  if (!existsSync(join(folder, 'CURRENT'))) throw new DataError(`${folder} has no claims any more. ${GONE}.`);
  const file = join(folder, 'room');
  try {
    await writeFile(file, Buffer.alloc(ROOM), { flush: true });
  } catch (error) {
    throw new DataError(explain(folder, error), error);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Makes a folder, and those above it. In a file system that refuses a new folder with ENOENT, as /proc does, Node's `recursive` and LevelDB
 * try for ever.
 * @param {string} folder
 */
async function makeFolder(folder) {
  const make = () => mkdir(folder).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await make().catch(async (error) => {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await make();
  });
}

/**
 * Whether another server has the folder. The code alone also stands for locks that a network file system cannot give now.
 * @param {any} error
 */
function isInUse(error) {
  const { code, message } = error.cause ?? error;
  return code === 'LEVEL_LOCKED' && /already held|temporarily unavailable|locked a portion/.test(message);
}

/**
 * @param {string} folder
 * @param {any} error
 */
function explain(folder, error) {
  const cause = error.cause ?? error;
  const text = String(cause.message ?? cause);
  if (isInUse(error)) return `${folder} is in use by another server. One folder serves one server at a time.`;
  if (/permission denied|read-only file system/i.test(text)) return `${folder} cannot be written: ${text}. Nothing was changed.`;
  if (/no space left|file too large|quota/i.test(text)) return `There is no room to write in ${folder}: ${text}. Nothing was changed.`;
  if (/corrupt/i.test(text)) return `${folder} is damaged: ${text}. Nothing was changed; restore it from a copy.`;
  return `${folder} cannot be opened: ${text}. Nothing was changed.`;
}

/**
 * @param {Level} level
 * @param {string} folder
 * @param {(message: string) => void} warn
 */
export async function checkFormat(level, folder, warn) {
  const bytes = await level.get('format');
  if (!bytes) {
    for await (const key of level.keys({ limit: 1 })) {
      throw new DataError(`${folder} holds other data than claims (its first key is ${JSON.stringify(key)}). Nothing was changed.`);
    }
    return writeFormat(level, {});
  }
  const { format, sealed } = parse('format', bytes);
  if (format !== FORMAT && format !== FORMAT - 1) {
    const age = format > FORMAT ? 'a newer' : 'an older';
    const advice = format > FORMAT ? 'start the newer version' : 'let its claims end with the older version, then take a new folder';
    throw new DataError(`${folder} was written by ${age} version of this service: it has format ${format}, and this one reads `
      + `format ${FORMAT}. Nothing was changed; ${advice}.`);
  }
  if (format === FORMAT && sealed !== false) return;
  warn(`${folder} gets format ${FORMAT}, with checksums; earlier versions do not read that`);
  // First, so that they refuse it from here on.
  await writeFormat(level, { sealed: false });
  await sealAll(level);
  await writeFormat(level, {});
}

/**
 * @param {Level} level
 * @param {{sealed?: boolean}} state
 */
function writeFormat(level, state) {
  const text = JSON.stringify({ format: FORMAT, software: 'lockkeeper-claims', ...state });
  return write(() => level.put('format', Buffer.from(text), { sync: true }));
}

/**
 * Seals what is not sealed yet: an earlier start may have been cut short, or the format's number be damaged.
 * @param {Level} level
 */
async function sealAll(level) {
  for await (const some of inBatches(level, {})) {
    const open = some.filter(([key, bytes]) => !isUnsealed(key) && !isSealed(key, bytes));
    await write(() => level.batch(open.map(([key, bytes]) => ({ type: 'put', key, value: seal(key, bytes) })), { sync: true }));
  }
}

/**
 * Copies everything to another folder, as it is at the call. This one can be written meanwhile.
 * @param {Level} level
 * @param {string} to a folder that does not exist yet
 */
export async function copy(level, to) {
  if (existsSync(to)) throw new DataError(`${to} is there already. A copy is written to a new folder.`);
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    await copyAll(level, unfinished);
  } catch (error) {
    // Above all on a full disk.
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  // So the folder only appears when it is complete.
  await rename(unfinished, to);
}

/**
 * @param {Level} level
 * @param {string} to
 */
async function copyAll(level, to) {
  const other = await open(to);
  const snapshot = level.snapshot();
  try {
    for await (const some of inBatches(level, { snapshot })) {
      await other.batch(some.map(([key, value]) => ({ type: 'put', key, value })), { sync: true });
    }
  } finally {
    await other.close();
    await snapshot.close();
  }
}

/**
 * @param {Level} level
 * @param {string} from
 * @param {string} to
 * @param {(key: string, bytes: Buffer) => void} visit
 */
export async function each(level, from, to, visit) {
  for await (const some of inBatches(level, { gte: from, lt: to })) for (const [key, bytes] of some) visit(key, bytes);
}

/**
 * @param {Level} level
 * @param {import('classic-level').IteratorOptions<string, Buffer>} options
 */
async function* inBatches(level, options) {
  const iterator = level.iterator({ ...options, highWaterMarkBytes: BYTES_AT_ONCE });
  try {
    for (;;) {
      const some = await iterator.nextv(READ_AT_ONCE);
      if (some.length === 0) return;
      yield some;
    }
  } finally {
    await iterator.close();
  }
}

/**
 * A sealed record.
 * @param {Level} level
 * @param {string} key
 * @returns {Promise<any>}
 */
export async function readJson(level, key) {
  const bytes = await level.get(key);
  return bytes && parse(key, unseal(key, bytes));
}

/**
 * @param {string} key
 * @param {Buffer} bytes
 */
function parse(key, bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw damaged(key, error);
  }
}

/**
 * Sealed values; undefined where there is none.
 * @param {Level} level
 * @param {string[]} keys
 */
export async function readSealed(level, keys) {
  const values = await read(() => level.getMany(keys));
  return values.map((bytes, place) => bytes && unseal(keys[place], bytes));
}

/**
 * @template Result
 * @param {() => Promise<Result>} action
 */
async function read(action) {
  try {
    return await action();
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'LEVEL_DATABASE_NOT_OPEN') throw error;
    throw new Unavailable('the data folder is being opened anew', error);
  }
}

/** @param {() => Promise<void>} action */
export async function write(action) {
  try {
    await action();
  } catch (error) {
    const { cause = error } = /** @type {any} */ (error);
    throw new Unavailable(`the data folder cannot be written: ${cause.message}`, error);
  }
}
