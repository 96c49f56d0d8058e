import assert from 'node:assert';
import { answerOf, createQueue, run } from './support.js';
import { nodeOf, nodes } from './tools.js';

/** What each scenario of programs/scenarios.mjs has to print. */
const right = {
  'terminated-holder': 'granted',
  'steal-across-threads': ['granted', 'AbortError'],
  'throw-in-callback': ['RangeError', 'granted'],
  'abort-leaves-the-queue': ['AbortError', 0],
  'query-all-threads': [['x'], ['x']],
  'callback-not-inside-request': false,
  'callback-continues-its-request': ['alice', 'bob', 'carol'],
  'reader-does-not-overtake': ['reader 1', 'writer', 'reader 3'],
  'waiting-costs-nothing': 'idle',
  'waiter-ends': ['done', 'granted'],
};

/** Where Node's own gets it right. @type {Record<number, string[]>} */
const nativeIsRight = { 24: ['waiter-ends'], 26: ['waiter-ends', 'waiting-costs-nothing'] };

describe('node: what Node itself gets wrong', function () {
  this.timeout(60000);
  const queue = createQueue(4);
  for (const [scenario, expected] of Object.entries(right)) {
    describe(scenario, () => {
      /** By program and kind. @type {Map<string, ReturnType<typeof run>>} */
      const results = new Map();
      const start = (/** @type {string} */ path, /** @type {'ours' | 'native'} */ kind) =>
        void results.set(path + kind, queue(() => run(path, 'scenarios.mjs', [scenario, kind])));
      before(() => {
        for (const { path } of nodes) start(path, 'ours');
        for (const path of [24, 26].map(nodeOf)) if (path) start(path, 'native');
      });

      for (const { title, path } of nodes) {
        it(`right with ours on ${title}`, async () => {
          const result = await results.get(`${path}ours`);
          assert.ok(result);
          assert.deepStrictEqual(answerOf(result), expected, result.error);
          assert.strictEqual(result.code, 0);
        });
      }
      for (const major of [24, 26]) {
        const verdict = nativeIsRight[major].includes(scenario) ? 'right' : 'wrong';
        it(`${verdict} with Node ${major}'s own`, async function () {
          const result = await results.get(`${nodeOf(major)}native`);
          if (!result) return this.skip();
          const same = result.code === 0 && JSON.stringify(answerOf(result)) === JSON.stringify(expected);
          assert.strictEqual(same ? 'right' : 'wrong', verdict, `${result.code} ${result.signal} ${result.out}`);
        });
      }
    });
  }
});
