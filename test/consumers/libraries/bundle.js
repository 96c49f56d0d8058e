/** Bundles the pages and workers of this folder, each with the library that it uses, into a temporary folder that a test server serves. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** What a library loads at run time, from beside the script. */
const ASSETS = {
  sqlite: ['wa-sqlite', 'wa-sqlite-async'].map((name) => `@journeyapps/wa-sqlite/dist/${name}.wasm`),
  pglite: ['pglite.wasm', 'pglite.data', 'initdb.wasm'].map((name) => `@electric-sql/pglite/dist/${name}`),
};

/**
 * The page NAME.html runs NAME.js, and its workers run NAME-worker.js, where these exist. Each loads /library.js first.
 * @param {string[]} names
 * @returns {Promise<{folder: string, remove: () => void}>}
 */
export const bundlePages = async (names) => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-libraries-')));
  const bundle = (/** @type {string[]} */ files, /** @type {string} */ first) => build({
    entryPoints: files.map((file) => path.join(HERE, file)).filter((file) => fs.existsSync(file)), outdir: folder, bundle: true,
    format: 'iife', minify: true, logLevel: 'error', banner: { js: first }, external: ['module', 'node:*', 'fs', 'path'],
    define: { 'import.meta.url': 'self.location.href' },
  });
  await bundle(names.map((name) => `${name}.js`), '');
  await bundle(names.map((name) => `${name}-worker.js`), 'importScripts("/library.js");');
  for (const name of names) {
    const scripts = ['/library.js', `${name}.js`].map((source) => `<script src="${source}"></script>`).join('\n');
    fs.writeFileSync(path.join(folder, `${name}.html`), `<!doctype html>\n<title>${name}</title>\n${scripts}\n`);
    for (const asset of ASSETS[/** @type {'sqlite'} */ (name)] ?? []) {
      fs.symlinkSync(path.join(MODULES, asset), path.join(folder, path.basename(asset)));
    }
  }
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
};
