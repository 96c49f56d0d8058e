import assert from 'node:assert';
import { createQueue, run } from './support.js';
import { nodes } from './tools.js';

describe('node: what keeps a thread alive', function () {
  this.timeout(30000);
  /** @type {Record<string, string>} */
  const cases = {
    import: 'ended',
    holds: 'lived',
    'holds, keepAlive false': 'ended',
    waits: 'granted lived',
    'waits, keepAlive false': 'ended',
    'holds a handle': 'ended',
    'holds a handle of tryAcquire()': 'lived',
    'holds a handle of tryAcquire(), keepAlive false': 'ended',
    'waits for a handle': 'granted lived',
    'holds after handles': 'lived',
    'has held': 'ended',
    'waits for itself': 'ended',
    'waits for a handle of its own that has a lease': 'granted lived',
    'waits for itself, and has a lease': 'granted lived',
    'waits for itself and for another thread': 'granted lived',
    'waits for itself, later': 'lived',
    'waits for a query': 'answered ended',
    'has held, and the disk is full': 'ended',
    'has asked in vain, and the disk is full': 'aborted ended',
    'asks, and the disk is full for a while': 'granted lived',
    'asks again, and the disk is full for a while': 'granted lived',
  };
  const queue = createQueue(4);
  for (const [each, expected] of Object.entries(cases)) {
    describe(each, () => {
      /** @type {Map<string, ReturnType<typeof run>>} */
      const results = new Map();
      before(() => {
        for (const { path } of nodes) results.set(path, queue(() => run(path, 'keep-alive.mjs', [each])));
      });
      for (const { title, path } of nodes) {
        it(`${expected} (${title})`, async () => {
          const result = await results.get(path);
          assert.ok(result);
          const { out, error, code } = result;
          assert.strictEqual(out.trim().split('\n').join(' '), expected, error);
          assert.ok(code === 0 || (code === 13 && each.includes('false')), `code ${code}`);
        });
      }
    });
  }
});
