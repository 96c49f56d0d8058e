/**
 * The journal: one order of all that is written, made by the kernel, for all threads and processes. It is a chain of files. Each write
 * appends one line, whole; what every context reads is the same lines in the same order, so nobody numbers, nobody leads, and whoever
 * ends or stops, at whatever point, leaves the others with all they need.
 *
 * A file begins with a `head`, the state at its beginning, and ends with the first `close`, which names the next file; lines behind
 * that are void, and their writers write them again in the next. The next file has a new random name and was there before the `close`,
 * so a context that comes late can follow the chain or find it gone, but never begin another one in its place. Several may write the
 * same head; the first counts. The first file is never removed: whoever finds the directory empty and whoever comes a moment later open
 * the same one. Every so often a `mark` repeats the state, so that whoever comes need not read all that was before.
 *
 * All formats have `head` and `close` in common. So a journal of a former format can be closed, as any file can, and goes on in the
 * present one: see succeed() and docs/decisions.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { findBeginning } from './beginning.js';
import { FIRST, createFiles, numberOf } from './files.js';
import { decode } from './records.js';
import { createWriter } from './writer.js';

/** The format of all this, and of the signs of life beside it; contexts of different ones must not meet. */
const FORMAT = 4;

/** Bytes in a file, and between two marks in it. */
const SIZES = { first: 16 * 1024, next: 64 * 1024, marks: 8 * 1024 };
/** With a large state, they are so many times the state. */
const HEADS = 4;

/** The files may be replaced by newer ones while they are looked for, but hardly so often. */
const ATTEMPTS = 1000;

const NEWLINE = 10;

/**
 * @param {object} parts
 * @param {string} parts.directory
 * @param {() => string} parts.randomId
 * @param {() => Uint8Array} parts.snapshot the state as it is
 * @param {() => Uint8Array} parts.begin the state at the beginning of a new journal
 * @param {(bytes: Uint8Array) => void} parts.restore the journal goes on from this state, whatever this context's is; what follows may
 *   be known already
 * @param {(record: any) => void} parts.apply one record, in its turn
 * @param {{first: number, next: number, marks: number}} [parts.sizes]
 */
