/** Compiles the core: dist/core.wasm; from that build/out/embedded.js, its bytes as text, and build/out/core.js, the same in JavaScript. */
import { readFileSync } from 'node:fs';
import { at, report, run, write } from './files.mjs';
import { encode } from './text.mjs';

/** What must not be in it: everything that came after the first Wasm. */
const laterFeatures = [
  'mutable-globals',
  'saturating-float-to-int',
  'sign-extension',
  'simd',
  'multi-value',
  'bulk-memory',
  'reference-types'
];

const cleared = 'build/out/wasm/core.cleared.wasm';
const graph = 'build/out/wasm/exports.json';

/** The names that csrc/wasm.c exports. */
const exportedNames = () => {
  const source = readFileSync(at('csrc/wasm.c'), 'utf8');
  return ['memory', ...[...source.matchAll(/^EXPORT\((\w+)\)/gm)].map(([, name]) => name)];
};

const compile = () => {
  run('emcmake', ['cmake', '-S', '.', '-B', 'build/out/wasm', '-DCMAKE_BUILD_TYPE=Release']);
  run('cmake', ['--build', 'build/out/wasm', '--target', 'core']);
};

/** Takes away what Emscripten exports besides, and all that only that needs. */
const clear = () => {
  const names = exportedNames();
  const nodes = [{ name: 'root', root: true, reaches: names }, ...names.map((name) => ({ name, export: name }))];
  write(graph, JSON.stringify(nodes));
  run('wasm-metadce', ['build/out/wasm/core.wasm', '--graph-file', graph, '-o', cleared]);
  // Flat code gives the optimiser more to find.
  const options = ['--mvp-features', '--flatten', '--rereloop', '-Oz', '-Oz', '--converge', '--strip-producers', '--strip-debug'];
  run('wasm-opt', [...options, cleared, '-o', 'dist/core.wasm']);
};

const check = () => {
  run('wasm-validate', [...laterFeatures.map((feature) => `--disable-${feature}`), 'dist/core.wasm']);
  const module = new WebAssembly.Module(readFileSync(at('dist/core.wasm')));
  if (WebAssembly.Module.imports(module).length) throw new Error('dist/core.wasm imports something');
};

/**
 * Replaces what must be there exactly once.
 * @param {string} text
 * @param {string} part
 * @param {string} replacement
 */
const replaceOnce = (text, part, replacement) => {
  const parts = text.split(part);
  if (parts.length !== 2) throw new Error(`wasm2js wrote something else than expected: ${parts.length - 1} times ${part}`);
  return parts.join(replacement);
};

/** The same core as JavaScript: wasm2js gives one instance, ready made; this makes it a function that gives one each time. */
const translate = () => {
  run('wasm2js', ['-Oz', 'dist/core.wasm', '-o', 'build/out/wasm/core.js']);
  const text = readFileSync(at('build/out/wasm/core.js'), 'utf8');
  const [body] = text.split('\nvar retasmFunc');
  let factory = replaceOnce(body, 'function asmFunc(env) {', 'export default function () {');
  // Without memory, wasm2js throws in the middle of an operation and leaves the old size to be taken for success.
  factory = replaceOnce(
    factory,
    'var newBuffer = new ArrayBuffer(Math_imul(newPages, 65536));',
    'var newBuffer;\n   try { newBuffer = new ArrayBuffer(newPages * 65536); } catch (error) { return -1; }'
  );
  factory = replaceOnce(factory, 'newPages < 65536', 'newPages <= 32768');
  factory = replaceOnce(factory, ' var abort = env.abort;\n', '');
  factory = replaceOnce(factory, 'return oldPages;', 'else return -1;\n  return oldPages;');
  factory = `// @ts-nocheck\n${factory}`;
  write('build/out/core.js', factory);
  report('build/out/core.js', factory);
};

export const buildCore = () => {
  compile();
  clear();
  check();
  const bytes = readFileSync(at('dist/core.wasm'));
  report('dist/core.wasm', bytes);
  const { text, alphabet } = encode(bytes);
  const embedded = `export const text = '${text}';\nexport const alphabet = '${alphabet}';\n`;
  write('build/out/embedded.js', embedded);
  report('build/out/embedded.js', embedded);
  translate();
};
