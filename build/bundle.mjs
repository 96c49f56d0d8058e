/** Bundles glue/ into dist/: one file for each entry, with the core inside. */
import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';
import { minify } from 'terser';
import { at, gzippedSize, report, write } from './files.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

/**
 * How many bytes the script-tag build may have, gzipped, Wasm included. The aim was 14 KB, the first ten packets of a connection; plain
 * sources are worth more than that (docs/decisions, 15). test/build/size.test.js enforces the limit; the build only reports it.
 */
export const SCRIPT_LIMIT = 26400;

/**
 * Resolves a bundle's `#` imports, and the entry that it imports from another bundle instead of containing a copy.
 * @param {{place: string, core: string, edition: string, shared?: string}} meaning
 * @returns {import('esbuild').Plugin}
 */
const meanings = ({ place, core, edition, shared }) => ({
  name: 'meanings',
  setup(bundle) {
    bundle.onResolve({ filter: /^#place$/ }, () => ({ path: at(`glue/entries/${place}.js`) }));
    bundle.onResolve({ filter: /^#edition$/ }, () => ({ path: at(`glue/edition/${edition}.js`) }));
    bundle.onResolve({ filter: /^#core$/ }, () => ({ path: at(`glue/core/${core}.js`) }));
    if (shared) bundle.onResolve({ filter: /^\.\/index\.js$/ }, () => ({ path: shared, external: true }));
  },
});

/**
 * @typedef {object} Bundle
 * @property {string} entry in glue/entries
 * @property {string} file in dist
 * @property {'iife' | 'esm' | 'cjs'} format
 * @property {'browser' | 'node'} [place]
 * @property {'wasm' | 'js'} [core]
 * @property {string} [shared] the path from this bundle to the one with the package's root
 */

/**
 * Node prints the line of an error's origin before its message. In a minified file that line is the whole file.
 * @param {Pick<Bundle, 'entry' | 'place'>} bundle
 */
const isReadable = ({ entry, place }) => place === 'node' || entry === 'core';

/**
 * The options of esbuild for [bundle].
 * @param {Bundle} bundle
 * @returns {import('esbuild').BuildOptions & {write: false}}
 */
const optionsOf = ({ entry, format, place = 'browser', core = 'wasm', shared }) => ({
  entryPoints: [at(`glue/entries/${entry}.js`)],
  bundle: true, write: false, legalComments: 'none', charset: 'ascii', minifySyntax: !isReadable({ entry, place }),
  format, platform: place === 'node' ? 'node' : 'neutral', mainFields: [],
  target: place === 'node' ? 'node18.20' : 'es2017',
  plugins: [meanings({ place, core, edition: entry === 'script' ? 'script' : 'package', shared })],
  logLevel: 'warning',
});

/**
 * Minifies with terser, with settings that keep the program's behaviour. Properties keep their names (docs/decisions, 15).
 * @param {string} code
 * @param {Bundle} bundle
 */
const minified = async (code, { format }) => {
  const { code: smaller = '' } = await minify(code, {
    module: format !== 'iife',
    ecma: 2017,
    compress: { passes: 3, pure_getters: true, unsafe_arrows: true, inline: 1 },
    format: { ascii_only: true },
  });
  return `${smaller}\n`;
};

/** @param {Bundle} bundle */
const bundleOne = async (bundle) => {
  const { outputFiles: [{ text: bundled }] } = await build(optionsOf(bundle));
  const text = `/* lockkeeper ${version}, MIT */\n${isReadable(bundle) ? bundled : await minified(bundled, bundle)}`;
  write(`dist/${bundle.file}`, text);
  return { file: bundle.file, text };
};

/**
 * Prints what each folder of glue/, and the Wasm, adds to [bundle]: how much smaller it is without them. It measures the output of esbuild
 * alone, which is a twentieth larger than the built file but shows the origin of each part.
 * @param {Bundle} bundle
 */
const reportParts = async (bundle) => {
  const { outputFiles: [{ text }] } = await build({ ...optionsOf(bundle), format: 'esm', minifyIdentifiers: true });
  const [, ...pieces] = text.split(/^\/\/ ((?:glue|build)\/.*)\n/m);
  /** @type {{part: string, code: string}[]} */
  const files = [];
  for (let i = 0; i < pieces.length; i += 2) {
    const part = pieces[i].startsWith('build/') ? 'compiled core' : pieces[i].split('/').slice(0, 2).join('/');
    files.push({ part, code: (await transform(pieces[i + 1], { minifyWhitespace: true })).code });
  }
  const sizeWithout = (/** @type {string} */ part) =>
    gzippedSize(files.filter((file) => file.part !== part).map((file) => file.code).join(''));
  const whole = sizeWithout('');
  const parts = [...new Set(files.map(({ part }) => part))].sort();
  console.log(`${bundle.file} by part, gzipped: ${parts.map((part) => `${part} ${whole - sizeWithout(part)}`).join(', ')}`);
};

/**
 * The bundles with the core compiled in one way.
 * @param {'wasm' | 'js'} core
 * @param {string} suffix of their names
 * @returns {Bundle[]}
 */
const bundlesOf = (core, suffix) => [
  { entry: 'script', file: `lockkeeper${suffix}.js`, format: 'iife', core },
  { entry: 'index', file: `lockkeeper${suffix}.mjs`, format: 'esm', core },
  { entry: 'auto', file: `auto${suffix}.mjs`, format: 'esm', core, shared: `./lockkeeper${suffix}.mjs` },
  { entry: 'drafts', file: `drafts${suffix}.mjs`, format: 'esm', core, shared: `./lockkeeper${suffix}.mjs` },
  { entry: 'patterns', file: `patterns${suffix}.mjs`, format: 'esm', core, shared: `./lockkeeper${suffix}.mjs` },
  { entry: 'core', file: `core${suffix}.mjs`, format: 'esm', core },
  { entry: 'core', file: `core${suffix}.cjs`, format: 'cjs', core },
  // Node's bundles. No other bundle has a node: import.
  { entry: 'index', file: `node${suffix}.mjs`, format: 'esm', core, place: 'node' },
  { entry: 'index', file: `lockkeeper${suffix}.cjs`, format: 'cjs', core, place: 'node' },
  { entry: 'auto', file: `node-auto${suffix}.mjs`, format: 'esm', core, place: 'node', shared: `./node${suffix}.mjs` },
  { entry: 'auto', file: `auto${suffix}.cjs`, format: 'cjs', core, place: 'node', shared: `./lockkeeper${suffix}.cjs` },
  { entry: 'drafts', file: `node-drafts${suffix}.mjs`, format: 'esm', core, place: 'node', shared: `./node${suffix}.mjs` },
  { entry: 'patterns', file: `node-patterns${suffix}.mjs`, format: 'esm', core, place: 'node', shared: `./node${suffix}.mjs` },
  { entry: 'drafts', file: `drafts${suffix}.cjs`, format: 'cjs', core, place: 'node', shared: `./lockkeeper${suffix}.cjs` },
  { entry: 'patterns', file: `patterns${suffix}.cjs`, format: 'cjs', core, place: 'node', shared: `./lockkeeper${suffix}.cjs` },
];

/** Bundles without a core. Load them before any other, if needed. @type {Bundle[]} */
const companions = [
  { entry: 'indexed-db', file: 'indexed-db.js', format: 'iife' },
];

export const buildBundles = async () => {
  const bundles = await Promise.all([...bundlesOf('wasm', ''), ...bundlesOf('js', '.nowasm'), ...companions].map(bundleOne));
  for (const { file, text } of bundles) report(`dist/${file}`, text);
  const size = gzippedSize(bundles[0].text);
  await reportParts(bundlesOf('wasm', '')[0]);
  console.log(`dist/lockkeeper.js: ${size} bytes gzipped, ${size > SCRIPT_LIMIT ? 'TOO LARGE: ' : ''}the limit is ${SCRIPT_LIMIT}`);
};
