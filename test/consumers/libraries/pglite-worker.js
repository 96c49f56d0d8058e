/** PGlite's worker: the one that has the election's lock runs Postgres for all tabs. */
import { PGlite } from '@electric-sql/pglite';
import { worker } from '@electric-sql/pglite/worker';

worker({
  init({ dataDir }) {
    self.postMessage({ type: 'leads' });
    return PGlite.create({ dataDir });
  },
});
