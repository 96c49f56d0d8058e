import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the native programs: the library, and under the sanitizers the unit tests, replay and the fuzzers.
 * @param {string[]} [targets] all, if none is named
 * @param {32 | 64} [bits] of an address
 * @returns {string} the folder they are in; test/native/replay in it is the one that replays
 */
export function buildNative(targets = [], bits = 64) {
  const folder = `${root}build/out/native${bits === 64 ? '' : bits}`;
  const options = { cwd: root, stdio: /** @type {'pipe'} */ ('pipe') };
  execFileSync('cmake', ['-S', '.', '-B', folder, '-DCMAKE_C_COMPILER=clang', `-DCMAKE_C_FLAGS=-m${bits}`], options);
  execFileSync('cmake', ['--build', folder, ...(targets.length ? ['--target', ...targets] : [])], options);
  return folder;
}
