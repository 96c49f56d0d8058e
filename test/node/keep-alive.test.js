import assert from 'node:assert';
import { run } from './support.js';
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
    'has held': 'ended',
    'waits for a query': 'answered ended',
  };
  for (const { title, path } of nodes) {
    for (const [each, expected] of Object.entries(cases)) {
      it(`${each}: ${expected} (${title})`, async () => {
        const { out, error, code } = await run(path, 'keep-alive.mjs', [each]);
        assert.strictEqual(out.trim().split('\n').join(' '), expected, error);
        assert.ok(code === 0 || (code === 13 && each.includes('false')), `code ${code}`);
      });
    }
  }
});
