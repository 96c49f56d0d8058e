/**
 * The file of the journal that a context reads and writes.
 *
 * @typedef {ReturnType<typeof fileOf>} OpenFile
 *
 * @param {string} name
 * @param {number} descriptor -1 if it is closed
 * @param {string} [previousId] the id of the head of the file before it, if known
 */
export const fileOf = (name, descriptor, previousId) => ({
  name,
  descriptor,
  previousId,
  /** How far the file has been read. */
  position: 0,
  /** Whether the head has been read; the file's first bytes at that time; and the head's id, if it has one. */
  headed: false,
  start: '',
  id: /** @type {string | undefined} */ (undefined),
  /** Whether its head has an earlier format. */
  former: false,
  /** Whether the file before it has an earlier format. Then this one begins with an empty state. */
  heir: false,
  /** When this context has written and read beyond these positions, the next file or the next mark is due. */
  limit: Infinity,
  markAt: Infinity,
  /** Its `close`, once that is read. Nothing after it counts. */
  closing: /** @type {{close: string} | undefined} */ (undefined),
});
