/** lockkeeper/auto in Node, where there may be no navigator. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const entry = (/** @type {string} */ name) => new URL(`../../glue/entries/${name}.js`, import.meta.url).href;

/** Runs a module in a fresh process, and gives what it prints. @param {string} code */
const run = (code) => JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));

describe('lockkeeper/auto in Node', () => {
  it('gives navigator.locks, also if there is no navigator', () => {
    const seen = run(`
      const had = typeof navigator === 'object' ? Object.getOwnPropertyNames(navigator) : undefined;
      const { locks } = await import('${entry('index')}');
      await import('${entry('auto')}');
      console.log(JSON.stringify({
        made: had === undefined ? Object.getOwnPropertyNames(navigator) : ['locks'],
        enumerable: Object.keys(globalThis).includes('navigator') && had === undefined,
        ours: had !== undefined || navigator.locks === locks,
        granted: await navigator.locks.request('a', ({ name }) => name),
        again: (await import('${entry('index')}')).install() === navigator.locks,
      }));`);
    assert.deepEqual(seen, { made: ['locks'], enumerable: false, ours: true, granted: 'a', again: true });
  });

  it('the ponyfill makes none', () => {
    const seen = run(`
      const before = typeof navigator;
      const { locks } = await import('${entry('index')}');
      await locks.request('a', () => {});
      console.log(JSON.stringify(typeof navigator === before));`);
    assert.equal(seen, true);
  });
});
