/**
 * The journal is the one order of everything that threads and processes write. It is a chain of files. The kernel makes the order: each
 * write appends one whole line, and all contexts read the same lines in the same order. So no context assigns numbers or leads. A context
 * may end or stop at any point, and the others can go on.
 *
 * - A file begins with a `head`, the state at its beginning. Several contexts may write the same head; the first one counts.
 * - A file ends with the first `close`, which names the next file. Lines after it are void, and their writers write them again in the
 *   next file.
 * - The next file has a new random name, and exists before the `close`. So a late context can follow the chain, or finds that it was
 *   removed. It can never begin another chain in its place.
 * - The first file is never removed. So all contexts that open the journal begin with the same file.
 * - From time to time a `mark` repeats the state, so that a new context need not read everything before it.
 *
 * All formats share `head` and `close`. So a journal of an earlier format can be closed and continued in the current format: see succeed()
 * and docs/decisions.
 */
import { Buffer } from 'node:buffer';
import { fstatSync } from 'node:fs';
import { hasOwn, ownMember } from '../../core/own-member.js';
import { findBeginning } from './beginning.js';
import { FIRST, createFiles, numberOf } from './files.js';
import { FORMAT, HEADS, SIZES, formerJournal, missingFiles, newerJournal, removedJournal } from './format.js';
import { fileOf } from './open-file.js';
import { createReader } from './reader.js';
import { createWriter } from './writer.js';

/** How many files a context opens at most in one read. Others may replace the newest file meanwhile, but hardly this often in a row. */
const ATTEMPTS = 1000;

/**
 * @param {object} parts
 * @param {() => string} parts.directory of the manager; known once it is opened
 * @param {() => string} parts.randomId
 * @param {() => Uint8Array} parts.snapshot the current state
 * @param {() => Uint8Array} parts.begin the state at the beginning of a new journal
 * @param {(bytes: Uint8Array) => void} parts.restore replaces this context's state. It may have applied the following records before
 * @param {(record: import('./copy.js').Record) => void} parts.apply applies the next record
 * @param {{first: number, next: number, marks: number}} [parts.sizes] smaller in tests
 */
