/** How a context writes a line to the journal: whole, at its end. */
import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { encode } from './records.js';

export const createWriter = () => {
  let outgoing = Buffer.allocUnsafeSlow(16 * 1024);
  /** The record that [outgoing] holds, so that it need not be parsed when it comes back. */
  let written = { length: 0, record: /** @type {any} */ (undefined) };

  const writer = {
    /** @param {number} descriptor @param {any} record @param {string} [before] */
    append(descriptor, record, before = '') {
      const text = `${before}${record.by ? encode(record) : JSON.stringify(record)}\n`;
      if (text.length * 3 > outgoing.length) outgoing = Buffer.allocUnsafeSlow(text.length * 4);
      const length = outgoing.write(text);
      written = { length, record };
      if (writeSync(descriptor, outgoing, 0, length) === length) return;
      // A line that lost its end would take the next one's beginning with it.
      if (before) throw Object.assign(new Error('there is no space for an entry'), { code: 'ENOSPC', syscall: 'write' });
      writer.append(descriptor, record, '\n');
    },

    /** What was appended last, where [count] bytes of [incoming] are just that. @param {Buffer} incoming @param {number} count */
    takeBack(incoming, count) {
      if (count !== written.length || incoming.compare(outgoing, 0, count, 0, count) !== 0) return undefined;
      writer.forget();
      return written.record;
    },

    /** What was appended last does not come back as it was. */
    forget() {
      written.length = 0;
    },
  };
  return writer;
};
