/**
 * Checkpoints in etcd. The key `checkpoint` has {place, dropped, services, name, parts}. [place] is the revision of the last entry before
 * the checkpoint, and [services] are the servers of the log there. The state is a gzipped text, cut into [parts] pieces that etcd accepts.
 * Its first line is the state without the claims, and each other line is a claim. It is made and read piece by piece, since it may be
 * large.
 *
 * A checkpoint drops the entries up to the checkpoint before it; [dropped] is that place. So a server has to load a checkpoint only if it
 * is behind by a whole one. Each member's last dropped entry stays for now, since the member's next entry depends on it.
 */
import { randomUUID } from 'node:crypto';
import { Readable, pipeline } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { DataError, Unavailable } from './log.js';
import { parseObject } from './etcd-format.js';
import { encode, isUnchanged, results } from './etcd-keys.js';

/** @typedef {import('./services.js').ServicesSnapshot} ServicesSnapshot */
/** @typedef {{place: number, dropped: number, services: ServicesSnapshot, name: string, parts: number}} Pointer */
/** @typedef {{pointer: Pointer, revision: number}} Known [revision] of the pointer's key */

const PART = 600_000;
/** How many characters are compressed at once. */
const PIECE = 32_768;
/** Another checkpoint was written meanwhile. */
class MissingPart extends Error {}

/** How many keys are deleted at once. */
const PAGE = 500;

/** @type {Known} */
export const NO_CHECKPOINT = {
  pointer: { place: 0, dropped: 0, services: { last: 0, clock: 0, members: [] }, name: '', parts: 0 }, revision: 0,
};

/**
 * @param {import('./etcd-keys.js').Keys} keys
 * @param {any} response of a range of the key
 * @returns {Known}
 */
export function readPointer(keys, response) {
  const [found] = results(response);
  if (!found) return NO_CHECKPOINT;
  const isPointer = (/** @type {any} */ { place, dropped, parts }) => [place, dropped, parts].every(Number.isInteger);
  return { pointer: parseObject(keys, found.value, isPointer), revision: found.revision };
}

/**
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {import('./etcd-keys.js').Keys} keys
 */
