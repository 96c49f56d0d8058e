/** A page with workers, each of which has a connection to the database; the page asks them for transactions, one after the other. */
import { startWorker } from './calls.js';

/** @type {Record<string, ReturnType<typeof startWorker>>} */
const workers = {};
/** Tells the other tabs what has committed here. */
const channel = new BroadcastChannel('committed');

self.sqlite = {
  /** How many transactions of each writer have committed: its lines are 1, 2, 3, … */
  committed: {},
  /** The same for other tabs, as far as they have told. */
  elsewhere: {},
  stopped: false,

  /** @param {string} writer @param {string} vfs @param {string} file */
  async open(writer, vfs, file) {
    workers[writer] = startWorker('sqlite-worker.js');
    self.sqlite.committed[writer] = 0;
    await workers[writer]('open', vfs, file);
  },

  /** @param {string} writer @param {string} method @param {...any} values */
  ask: (writer, method, ...values) => workers[writer](method, ...values),

  /** Lets all workers of this page write, until stop() or for so many transactions each. @param {number} [most] */
  async write(most = Infinity) {
    const { committed } = self.sqlite;
    await Promise.all(Object.entries(workers).map(async ([writer, ask]) => {
      for (let left = most; left > 0 && !self.sqlite.stopped; left--) {
        await ask('move', writer, committed[writer] + 1);
        committed[writer]++;
        channel.postMessage([writer, committed[writer]]);
      }
    }));
    return committed;
  },
};

channel.onmessage = ({ data: [writer, line] }) => { self.sqlite.elsewhere[writer] = line; };
