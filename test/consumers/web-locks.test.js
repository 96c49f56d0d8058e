/** What the tests of metarhia's web-locks do in Node, with that package and with ours: the same happens, and the process ends by itself. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { ROOT, run } from './project.js';

const MODULES = {
  'web-locks': 'web-locks',
  lockkeeper: path.join(ROOT, 'dist/node.mjs'),
  'lockkeeper/nowasm': path.join(ROOT, 'dist/node.nowasm.mjs'),
};

describe('web-locks\' tests', function () {
  this.timeout(60000);

  for (const [name, module] of Object.entries(MODULES)) {
    /** What a program prints; it has ended by then. @param {string} program */
    const outcome = async (program) => {
      const { stdout, stderr } = await run(process.execPath, [`test/consumers/web-locks/${program}.mjs`, module], ROOT, 20000);
      assert.equal(stderr, '');
      return JSON.parse(stdout);
    };

    it(`in the main thread, with ${name}`, async () => {
      assert.deepEqual(await outcome('main'), ['A exclusive', 'returns undefined', 'A', 'B within A', 'B is released',
        'first', 'first ends', 'second', 'thrown', 'not held by what has thrown', 'C for D', 'D for C', 'E for E']);
    });

    // The threads of web-locks listen to their parent, and so do not end by themselves.
    if (name !== 'web-locks') {
      it(`in two threads, with ${name}`, async () => {
        assert.deepEqual(await outcome('threads'), { codes: [0, 0], turns: 40 });
      });
    }
  }
});