export const createJournal = ({ directory, randomId, snapshot, begin, restore, apply, sizes = SIZES }) => {
  const files = createFiles(directory);
  let file = fileOf('', -1);
  /** Whether this context lacks the state of the chain at this position. */
  let astray = true;
  /** The file before this one, if it was skipped because it is closed. */
  let skipped = '';
  /** Whether nothing may be skipped, since the state is needed to write a head. */
  let thorough = false;
  /** Files that may be the newest one, the likeliest last. @type {string[]} */
  let candidates = [];
  /** Attempts to open a file in this read. */
  let attempts = 0;
  /** A next file that this context has made, and could not name in a `close` since the disk was full. */
  let unnamed = '';
  const reader = createReader();
  const writer = createWriter();

  const leaveFile = () => {
    const { descriptor } = file;
    file.descriptor = -1;
    if (descriptor >= 0) files.close(descriptor);
  };

  /** @param {import('./open-file.js').OpenFile} next */
  const goTo = (next) => {
    if (file.descriptor >= 0 && file.name === FIRST) files.leaveFirst(file.descriptor);
    leaveFile();
    file = next;
    writer.leaveFile();
  };

  /** @param {import('./beginning.js').Entry} record @param {string} [before] */
  const append = (record, before) => writer.append(file.descriptor, record, before);

  /** @param {Uint8Array} state */
  const appendHead = (state) =>
    append({ head: FORMAT, id: randomId(), after: file.previousId, state: Buffer.from(state).toString('base64') }, '\n');

  /** Sets when the next mark is due. @param {string} state in the mark or head @param {number} from its position */
  const marked = (state, from) => {
    file.markAt = from + Math.max(sizes.marks, HEADS * state.length);
  };

  /** @param {import('./beginning.js').Head} record @param {import('./beginning.js').Mark} [mark] where to begin, if there is one */
  const takeHead = (record, mark) => {
    if (file.headed) return;
    const { head, state } = record;
    if (head > FORMAT) throw newerJournal(files.folder);
    file.former = head < FORMAT;
    const after = ownMember(record, 'after');
    // The file before this one was emptied, and another journal was begun there.
    if (!file.former && !astray && after !== undefined && after !== file.previousId) throw removedJournal();
    file.headed = true;
    file.id = /** @type {string | undefined} */ (ownMember(record, 'id'));
    if (file.former) return;
    file.limit = Math.max(file.name === FIRST ? sizes.first : sizes.next, HEADS * state.length);
    marked(state, mark ? mark.mark : 0);
    if (!astray) return;
    astray = false;
    if (mark) file.position = mark.mark;
    restore(Buffer.from(mark ? mark.state : state, 'base64'));
  };

  /** @param {import('./beginning.js').Entry} record */
  const take = (record) => {
    if (hasOwn(record, 'head')) takeHead(record);
    else if (!file.headed) return;
    else if (hasOwn(record, 'close')) file.closing = record;
    else if (file.former) return;
    else if (hasOwn(record, 'mark')) marked(record.state, record.mark);
    else apply(record);
  };

  /** @param {string} next @returns {boolean} whether the file still exists */
  const tryOpen = (next) => {
    if (attempts++ > ATTEMPTS) throw missingFiles(files.folder);
    const opened = files.open(next);
    if (opened >= 0) goTo(fileOf(next, opened, file.id));
    return opened >= 0;
  };

  /**
   * Opens the newest file of the chain. A file without a head may not belong to it: heads are written after a `close` has named the file.
   */
  const openNewest = () => {
    astray = true;
    skipped = '';
    do if (!candidates.length) candidates = files.list();
    while (!tryOpen(candidates.pop() || FIRST));
  };

  /** The file has no head yet, or the writer of its head has ended in the middle. */
  const provideHead = () => {
    const goesOn = files.goesOnAfter(file.name);
    if (file.name === FIRST && !goesOn) appendHead(begin());
    else if (file.heir) throw formerJournal(files.folder);
    else if (skipped && astray && tryOpen(skipped)) thorough = true;
    else if (astray || goesOn) openNewest();
    // All files were emptied, and another journal was begun. This state must not go on beside it.
    else if (files.isBegunAnew()) throw removedJournal();
    else appendHead(snapshot());
  };

  /** @param {{close: string}} record */
  const follow = ({ close }) => {
    const { former } = file;
    candidates = [];
    if (tryOpen(close)) file.heir = former;
    else openNewest();
  };

  /** Lets a context without a state skip what it need not read. @returns {boolean} whether it has found where to continue */
  const leap = () => {
    if (thorough) return false;
    const beginning = findBeginning(reader.readAll(file.descriptor));
    if (!beginning) return false;
    const { start, head, close, mark } = beginning;
    if (close && head.head <= FORMAT) {
      file.former = head.head < FORMAT;
      skipped = file.former ? '' : file.name;
      follow(close);
      return true;
    }
    file.position = start;
    takeHead(head, mark);
    return !file.former;
  };

  /** @param {import('./beginning.js').Entry | undefined} entry @param {number} length of its line */
  const takeLine = (entry, length) => {
    file.position += length;
    if (entry) take(entry);
    return !file.closing;
  };

  /** Reads once, and handles the lines. @returns {boolean} whether there was nothing more to read */
  const readSome = () => {
    if (file.closing) {
      // If the next file could not be opened, this is a further attempt.
      follow(file.closing);
      return false;
    }
    if (astray && file.position === 0 && leap()) return false;
    const count = reader.read(file.descriptor, file.position);
    if (count === 0) return true;
    const record = file.headed && writer.takeBack(reader.bytes(), count);
    if (record) return takeLine(record, count);
    return reader.takeLines(takeLine) && !file.closing;
  };

  /** Reads and handles everything written since the last time. */
  const read = () => {
    // Otherwise, entries of others would be skipped.
    if (!writer.isWhereTaken(file.descriptor, file.position)) throw removedJournal();
    attempts = 0;
    for (;;) {
      if (!readSome()) continue;
      thorough = false;
      if (file.former) throw formerJournal(files.folder);
      if (file.headed) break;
      provideHead();
    }
    // Only when the state is complete, since this may fail.
    file.start ||= files.startOf(file.descriptor);
  };

  /** Writes a `close`, which counts only if it is the first one. @returns {string} the file named in it */
  const end = () => {
    const number = numberOf(file.name) + 1;
    const next = numberOf(unnamed) === number && files.has(unnamed) ? unnamed : `${number}-${randomId()}`;
    if (next !== unnamed) files.create(next);
    unnamed = next;
    append({ close: next });
    unnamed = '';
    return next;
  };

  const rotate = () => {
    const before = numberOf(file.name);
    const next = end();
    read();
    files.removeOld(file.name, numberOf(file.name) === before ? next : undefined);
  };

  return {
    /** Goes to the end of the chain, and restores the state. Throws an error with [isFormer] if the last file has an earlier format. */
    open() {
      goTo(fileOf(FIRST, files.openFirst()));
      astray = true;
      unnamed = '';
      read();
    },

    /**
     * Call it after open() has found an earlier format and no context that writes that format lives. It closes the last file; or, if that
     * is closed, it begins the next file with an empty state. Another context may have done so first, so call open() again.
     */
    succeed() {
      if (file.former) end();
      else appendHead(begin());
    },

    path: () => files.path(file.name),
    /** This file exists as long as the journal. */
    firstPath: () => files.path(FIRST),
    position: () => file.position,
    /** How far this context has read. */
    place: () => `${files.path(file.name)} ${file.position}`,
    number: () => numberOf(file.name),

    append,
    read,

    /** Handles the line that was appended last without reading it. Call it only if nobody else can have written since the last read(). */
    takeLast() {
      const last = writer.takeLast();
      if (last) takeLine(last.record, last.length);
      else read();
    },

    /** Whether this context has read to the end of the file. Call it after read(). */
    isAtEnd: () => fstatSync(file.descriptor).size === file.position,

    /** Call it after writing: begins a new file, or writes a mark, if this file has become long. */
    tidy() {
      if (file.position <= Math.min(file.limit, file.markAt)) return;
      // This context may not have read back its own last lines.
      read();
      if (file.position > file.limit) rotate();
      else if (file.position > file.markAt) {
        append({ mark: file.position, state: Buffer.from(snapshot()).toString('base64') });
        read();
      }
    },

    /** Whether the journal was removed: its first file, the current file, or the content of the current file. */
    isRemoved() {
      if (files.isFirstRemoved()) return true;
      const { name, descriptor, position, start } = file;
      const { nlink, size } = fstatSync(descriptor);
      // An emptied file may have grown to the same length again.
      if (size < position || !files.startOf(descriptor).startsWith(start) || !writer.isWhereTaken(descriptor, position)) return true;
      if (name !== FIRST && files.isBegunAnew()) return true;
      if (nlink > 0) return false;
      read();
      return file.name === name;
    },

    /** Shows that the files are in use. */
    touch: () => files.touch([FIRST, file.name]),

    close: leaveFile,
  };
};
