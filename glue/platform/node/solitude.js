/**
 * Determines whether this thread is the only one that writes to the journal. Then no line of others comes between its own, and it need not
 * read back what it has written.
 *
 * Each context first makes its sign of life, then announces itself (./arrivals.js), and only then writes. A context that listens, sees no
 * other sign of life and then reads has read all that others have written: a later writer announces itself first. So this context checks
 * for announcements after each of its own lines. If there are none, no line of others precedes that line.
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
    /** Makes this context check anew. What it knew may be wrong: signs of life may have been removed. */
    doubt() {
      alone = false;
      due = true;
    },

    /** Checks whether this context is alone, if a check is due. */
    consider() {
      if (!due || !arrivals) return;
      due = false;
      arrivals.any();
      if (life.hasOthers(client())) return;
      read();
      alone = isJoined() && journal.isAtEnd();
      // If the others are dead, nobody has noticed yet, since nobody waits for them.
      if (members().size > 1) bury();
    },

    /** Whether no new line of others precedes the line just written. Call it after each line. */
    lasts() {
      if (alone && arrivals?.any()) alone = false;
      return alone;
    },
  };
};
