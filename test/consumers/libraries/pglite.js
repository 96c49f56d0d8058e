/** A page that writes to a Postgres which PGlite runs in one tab's worker: whichever leads. */
import { LeaderChangedError, PGliteWorker } from '@electric-sql/pglite/worker';

/** @type {PGliteWorker} */
let database;

/**
 * One statement as one message, so that nothing is left half asked when the leader dies. Again if it died: the statement may have run. One
 * tab at a time: PGlite answers at once, and not when all is in IndexedDB, while another statement's data are on their way there.
 * @param {string} sql
 * @returns {Promise<any[]>} the rows' fields, as text
 */
const query = (sql) => navigator.locks.request('statement', async () => {
  const text = new TextEncoder().encode(`${sql}\0`);
  const message = new Uint8Array(5 + text.length);
  message[0] = 'Q'.charCodeAt(0);
  new DataView(message.buffer).setInt32(1, 4 + text.length);
  message.set(text, 5);
  for (;;) {
    try {
      await database.waitReady;
      const { messages } = await database.execProtocol(message);
      return messages.filter(({ name }) => name === 'dataRow').map(({ fields }) => fields);
    } catch (error) {
      if (!(error instanceof LeaderChangedError)) throw error;
    }
  }
});

self.pglite = {
  committed: 0,
  /** PGlite's own isLeader misses it where the lock is granted before the page listens. */
  leads: false,
  stopped: false,

  async open() {
    const worker = new Worker('pglite-worker.js');
    worker.addEventListener('message', ({ data: { type } }) => { if (type === 'leads') self.pglite.leads = true; });
    database = await PGliteWorker.create(worker, { id: 'book', dataDir: 'idb://book' });
    // PGlite's own first query has several messages, and none of query()'s may come between them.
    await database.query('SELECT 1');
  },

  query,

  /** Writes lines 1, 2, 3, …, each once, whatever happens to the leader. @param {string} writer */
  async write(writer) {
    while (!self.pglite.stopped) {
      await query(`INSERT INTO book VALUES ('${writer}', ${self.pglite.committed + 1}) ON CONFLICT DO NOTHING`);
      self.pglite.committed++;
    }
    return self.pglite.committed;
  },
};
