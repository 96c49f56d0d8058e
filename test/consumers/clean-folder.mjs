/**
 * A newcomer's way: `node test/consumers/clean-folder.mjs` makes an empty folder, installs the package there as npm would, runs the
 * README's first program, and says how long each of the two commands took until the lock was had. The packed tarball stands for the
 * published package.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, run, Workshop } from './project.js';

/** The README's program for npm: the first one that imports the package by its name. */
const firstProgram = () => {
  const blocks = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8').split(/^```js\n/m).slice(1).map((rest) => rest.split('```')[0]);
  const program = blocks.find((text) => text.includes('from \'lockkeeper\''));
  if (!program) throw new Error('README.md has no program that imports lockkeeper');
  return program;
};

/** @param {string} shown @param {string} program @param {string[]} parameters @param {string} folder */
const timed = async (shown, program, parameters, folder) => {
  const began = performance.now();
  const { stdout } = await run(program, parameters, folder);
  console.log(`$ ${shown}  # ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return stdout;
};

const workshop = new Workshop();
try {
  await workshop.pack();
  const folder = path.join(workshop.folder, 'clean');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'first.mjs'), firstProgram());
  await timed('npm install lockkeeper', 'npm', ['install', workshop.tarball], folder);
  process.stdout.write(await timed('node first.mjs', process.execPath, ['first.mjs'], folder));
} finally {
  workshop.remove();
}
