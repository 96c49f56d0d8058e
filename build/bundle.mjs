/** Bundles glue/ into dist/: one file an entry, with the core inside. */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { minify } from 'terser';
import { at, gzippedSize, report, write } from './files.mjs';
import { internalNames, together } from './internal-names.mjs';
import { plan, print } from './rename.mjs';
import { encode } from './text.mjs';
import { readModule, sameOrder, writeModule } from './wasm-module.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

/** The script-tag build may weigh so much, gzipped, Wasm included. */
export const SCRIPT_LIMIT = 12 * 1024;
/** And should weigh no more than this. */
const SCRIPT_AIM = 10 * 1024;

/**
 * What a bundle's `#` imports mean, and which entry it shares with another bundle instead of holding a copy.
 * @param {{place: string, core: string, shared?: string}} meaning
 * @returns {import('esbuild').Plugin}
 */
const meanings = ({ place, core, shared }) => ({
  name: 'meanings',
  setup(bundle) {
    bundle.onResolve({ filter: /^#place$/ }, () => ({ path: at(`glue/entries/${place}.js`) }));
    bundle.onResolve({ filter: /^#core$/ }, () => ({ path: at(`glue/core/${core}.js`) }));
    if (shared) bundle.onResolve({ filter: /^\.\/index\.js$/ }, () => ({ path: shared, external: true }));
  },
});

/**
 * Brings a script into the shape that compresses best. The Wasm's text moves to the end, where it is read in time, for that is at the first
 * use; so the program is in one piece. And all declarations begin with the same word.
 * @param {string} text
 */
const rearrange = (text) => {
  const [before, wasm = '', after = ''] = text.split(/^( *var embedded_default = .*\n)/m);
  const end = '})();\n';
  // A script tag is always in a browser.
  return `${(before + after).slice(0, -end.length)}${wasm}${end}`.replace(/^( *(for \()?)const /gm, '$1let ')
    .replace('typeof self === "undefined" ? globalThis : self', 'self').replace(/^"use strict";\n/, '');
};

/** Shorter names for what nobody else sees, in the Wasm too. @param {string} script */
const shorten = (script) => {
  const wasm = readFileSync(at('dist/core.wasm'));
  const planned = plan(script, internalNames, together, JSON.parse(readFileSync(at('build/short-names.json'), 'utf8')));
  const module = readModule(wasm);
  return print(planned).replace(encode(wasm), () => encode(writeModule(module, sameOrder(module), planned.shortOf)));
};

/**
 * @typedef {object} Bundle
 * @property {string} entry in glue/entries
 * @property {string} file in dist
 * @property {'iife' | 'esm' | 'cjs'} format
 * @property {'browser' | 'node'} [place]
 * @property {'wasm' | 'js'} [core]
 * @property {string} [shared] the bundle that has the package's root, as this one names it
 */

/** A bundle, minified; of a script, the names are still those of the source. @param {Bundle} bundle */
const minified = async ({ entry, format, place = 'browser', core = 'wasm', shared }) => {
  const result = await build({
    entryPoints: [at(`glue/entries/${entry}.js`)],
    bundle: true, write: false, legalComments: 'none', charset: 'ascii', metafile: true,
    // What the script-tag build has no use for: see glue/log/log.js.
    dropLabels: entry === 'script' ? ['PACKAGE'] : [],
    format, platform: place === 'node' ? 'node' : 'neutral', mainFields: [],
    target: place === 'node' ? 'node18.20' : 'es2017',
    plugins: [meanings({ place, core, shared })],
    logLevel: 'warning',
  });
  const isScript = entry === 'script';
  const [{ text: whole }] = result.outputFiles;
  const { code = '' } = await minify(isScript ? rearrange(whole) : whole, {
    module: format !== 'iife',
    ecma: 2017,
    compress: { passes: 3, pure_getters: true, unsafe_arrows: true, inline: 1 },
    mangle: !isScript,
    format: { ascii_only: true },
  });
  return { code, metafile: result.metafile };
};

/** The whole file. @param {string} code */
export const withHeading = (code) => `/* lockkeeper ${version}, MIT */\n${code}\n`;

/** @param {Bundle} bundle */
const bundleOne = async (bundle) => {
  const { code, metafile } = await minified(bundle);
  const text = withHeading(bundle.entry === 'script' ? shorten(code) : code);
  write(`dist/${bundle.file}`, text);
  return { file: bundle.file, text, metafile };
};

/** For build/search.mjs. */
export const scriptBeforeRenaming = async () => (await minified(bundlesOf('wasm', '')[0])).code;

/** What the script-tag build is made of, in minified bytes. @param {import('esbuild').Metafile} metafile */
const itemise = (metafile) => {
  /** @type {Record<string, number>} */
  const parts = {};
  for (const [path, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
    const part = path.includes('embedded') ? 'Wasm' : path.replace(/^glue\/(\w+)\/.*/, '$1');
    parts[part] = (parts[part] || 0) + bytesInOutput;
  }
  return Object.entries(parts).map(([part, bytes]) => `${part} ${bytes}`).join(', ');
};

/**
 * The bundles of one way of compiling the core.
 * @param {'wasm' | 'js'} core
 * @param {string} suffix of their names
 * @returns {Bundle[]}
 */
const bundlesOf = (core, suffix) => [
  { entry: 'script', file: `lockkeeper${suffix}.js`, format: 'iife', core },
  { entry: 'index', file: `lockkeeper${suffix}.mjs`, format: 'esm', core },
  { entry: 'auto', file: `auto${suffix}.mjs`, format: 'esm', core, shared: `./lockkeeper${suffix}.mjs` },
  { entry: 'drafts', file: `drafts${suffix}.mjs`, format: 'esm', core, shared: `./lockkeeper${suffix}.mjs` },
  { entry: 'core', file: `core${suffix}.mjs`, format: 'esm', core },
  { entry: 'core', file: `core${suffix}.cjs`, format: 'cjs', core },
  // Node's. Nobody else's bundle has a node: import.
  { entry: 'index', file: `node${suffix}.mjs`, format: 'esm', core, place: 'node' },
  { entry: 'index', file: `lockkeeper${suffix}.cjs`, format: 'cjs', core, place: 'node' },
  { entry: 'auto', file: `node-auto${suffix}.mjs`, format: 'esm', core, place: 'node', shared: `./node${suffix}.mjs` },
  { entry: 'auto', file: `auto${suffix}.cjs`, format: 'cjs', core, place: 'node', shared: `./lockkeeper${suffix}.cjs` },
  { entry: 'drafts', file: `node-drafts${suffix}.mjs`, format: 'esm', core, place: 'node', shared: `./node${suffix}.mjs` },
  { entry: 'drafts', file: `drafts${suffix}.cjs`, format: 'cjs', core, place: 'node', shared: `./lockkeeper${suffix}.cjs` },
];

/** Without a core: to be loaded before any other, where it is needed. @type {Parameters<typeof bundleOne>[0][]} */
const companions = [
  { entry: 'broadcast-channel', file: 'broadcast-channel.js', format: 'iife' },
  { entry: 'broadcast-channel', file: 'broadcast-channel.mjs', format: 'esm' },
  { entry: 'broadcast-channel', file: 'broadcast-channel.cjs', format: 'cjs' },
  { entry: 'indexed-db', file: 'indexed-db.js', format: 'iife' },
];

export const buildBundles = async () => {
  const bundles = await Promise.all([...bundlesOf('wasm', ''), ...bundlesOf('js', '.nowasm'), ...companions].map(bundleOne));
  for (const { file, text } of bundles) report(`dist/${file}`, text);
  const [script] = bundles;
  const size = gzippedSize(script.text);
  console.log(`dist/lockkeeper.js: ${size} bytes gzipped; the limit is ${SCRIPT_LIMIT}, the aim ${SCRIPT_AIM}`);
  console.log(`before it is minified: ${itemise(script.metafile)}`);
  if (size > SCRIPT_LIMIT) throw new Error('dist/lockkeeper.js is too large');
};
