/**
 * What these tests run besides the Node at hand: other Nodes, Bun, Deno, Jest and Vitest. They come from npm, as tools/package-lock.json
 * says, into .cache/, when the tests are first run.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { at } from './support.js';

const FOLDER = '.cache/node-tools';
const FILES = ['package.json', 'package-lock.json'];
const MAJORS = [18, 20, 22, 24, 26];
/** In the tools' node_modules. */
const PATHS = {
  bun: '@oven/bun-linux-x64/bin/bun',
  deno: '@deno/linux-x64-glibc/deno',
  jest: 'jest/bin/jest.js',
  vitest: 'vitest/vitest.mjs',
};

/** @param {string} path in the tools' node_modules */
export const toolAt = (path) => at(`${FOLDER}/node_modules/${path}`);

/** @param {number} major */
const binaryOf = (major) => toolAt(`node${major}/bin/node`);

const wanted = () => FILES.map((file) => readFileSync(at(`test/node/tools/${file}`), 'utf8')).join('');

const install = () => {
  const stamp = at(`${FOLDER}/installed`);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()) return;
  console.log(`Installing other Nodes, Bun, Deno, Jest and Vitest into ${FOLDER}/ (1.2 GB)`);
  mkdirSync(at(FOLDER), { recursive: true });
  for (const file of FILES) copyFileSync(at(`test/node/tools/${file}`), at(`${FOLDER}/${file}`));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: at(FOLDER), stdio: 'inherit' });
  if (status === 0) writeFileSync(stamp, wanted());
};

install();

if (process.env.CI) {
  const missing = [...MAJORS.map(binaryOf), ...Object.values(PATHS).map(toolAt)].filter((path) => !existsSync(path));
  if (missing.length) throw new Error(`Not installed, so not tested: ${missing.join(', ')}`);
}

/** The Node of that major version, or undefined where it cannot be had. @param {number} major */
export const nodeOf = (major) => (existsSync(binaryOf(major)) ? binaryOf(major) : undefined);

/** The versions that the package is for, as far as they are here; always one. @type {{title: string, path: string}[]} */
export const nodes = MAJORS.filter(nodeOf).map((major) => ({ title: `node ${major}`, path: binaryOf(major) }));
if (!nodes.length) nodes.push({ title: `node ${process.versions.node}`, path: process.execPath });

/** Skips the test of [context] where the tool is not here; in CI it always is. @param {Mocha.Context} context @param {keyof PATHS} tool */
export const need = (context, tool) => {
  const path = toolAt(PATHS[tool]);
  if (!existsSync(path)) context.skip();
  return path;
};
