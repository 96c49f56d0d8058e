import assert from 'node:assert';
import { at, createQueue, runProgram } from './support.js';
import { nodes } from './tools.js';

/** Runs other tests of this folder with each other version of Node that is installed. */
const FILES = [
  'threads', 'solitude', 'processes', 'log', 'descriptors', 'sockets', 'deadlines', 'journal', 'journal-faults', 'journal-formats',
].map((name) => `test/node/${name}.test.js`);

describe('node: other versions', function () {
  this.timeout(300000);
  const queue = createQueue(2);
  /** @type {Map<string, ReturnType<typeof runProgram>>} */
  const results = new Map();
  const others = nodes.filter(({ path, title }) => path !== process.execPath && title !== `node ${parseInt(process.versions.node)}`);
  const program = at('node_modules/mocha/bin/mocha.js');
  const start = (/** @type {string} */ path, /** @type {string} */ file) =>
    results.set(path + file, queue(() => runProgram(path, [program, '--exit', at(file)], { timeout: 240000 })));
  before(() => {
    for (const file of FILES) for (const { path } of others) start(path, file);
  });

  for (const file of FILES) {
    for (const { title, path } of others) {
      it(`${file} (${title})`, async () => {
        const result = await results.get(path + file);
        assert.ok(result);
        assert.strictEqual(result.code, 0, `${result.out}${result.error}`);
        assert.match(result.out, /[1-9]\d* passing/);
        assert.doesNotMatch(result.out, /\d pending/);
      });
    }
  }
});
