/** The core in another project: installed, found by CMake, and the example of its header compiled as C and as C++. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STATUSES } from '../../glue/core/constants.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const header = readFileSync(join(root, 'csrc/lockkeeper.h'), 'utf8');

/** The lines that are indented in the header's first comment. */
const example = () => {
  const [comment] = header.split('*/');
  const lines = comment.split('\n').filter((line) => line.startsWith(' *     ')).map((line) => line.slice(7));
  // An empty line in it is an empty line of the comment.
  return `${lines.join('\n')}\n`;
};

describe('The core, embedded', function () {
  this.timeout(300_000);
  /** @type {string} */
  let folder;
  const run = (/** @type {string} */ program, /** @type {string[]} */ ...parameters) =>
    execFileSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockkeeper-embedded-'));
    run('cmake', '-S', root, '-B', join(folder, 'core'), '-DCMAKE_C_COMPILER=clang');
    run('cmake', '--build', join(folder, 'core'), '--target', 'lockkeeper');
    run('cmake', '--install', join(folder, 'core'), '--prefix', join(folder, 'prefix'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has an example of 15 lines', () => assert.equal(example().trim().split('\n').length, 15));

  it('is found by CMake, and the header\'s example works in C and in C++', () => {
    for (const file of ['CMakeLists.txt', 'constants.cpp']) {
      copyFileSync(new URL(`./embedded/${file}`, import.meta.url), join(folder, file));
    }
    assert.match(example(), /int main\(void\)/);
    for (const file of ['example.c', 'example.cpp']) writeFileSync(join(folder, file), example());
    run('cmake', '-S', folder, '-B', join(folder, 'build'), `-DCMAKE_PREFIX_PATH=${join(folder, 'prefix')}`);
    run('cmake', '--build', join(folder, 'build'));
    // Each ends with 0 if the lock was granted.
    for (const program of ['example_c', 'example_cpp']) run(join(folder, 'build', program));
  });

  it('is embedded by add_subdirectory() under the same name, whatever the compiler warns of', () => {
    const build = join(folder, 'within');
    run('cmake', '-S', folder, '-B', build, `-DSOURCES=${root}`, '-DCMAKE_C_COMPILER=clang');
    run('cmake', '--build', build, '--target', 'lockkeeper', 'example_c');
    run(join(build, 'example_c'));
  });

  it('installs the header and the library, and the version is the package\'s', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(header, new RegExp(`#define LK_VERSION "${version}"`));
    assert.equal(readFileSync(join(folder, 'prefix/include/lockkeeper.h'), 'utf8'), header);
    const file = join(folder, 'prefix/lib/cmake/lockkeeper/lockkeeper-config-version.cmake');
    assert.match(readFileSync(file, 'utf8'), new RegExp(`PACKAGE_VERSION "${version}"`));
  });

  it('wants of its host what the header says', () => {
    const symbols = run('nm', '-u', join(folder, 'prefix/lib/liblockkeeper.a'));
    const wanted = new Set([...symbols.matchAll(/^\s+U (\w+)$/gm)].map(([, name]) => name).filter((name) => !name.startsWith('lk_')));
    assert.deepEqual([...wanted].sort(), ['memcmp', 'memcpy', 'memset']);
  });

  it('has a name for each status, the one that JavaScript knows', () => {
    const source = readFileSync(join(root, 'csrc/inspect.c'), 'utf8');
    const named = [...source.matchAll(/case LK_(\w+):\s+return "([a-z-]+)";/g)];
    assert.deepEqual(named.map(([, , name]) => name).sort(), Object.values(STATUSES).sort());
    for (const [, constant, name] of named) assert.equal(constant.toLowerCase().replaceAll('_', '-'), name);
  });
});
