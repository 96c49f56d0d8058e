/** Compiles the core to dist/core.wasm, and that to build/out/embedded.js (its bytes as text) and build/out/core.js (in JavaScript). */
import { readFileSync } from 'node:fs';
import { at, report, run, write } from './files.mjs';
import { encode } from './text.mjs';

/** The features that the Wasm must not use: all that came after its first version. */
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

/** Removes what Emscripten exports in addition, with all that only those exports need. */
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
 * Replaces a part that must occur exactly once.
 * @param {string} text
 * @param {string} part
 * @param {string} replacement
 */
const replaceOnce = (text, part, replacement) => {
  const parts = text.split(part);
  if (parts.length !== 2) throw new Error(`wasm2js wrote something else than expected: ${parts.length - 1} times ${part}`);
  return parts.join(replacement);
};

/** Translates the core to JavaScript: wasm2js writes one instance, and this makes it a function that creates one at each call. */
const translate = () => {
  run('wasm2js', ['-Oz', 'dist/core.wasm', '-o', 'build/out/wasm/core.js']);
  const text = readFileSync(at('build/out/wasm/core.js'), 'utf8');
  const [body] = text.split('\nvar retasmFunc');
  let factory = replaceOnce(body, 'function asmFunc(env) {', 'export default function () {');
  // Out of memory, the code of wasm2js throws in the middle of an operation, and the old size then looks like success.
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
