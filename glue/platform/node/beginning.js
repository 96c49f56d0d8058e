/**
 * Finds where a new context begins to read a file of the journal. It can skip a closed file, and everything before the last mark, which
 * repeats the state at some place in the file. Heads, marks and closes begin with the strings below; records never do.
 *
 * @typedef {object} Head
 * @property {number} head its format
 * @property {string} [id] unique to the head
 * @property {string} [after] the id of the head of the file before this one
 * @property {string} state
 *
 * @typedef {{mark: number, state: string}} Mark the state at the position [mark] in the same file
 * @typedef {{close: string}} Close
 * @typedef {Head | Mark | Close | import('./copy.js').Record} Entry a line of the journal
 */

import { entryOf } from './records.js';

/** How a head begins. */
export const HEAD = '{"head":';
const MARK = '\n{"mark":';
const CLOSE = '\n{"close":';

/**
 * The line of [bytes] at [start], parsed.
 * @template {Head | Mark | Close} Kind the kind of this line, known from its beginning
 * @param {Buffer} bytes
 * @param {number} start
 * @returns {Kind | undefined} undefined if the line is incomplete or invalid
 */
const lineAt = (bytes, start) => {
  const end = bytes.indexOf('\n', start);
  if (end < 0) return undefined;
  try {
    return /** @type {Kind | undefined} */ (entryOf(JSON.parse(bytes.toString('utf8', start, end))));
  } catch {
    return undefined;
  }
};

/**
 * @typedef {object} Beginning
 * @property {number} start the position of the head
 * @property {Head} head
 * @property {Close | undefined} close
 * @property {Mark | undefined} mark
 *
 * @param {Buffer} bytes the file's content, from its beginning
 * @returns {Beginning | undefined} undefined if the file must be read line by line
 */
export const findBeginning = (bytes) => {
  // A head may follow a newline: an earlier writer may have ended in the middle of another head.
  const start = bytes.indexOf(HEAD);
  if (start < 0 || (start > 0 && bytes[start - 1] !== CLOSE.charCodeAt(0))) return undefined;
  /** @type {Head | undefined} */
  const head = lineAt(bytes, start);
  if (!head) return undefined;
  const closed = bytes.indexOf(CLOSE, start);
  if (closed >= 0) {
    /** @type {Close | undefined} */
    const close = lineAt(bytes, closed + 1);
    return close && { start, head, close, mark: undefined };
  }
  const marked = bytes.lastIndexOf(MARK);
  return { start, head, close: undefined, mark: marked > start ? lineAt(bytes, marked + 1) : undefined };
};
