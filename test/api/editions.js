/** createLockManager() as the package has it, and as the script-tag build has it, which leaves things out. */
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { createLockManager } from '../../glue/api/lock-manager.js';

const pathOf = (/** @type {string} */ relative) => fileURLToPath(new URL(relative, import.meta.url));

const [{ text }] = buildSync({
  entryPoints: [pathOf('../../glue/api/lock-manager.js')],
  alias: { '#edition': pathOf('../../glue/edition/script.js') },
  bundle: true,
  format: 'esm',
  write: false,
}).outputFiles;

/** @type {Record<string, typeof createLockManager>} */
export const EDITIONS = {
  'the package': createLockManager,
  'the script tag': (await import(`data:text/javascript,${encodeURIComponent(text)}`)).createLockManager,
};
