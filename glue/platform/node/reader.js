/** Reads lines of the journal. */
import { Buffer } from 'node:buffer';
import { fstatSync, readSync } from 'node:fs';
import { entryOf } from './records.js';

const NEWLINE = 10;

export const createReader = () => {
  let incoming = Buffer.allocUnsafeSlow(16 * 1024);
  /** How many bytes the last read() has read. */
  let count = 0;

  /** If a line is not JSON, it is empty or its writer has ended in the middle. All contexts ignore it. @param {string} line */
  const parse = (line) => {
    try {
      return entryOf(JSON.parse(line));
    } catch (error) {
      // If the stack has ended, this context alone would ignore the line.
      if (error instanceof RangeError) throw error;
      return undefined;
    }
  };

  return {
    /** The bytes of the last read(), followed by older ones. */
    bytes: () => incoming,

    /** The whole file. @param {number} descriptor */
    readAll(descriptor) {
      const { size } = fstatSync(descriptor);
      if (incoming.length < size) incoming = Buffer.allocUnsafeSlow(size * 2);
      return incoming.subarray(0, readSync(descriptor, incoming, 0, size, 0));
    },

    /** @param {number} descriptor @param {number} position @returns {number} how many bytes were read from there */
    read: (descriptor, position) => (count = readSync(descriptor, incoming, 0, incoming.length, position)),

    /**
     * Passes on the complete lines among the bytes of the last read().
     * @param {(entry: import('./beginning.js').Entry | undefined, length: number) => boolean} take gets each line's entry, and the line's
     *   length; returns whether to go on
     * @returns {boolean} whether nothing more is left to read
     */
    takeLines(take) {
      const end = incoming.lastIndexOf(NEWLINE, count - 1) + 1;
      if (end === 0 && count === incoming.length) {
        incoming = Buffer.allocUnsafeSlow(incoming.length * 2);
        return false;
      }
      for (let start = 0; start < end;) {
        const stop = incoming.indexOf(NEWLINE, start);
        const entry = parse(incoming.toString('utf8', start, stop));
        if (!take(entry, stop + 1 - start)) break;
        start = stop + 1;
      }
      return count < incoming.length;
    },
  };
};
