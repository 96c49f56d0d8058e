/** The tools on which dist/ depends and that package-lock.json does not pin. Other versions of them write other bytes. */
import { run } from './files.mjs';

/** The versions that built the committed dist/. test/build/tools.test.js compares them with the installed ones. */
export const TOOLS = { Emscripten: '3.1.6', Binaryen: '108', clang: '14.0.6' };

/** @returns {typeof TOOLS} the installed versions; for clang, of the one that Emscripten runs */
export const installedTools = () => {
  const macros = run('emcc', ['-E', '-dM', '-x', 'c', '/dev/null']);
  const macro = (/** @type {string} */ name) => (new RegExp(`#define ${name} "?([\\d.]+)`).exec(macros) || [])[1];
  return {
    Emscripten: ['major', 'minor', 'tiny'].map((part) => macro(`__EMSCRIPTEN_${part}__`)).join('.'),
    Binaryen: (/\d+/.exec(run('wasm-opt', ['--version'])) || [''])[0],
    clang: macro('__clang_version__'),
  };
};

/** @param {typeof TOOLS} tools */
const listOf = (tools) => Object.entries(tools).map((tool) => tool.join(' ')).join(', ');

/** @param {typeof TOOLS} installed */
export const describeTools = (installed) => {
  const [before, now] = [listOf(TOOLS), listOf(installed)];
  if (now === before) return `Tools: ${now}`;
  return `Tools: ${now}. The committed dist/ comes from ${before}, so this build differs from it. See build/tools.mjs.`;
};

/** Prints the versions of the tools, and whether dist/ will differ because they have changed. */
export const reportTools = () => console.log(describeTools(installedTools()));
