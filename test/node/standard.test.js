import assert from 'node:assert';
import { answerOf, run } from './support.js';
import { nodeOf, nodes } from './tools.js';

/** What each scenario of programs/scenarios.mjs has to print. */
const right = {
  'terminated-holder': 'granted',
  'steal-across-threads': ['granted', 'AbortError'],
  'throw-in-callback': ['RangeError', 'granted'],
  'abort-leaves-the-queue': ['AbortError', 0],
  'query-all-threads': [['x'], ['x']],
  'callback-not-inside-request': false,
  'reader-does-not-overtake': ['reader 1', 'writer', 'reader 3'],
  'waiting-costs-nothing': 'idle',
  'waiter-ends': ['done', 'granted'],
};

/** Where Node's own gets it right. @type {Record<number, string[]>} */
const nativeIsRight = { 24: ['waiter-ends'], 26: ['waiter-ends', 'waiting-costs-nothing'] };

describe('node: what Node itself gets wrong', () => {
  for (const [scenario, expected] of Object.entries(right)) {
    for (const { title, path } of nodes) {
      it(`${scenario}: right with ours on ${title}`, async function () {
        this.timeout(30000);
        const result = await run(path, 'scenarios.mjs', [scenario, 'ours']);
        assert.deepStrictEqual(answerOf(result), expected, result.error);
        assert.strictEqual(result.code, 0);
      });
    }
    for (const major of [24, 26]) {
      const verdict = nativeIsRight[major].includes(scenario) ? 'right' : 'wrong';
      it(`${scenario}: ${verdict} with Node ${major}'s own`, async function () {
        this.timeout(30000);
        const node = nodeOf(major);
        if (!node) return this.skip();
        const result = await run(node, 'scenarios.mjs', [scenario, 'native']);
        const same = result.code === 0 && JSON.stringify(answerOf(result)) === JSON.stringify(expected);
        assert.strictEqual(same ? 'right' : 'wrong', verdict, `${result.code} ${result.signal} ${result.out}`);
      });
    }
  }
});
