/**
 * The log of one machine, in a LevelDB folder (level-keys.js says what is in it). An append is on disk before it resolves.
 *
 * A checkpoint is one atomic write. LevelDB itself drops a write that a crash has torn. Other damage shows in LevelDB's journal
 * (level-journal.js), in the checksums (level-keys.js), in the number of claims, and in gaps between the places. It is refused.
 */
import { crc32 } from 'node:zlib';
import { blockKey, checksum, checksumIn, claimKey, entryKey, numberOf, pageKey, seal } from './level-keys.js';
import { checkFormat, checkRoom, copy, explaining, open, readJson, readSealed, write } from './level-folder.js';
import { checkIdentity, identify } from './level-identity.js';
import { readCheckpoint, readClaims, readEntries } from './level-reading.js';
import { Changed, Unavailable } from './log.js';
import { LEVEL } from './operations.js';

/** @typedef {import('./log.js').Log} Log */

/**
 * @param {string} folder is made if it is missing
 * @param {{warn: (message: string) => void}} report
 * @returns {Promise<Log>}
 */
export async function openLevelLog(folder, { warn }) {
  let level = await open(folder);
  await explaining(folder, () => checkFormat(level, folder, warn)).catch(async (error) => {
    await level.close();
    throw error;
  });
  let identity = await identify(folder);
  /** The checksum of the last entry, if it is in the journal. @type {string | undefined} */
  let newest;
  /** Those of the entries after it whose writes have failed. One of them may be there all the same. @type {Set<string>} */
  const tried = new Set();
  /** The last checkpoint, if there is one, and those after it whose writes have failed. @type {{place: number, state?: number}[]} */
  let kept = [{ place: 0 }];
  /** The first place with an entry that may still exist. */
  let first = 1;
  /** The place of the last entry. */
  let last = 0;
  /** @type {import('./log.js').Receiver} */
  let receiver;
  /** Whether a write has failed. LevelDB goes on behind what it has written of it, and will not find that when it is opened anew. */
  let torn = false;
  /** The last write. */
  let writing = Promise.resolve();

  function checkWhole() {
    if (torn) throw new Unavailable('the data folder cannot be written: it has to be opened anew, since a write to it has failed');
  }

  /**
   * One at a time, so that none follows one that fails.
   * @param {() => Promise<void>} action
   */
  function writeNext(action) {
    writing = writing.catch(() => {}).then(async () => {
      checkWhole();
      try {
        // Before it, too: LevelDB makes and deletes files by their names, and these would be those of the folder that is there now.
        await checkIdentity(folder, identity);
        await write(action);
        await checkIdentity(folder, identity);
      } catch (error) {
        torn = true;
        throw error;
      }
    });
    return writing;
  }

  /** Throws if the folder that was opened anew is not as this server has left it. */
  async function checkLeft() {
    const found = await level.iterator({ gte: entryKey(last), lt: 'entry0', limit: 3 }).all();
    const bytes = await level.get('state');
    const isKept = kept.some(({ place, state }) => place === last && state === sumOf(bytes));
    const sums = found.map(([, entry]) => checksumIn(entry));
    const isOwn = found.every(([key], index) =>
      (numberOf(key) === last ? sums[index] === newest : numberOf(key) === last + 1 && tried.has(sums[index])));
    if (isOwn && (isKept || (found.length > 0 && numberOf(found[0][0]) === last))) {
      // The others are not there, and never will be.
      for (const sum of tried) if (!sums.includes(sum)) tried.delete(sum);
      return;
    }
    await level.close();
    throw new Changed(`${folder} is not as this server has left it: it was replaced, or another server has written to it. Nothing was `
      + 'changed.', 'the data folder was replaced');
  }

  /** @type {Log} */
  const log = {
    load: (given) => explaining(folder, async () => {
      receiver = given;
      const checkpoint = await readCheckpoint(level);
      receiver.begin();
      await readClaims(level, receiver, checkpoint ? checkpoint.claims : 0);
      if (checkpoint) receiver.restore(checkpoint);
      first = (checkpoint?.place ?? 0) + 1;
      last = await readEntries(level, first, receiver);
      const entry = await level.get(entryKey(last));
      newest = entry && checksumIn(entry);
      kept = [{ place: first - 1, state: sumOf(await level.get('state')) }];
      return readJson(level, 'clock');
    }),

    async append(batch) {
      const text = JSON.stringify(batch);
      const sum = checksum(text);
      const bytes = Buffer.from(`${sum} ${text}`);
      await writeNext(() => {
        tried.add(sum);
        return level.put(entryKey(last + 1), bytes, { sync: true });
      });
      last += 1;
      newest = sum;
      tried.clear();
      // No earlier checkpoint can be all that is there now.
      kept = [];
      receiver.deliver({ place: last, batch, size: bytes.length });
      return true;
    },

    read: undefined,

    async keep(checkpoint, register) {
      const { core, ...state } = checkpoint.machine;
      // First, since these fail while the folder cannot be written: then the register still has what has changed.
      checkWhole();
      const batch = level.batch();
      const { records, forgotten, blocks, done, failed } = register.checkpoint();
      const put = (/** @type {string} */ key, /** @type {Buffer} */ bytes) => batch.put(key, seal(key, bytes));
      for (const [id, bytes] of records) put(claimKey(id), bytes);
      for (const id of forgotten) batch.del(claimKey(id));
      for (const { number, summary, columns } of blocks) {
        put(blockKey(number), summary);
        for (const [name, bytes] of Object.entries(columns)) put(pageKey(number, name), bytes);
      }
      for (let place = first; place <= checkpoint.place; place += 1) batch.del(entryKey(place));
      const head = Buffer.from(JSON.stringify({ place: checkpoint.place, checksum: crc32(core), claims: register.size, ...state }));
      put('state', head);
      put('core', Buffer.from(core));
      try {
        await writeNext(() => {
          kept.push({ place: checkpoint.place, state: sumOf(seal('state', head)) });
          return batch.write({ sync: true });
        });
        kept = kept.slice(-1);
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

    readClaims: (ids) => explaining(folder, () => readSealed(level, ids.map(claimKey))),
    readColumns: (block, names) => explaining(folder, () => readSealed(level, names.map((name) => pageKey(block, name)))),

    keepClock: (record) => writeNext(() => level.put('clock', seal('clock', Buffer.from(JSON.stringify(record))), { sync: true })),

    async recover() {
      // LevelDB cannot be opened on a full disk. Until there is room, final claims are read from the one that is open.
      await checkRoom(folder);
      await writing.catch(() => {});
      await level.close();
      level = await open(folder, true);
      await checkLeft();
      identity = await identify(folder);
      torn = false;
    },

    watch: () => {},
    close: () => level.close(),
  };
  return log;
}

/** @param {Buffer | undefined} bytes */
const sumOf = (bytes) => bytes && crc32(bytes);
