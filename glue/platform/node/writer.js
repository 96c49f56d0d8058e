/** Appends whole lines to the journal. */
import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';
import { hasOwn } from '../../core/own-member.js';
import { encode } from './records.js';

/** @typedef {import('./beginning.js').Entry} Entry */

export const createWriter = () => {
  let outgoing = Buffer.allocUnsafeSlow(16 * 1024);
  /** The record in [outgoing], so that it need not be parsed when it is read back. */
  let /** @type {{length: number, record: Entry} | undefined} */ written;
  /** The line that takeLast() returned last, and its length; 0 if there is none. */
  let unread = Buffer.allocUnsafeSlow(16 * 1024);
  let unreadLength = 0;

  const writer = {
    /** @param {number} descriptor @param {Entry} record @param {string} [before] */
    append(descriptor, record, before = '') {
      const text = `${before}${hasOwn(record, 'by') ? encode(record) : JSON.stringify(record)}\n`;
      if (text.length * 3 > outgoing.length) outgoing = Buffer.allocUnsafeSlow(text.length * 4);
      const length = outgoing.write(text);
      written = { length, record };
      if (writeSync(descriptor, outgoing, 0, length) === length) return;
      // Only a part was written, as on a full disk. Begin with a newline, or the next line would continue this broken one.
      if (before) throw Object.assign(new Error('there is no space for an entry'), { code: 'ENOSPC', syscall: 'write' });
      writer.append(descriptor, record, '\n');
      // The broken line precedes it, so takeBack() and takeLast() must not use it.
      writer.forget();
    },

    /**
     * The record that was appended last, if [count] bytes of [incoming] are just that record.
     * @param {Buffer} incoming
     * @param {number} count
     */
    takeBack(incoming, count) {
      if (count !== written?.length || incoming.compare(outgoing, 0, count, 0, count) !== 0) return undefined;
      const { record } = written;
      writer.forget();
      return record;
    },

    /** The record that was appended last, and its length; undefined if it was already taken, or if more than that was written. */
    takeLast() {
      const last = written;
      if (!last) return undefined;
      unreadLength = last.length;
      [unread, outgoing] = [outgoing, unread];
      writer.forget();
      return last;
    },

    /**
     * Whether the line that takeLast() returned last ends at [position]. It does if nobody else has written.
     * @param {number} descriptor
     * @param {number} position
     */
    isWhereTaken(descriptor, position) {
      if (!unreadLength) return true;
      const found = Buffer.allocUnsafe(unreadLength);
      const count = readSync(descriptor, found, 0, unreadLength, position - unreadLength);
      const isThere = count === unreadLength && found.compare(unread, 0, count) === 0;
      if (isThere) unreadLength = 0;
      return isThere;
    },

    /** The record that was appended last must be read and parsed like any other. */
    forget() {
      written = undefined;
    },

    /** The next lines go to another file. */
    leaveFile() {
      writer.forget();
      unreadLength = 0;
    },
  };
  return writer;
};