export function createCheckpoints(etcd, keys) {
  /** @returns {Promise<Known & {content: any[]}>} [content]: line by line */
  async function read() {
    for (let missed = '', times = 0; ;) {
      const known = readPointer(keys, await etcd.call('Range', { key: keys.checkpoint }));
      const { name, parts } = known.pointer;
      if (parts === 0) return { ...known, content: [] };
      const content = await readLines(name, parts).catch((error) => {
        if (error instanceof MissingPart) return undefined;
        if (error instanceof Unavailable) throw error;
        throw new DataError(`The checkpoint below ${keys.prefix} is damaged: ${error.message}. Nothing was changed.`, error);
      });
      if (content) return { ...known, content };
      // If a part is missing, there is another checkpoint by now.
      times = name === missed ? times + 1 : 0;
      missed = name;
      if (times === 2) throw new DataError(`A part of the checkpoint below ${keys.prefix} is missing in etcd. Nothing was changed.`);
    }
  }

  /**
   * @param {string} name
   * @param {number} count
   */
  async function readLines(name, count) {
    async function* parts() {
      for (let part = 0; part < count; part += 1) {
        const { kvs: [found] = [] } = await etcd.call('Range', { key: keys.part(name, part) });
        if (!found) throw new MissingPart();
        yield found.value;
      }
    }
    const lines = [];
    let text = '';
    for await (const piece of through(parts(), createGunzip()).setEncoding('utf8')) {
      const pieces = (text + piece).split('\n');
      text = /** @type {string} */ (pieces.pop());
      for (const line of pieces) lines.push(JSON.parse(line));
    }
    return lines;
  }

  /**
   * @param {Known} before the checkpoint that this one replaces
   * @param {number} place
   * @param {ServicesSnapshot} services
   * @param {Iterable<object>} content line by line
   * @param {object} formatGuard
   * @returns {Promise<boolean>} false if another server has written one meanwhile
   */
  async function write(before, place, services, content, formatGuard) {
    const name = randomUUID();
    let parts = 0;
    /** @type {Buffer[]} */
    let waiting = [];
    let size = 0;
    const flush = async () => {
      const value = Buffer.concat(waiting);
      [waiting, size] = [[], 0];
      await etcd.call('Put', { key: keys.part(name, parts), value });
      parts += 1;
    };
    for await (const piece of through(inPieces(content), createGzip({ level: 1 }))) {
      waiting.push(piece);
      size += piece.length;
      if (size >= PART) await flush();
    }
    await flush();
    /** @type {Pointer} */
    const pointer = { place, dropped: before.pointer.place, services, name, parts };
    const { succeeded, responses } = await etcd.call('Txn', {
      compare: [isUnchanged(keys.checkpoint, before.revision), formatGuard],
      success: [{ request_put: { key: keys.checkpoint, value: encode(JSON.stringify(pointer)) } }],
      failure: [{ request_range: { key: keys.checkpoint } }],
    });
    // An attempt that lost its answer may have written it.
    if (succeeded || readPointer(keys, responses[0].response_range).pointer.name === name) return true;
    await drop(keys.partsOf(name), keys.partsOfEnd(name));
    return false;
  }

  /**
   * Deletes what is unneeded after the checkpoint [before] was replaced by [present]. This server may be stopped meanwhile, or its request
   * may arrive late. So it deletes only what is never needed again, whatever others have written since.
   * @param {Known} before
   * @param {Known} present
   * @param {boolean} compact
   */
  async function clean({ pointer: { services } }, present, compact) {
    await dropParts(present);
    let [batches, joins] = [keys.batches, keys.joins];
    for (const { id, number } of [...services.members].sort((one, other) => one.id - other.id)) {
      await drop(batches, keys.batch(id, number));
      await drop(joins, keys.join(id));
      [batches, joins] = [keys.batchesEnd(id), keys.join(id + 1)];
    }
    await drop(batches, keys.batch(services.last + 1, 0));
    const { header } = await drop(joins, keys.join(services.last + 1));
    // Another server may have done it already.
    if (compact) await etcd.call('Compact', { revision: header.revision }).catch(() => {});
  }

  /**
   * The writer of a part that is older than the present pointer, and not of it, can no longer put a pointer: its condition is an earlier
   * one. Newer parts may belong to the next checkpoint.
   * @param {Known} present
   */
  async function dropParts({ pointer: { name }, revision }) {
    const range = await etcd.call('Range', { key: keys.parts, range_end: keys.partsEnd, keys_only: true });
    const own = keys.partsOf(name);
    for (const { key, revision: written } of results(range)) {
      if (written < revision && !key.subarray(0, own.length).equals(own)) await etcd.call('DeleteRange', { key });
    }
  }

  /**
   * Deletes page by page, since a transaction that deletes very many keys delays all others.
   * @param {Buffer} from
   * @param {Buffer} to
   */
  async function drop(from, to) {
    for (;;) {
      const found = await etcd.call('Range', { key: from, range_end: to, keys_only: true, limit: PAGE });
      const last = found.kvs?.at(-1)?.key;
      if (!last) return found;
      const end = Buffer.concat([last, Buffer.from([0])]);
      await etcd.call('DeleteRange', { key: from, range_end: end });
    }
  }

  return { read, write, clean };
}

/**
 * The lines as text, several at a time, since each call of the compressor costs more than a line.
 * @param {Iterable<object>} content
 */
function* inPieces(content) {
  let text = '';
  for (const line of content) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * @param {Iterable<any> | AsyncIterable<any>} source
 * @param {import('node:zlib').Gzip | import('node:zlib').Gunzip} transform
 */
function through(source, transform) {
  return pipeline(Readable.from(source), transform, () => {});
}
