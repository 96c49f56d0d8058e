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
 * @param {() => void} parts.lost this context's state is not that of the others any more
 */
export const createSolitude = ({ surroundings: { arrivals, life }, journal, members, client, read, lost }) => {
  let alone = false;
  let due = false;

  const isJoined = () => members().size === 1 && members().has(client());

  const solitude = {
    /** It is to be found out anew. */
    doubt() {
      alone = false;
      due = true;
    },

    /**
     * Looks again, as somebody may have removed signs of life. The thread of one that was removed may have written although nobody was
     * announced, and even ended the file: then what this context has taken unread does not count for others.
     */
    doubtSometimes() {
      const isDeceived = alone && !journal.isAtEnd() && !arrivals?.any();
      solitude.doubt();
      if (isDeceived) lost();
    },

    /** Finds out whether this context is alone, if that is to be found out. */
    consider() {
      if (!due || !arrivals || !isJoined()) return;
      due = false;
      arrivals.any();
      if (life.hasOthers(client())) return;
      read();
      alone = isJoined() && journal.isAtEnd();
    },

    /** Call it after each line: whether nothing of others stands before it. */
    lasts() {
      if (alone && arrivals?.any()) alone = false;
      return alone;
    },
  };
  return solitude;
};
