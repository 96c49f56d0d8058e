/** Appends whole lines to the journal. */
import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { encode } from './records.js';

/** @typedef {import('./beginning.js').Entry} Entry */

export const createWriter = () => {
  let outgoing = Buffer.allocUnsafeSlow(16 * 1024);
  /** The record in [outgoing]. When it is read back, it need not be parsed. */
  let /** @type {{length: number, record: Entry} | undefined} */ written;

  const writer = {
    /** @param {number} descriptor @param {Entry} record @param {string} [before] */
    append(descriptor, record, before = '') {
      const text = `${before}${'by' in record ? encode(record) : JSON.stringify(record)}\n`;
      if (text.length * 3 > outgoing.length) outgoing = Buffer.allocUnsafeSlow(text.length * 4);
      const length = outgoing.write(text);
      written = { length, record };
      if (writeSync(descriptor, outgoing, 0, length) === length) return;
      // Only a part was written, as on a full disk. A newline first, or the next line would continue this broken one.
      if (before) throw Object.assign(new Error('there is no space for an entry'), { code: 'ENOSPC', syscall: 'write' });
      writer.append(descriptor, record, '\n');
      // Its place is not known: the broken line stands before it.
      writer.forget();
    },

    /**
     * The record that was appended last, if [count] bytes of [incoming] are just that record.
     * @param {Buffer} incoming
     * @param {number} count
     */
    takeBack(incoming, count) {
      if (count !== written?.length || incoming.compare(outgoing, 0, count, 0, count) !== 0) return undefined;
      return writer.takeLast()?.record;
    },

    /** The record that was appended last, and its length; undefined if that was taken, or is not all that was written. */
    takeLast() {
      const last = written;
      writer.forget();
      return last;
    },

    /** The record that was appended last will not be read back as it was. */
    forget() {
      written = undefined;
    },
  };
  return writer;
};