export const createJournal = ({ directory, randomId, snapshot, begin, restore, apply, sizes = SIZES }) => {
  const files = createFiles(directory);
  let descriptor = -1;
  /** The first file's inode: who comes later begins with the file of that name, so it must stay the same one. */
  let firstInode = 0;
  let name = '';
  let position = 0;
  let limit = sizes.first;
  /** When this context is behind it, and has written, the next mark is due. */
  let markAt = Infinity;
  /** Whether this file's head has been read. */
  let headed = false;
  /** Whether its head has a former format. */
  let former = false;
  /** Whether the file before had one: what comes next begins anew. */
  let heir = false;
  /** Whether this context's state is not that of the chain up to here. */
  let astray = true;
  /** The `close` of this file, once it has been read: nothing behind it counts. @type {{close: string} | undefined} */
  let closing;
  /** The last file that was left out because it was closed. */
  let leftOut = '';
  /** Whether nothing is left out, since the state is needed to begin a file. */
  let thorough = false;
  /** @type {string[]} files that may be the newest, the likeliest last */
  let candidates = [];
  let incoming = Buffer.allocUnsafeSlow(16 * 1024);
  const writer = createWriter();

  /** @param {string} next @param {number} opened its descriptor */
  const goTo = (next, opened) => {
    if (descriptor >= 0) closeSync(descriptor);
    descriptor = opened;
    name = next;
    position = 0;
    headed = former = heir = false;
    closing = undefined;
    writer.forget();
  };

  /** @param {any} record @param {string} [before] */
  const append = (record, before) => writer.append(descriptor, record, before);

  /** @param {Uint8Array} state */
  const appendHead = (state) => append({ head: FORMAT, state: Buffer.from(state).toString('base64') }, '\n');

  /** @param {string} state of which as much was written @param {number} from */
  const marked = (state, from) => {
    markAt = from + Math.max(sizes.marks, HEADS * state.length);
  };

  /** @param {import('./beginning.js').Head} record @param {import('./beginning.js').Mark} [mark] where it goes on from there */
  const takeHead = ({ head, state }, mark) => {
    if (headed) return;
    if (head > FORMAT) {
      throw new Error(`Lockkeeper: ${files.folder} was written by a newer version of the package. Use that version here too.`);
    }
    headed = true;
    former = head < FORMAT;
    if (former) return;
    limit = Math.max(name === FIRST ? sizes.first : sizes.next, HEADS * state.length);
    marked(state, mark ? mark.mark : 0);
    if (!astray) return;
    astray = false;
    if (mark) position = mark.mark;
    restore(Buffer.from(mark ? mark.state : state, 'base64'));
  };

  /** @param {any} record */
  const take = (record) => {
    if (record.head) takeHead(record);
    else if (!headed) return;
    else if (record.close) closing = record;
    else if (former) return;
    else if (record.mark) marked(record.state, record.mark);
    else apply(record);
  };

  /** @param {string} next @returns {boolean} whether it is still there */
  const tryOpen = (next) => {
    const opened = files.open(next);
    if (opened >= 0) goTo(next, opened);
    return opened >= 0;
  };

  /** Looks for the newest file of the chain. One without a head may be nobody's: a head is written once the file before has named it. */
  const openNewest = () => {
    astray = true;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!candidates.length) candidates = files.list();
      const next = candidates.pop();
      if (next && tryOpen(next)) return;
    }
    throw new Error(`Lockkeeper: nothing to be read in ${files.folder}`);
  };

  const formerJournal = () => Object.assign(new Error(
    `Lockkeeper: an older version of the package is at work in ${files.folder}. End its threads and processes, or give them this version.`,
  ), { isFormer: true });

  /** The file has no head yet, or one whose writer ended in the middle. */
  const provideHead = () => {
    if (name === FIRST) appendHead(begin());
    else if (heir) throw formerJournal();
    else if (leftOut && astray && tryOpen(leftOut)) thorough = true;
    else if (astray) openNewest();
    else appendHead(snapshot());
  };

  /** @param {{close: string}} record */
  const follow = ({ close }) => {
    const anew = former;
    candidates = [];
    if (tryOpen(close)) heir = anew;
    else openNewest();
  };

  /** This context has no state yet: what it need not read, it leaves out. @returns {boolean} whether it has found where to go on */
  const leap = () => {
    if (thorough) return false;
    const { size } = fstatSync(descriptor);
    if (incoming.length < size) incoming = Buffer.allocUnsafeSlow(size * 2);
    const beginning = findBeginning(incoming.subarray(0, readSync(descriptor, incoming, 0, size, 0)));
    if (!beginning) return false;
    const { head, close, mark } = beginning;
    leftOut = '';
    if (close && head.head <= FORMAT) {
      const before = name;
      former = head.head < FORMAT;
      leftOut = former ? '' : before;
      follow(close);
    } else takeHead(head, mark);
    return !former || !!close;
  };

  /** @param {number} end of the lines in [incoming] */
  const takeLines = (end) => {
    for (let start = 0; start < end;) {
      const stop = incoming.indexOf(NEWLINE, start);
      let record;
      try {
        record = JSON.parse(incoming.toString('utf8', start, stop));
      } catch {
        // An empty line, or one whose writer ended in the middle: nothing, for everybody alike.
      }
      position += stop + 1 - start;
      start = stop + 1;
      if (record) take(Array.isArray(record) ? decode(record) : record);
      if (closing) return;
    }
  };

  /** Takes what can be had at once. @returns {boolean} whether that was all */
  const readSome = () => {
    if (closing) {
      // It may be the second time: the next file could perhaps not be opened at once.
      follow(closing);
      return false;
    }
    if (astray && position === 0 && leap()) return false;
    const count = readSync(descriptor, incoming, 0, incoming.length, position);
    if (count === 0) return true;
    const record = headed && writer.takeBack(incoming, count);
    if (record) {
      position += count;
      take(record);
      return !closing;
    }
    const end = incoming.lastIndexOf(NEWLINE, count - 1) + 1;
    if (end === 0 && count === incoming.length) incoming = Buffer.allocUnsafeSlow(incoming.length * 2);
    else {
      takeLines(end);
      return !closing && count < incoming.length;
    }
    return false;
  };

  /** Takes everything that has been written since the last time. */
  const read = () => {
    for (;;) {
      if (!readSome()) continue;
      thorough = false;
      if (former) throw formerJournal();
      if (headed) return;
      provideHead();
    }
  };

  /** Ends this file, where nobody else has. @returns {string} the next one, then */
  const end = () => {
    const next = `${numberOf(name) + 1}-${randomId()}`;
    files.create(next);
    append({ close: next });
    return next;
  };

  const rotate = () => {
    const before = numberOf(name);
    const next = end();
    read();
    files.removeOld(name, numberOf(name) === before ? next : undefined);
  };

  return {
    /** Goes to the end of the chain, and restores the state. Throws an error with [isFormer] where its end has a former format. */
    open() {
      const first = files.openFirst();
      astray = true;
      goTo(FIRST, first);
      firstInode = fstatSync(descriptor).ino;
      read();
    },

    /**
     * Where open() has found a former format, and nobody lives since who writes it: ends its last file; or, where that has ended, begins
     * anew in the next, if nobody else does so before. Whether it has worked, open() finds out.
     */
    succeed() {
      if (former) end();
      else appendHead(begin());
    },

    path: () => files.path(name),
    /** The file that is there as long as the journal is. */
    firstPath: () => files.path(FIRST),
    position: () => position,
    number: () => numberOf(name),

    append,
    read,

    /** After one's own entries: whether the file has got long is looked at by those who make it longer. */
    tidy() {
      if (position > limit) rotate();
      else if (position > markAt) {
        append({ mark: position, state: Buffer.from(snapshot()).toString('base64') });
        read();
      }
    },

    /** Whether somebody has removed the journal: its first file, or the one in which it goes on. */
    isRemoved() {
      if (files.inodeOf(FIRST) !== firstInode) return true;
      if (fstatSync(descriptor).nlink > 0) return false;
      const before = name;
      read();
      return name === before;
    },

    /** So that nobody takes the files for forgotten ones. */
    touch: () => files.touch([FIRST, name]),

    close() {
      if (descriptor >= 0) closeSync(descriptor);
      descriptor = -1;
    },
  };
};
