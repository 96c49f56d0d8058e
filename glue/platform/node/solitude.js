/**
 * Knows whether this thread is the only one that writes to the journal. Then its lines follow one another, and it need not read back what
 * it has written.
 *
 * Each context first makes its sign of life, then announces itself (./arrivals.js), and only then writes. A context that hears, sees no
 * other sign of life, and then reads, has read all that others have written: whoever writes later announces itself before. So after each
 * line of its own it looks for announcements. If there are none, nothing of others stands before that line.
 */

/**
 * @param {object} parts
 * @param {import('./types.js').Surroundings} parts.surroundings
 * @param {import('./types.js').Journal} parts.journal
 * @param {() => Set<string>} parts.members
 * @param {() => string} parts.client this context's
 * @param {() => void} parts.read reads the journal
 * @param {() => void} parts.bury checks whether other members live
 */
export const createSolitude = ({ surroundings: { arrivals, life }, journal, members, client, read, bury }) => {
  let alone = false;
  let due = false;

  const isJoined = () => members().size === 1 && members().has(client());

  return {
    /** It is to be found out anew. What was known may be wrong by now: somebody may have removed signs of life. */
    doubt() {
      alone = false;
      due = true;
    },

    /** Finds out whether this context is alone, if that is to be found out. */
    consider() {
      if (!due || !arrivals) return;
      due = false;
      arrivals.any();
      if (life.hasOthers(client())) return;
      read();
      alone = isJoined() && journal.isAtEnd();
      // Nobody else waits for those that have died, so nobody has noticed.
      if (members().size > 1) bury();
    },

    /** Call it after each line: whether nothing of others stands before it. */
    lasts() {
      if (alone && arrivals?.any()) alone = false;
      return alone;
    },
  };
};
