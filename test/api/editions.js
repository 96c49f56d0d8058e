/** createLockManager() of the package, and of the script-tag build, which leaves things out. */
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { createLockManager } from '../../glue/api/lock-manager.js';

const glue = (/** @type {string} */ path) => fileURLToPath(new URL(`../../glue/${path}.js`, import.meta.url));

/**
 * A file of glue with all that it needs in browsers, as one script.
 * @param {string} path
 * @param {string} edition
 * @param {import('esbuild').BuildOptions} options
 */
export const scriptOf = (path, edition, options) => buildSync({
  ...options,
  entryPoints: [glue(path)],
  alias: { '#place': glue('entries/browser'), '#edition': glue(`edition/${edition}`) },
  bundle: true, write: false,
}).outputFiles[0].text;

const script = scriptOf('api/lock-manager', 'script', { format: 'esm' });

/** @type {Record<string, typeof createLockManager>} */
export const EDITIONS = {
  'the package': createLockManager,
  'the script tag': (await import(`data:text/javascript,${encodeURIComponent(script)}`)).createLockManager,
};
