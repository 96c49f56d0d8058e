import assert from 'node:assert';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, run } from './support.js';
import { nodes } from './tools.js';

const directory = process.env.WPT_DIR || '';

/** Tests that are not about Node, or need what a package cannot give it. @type {Record<string, string>} */
const NOT_RUN = {
  'idlharness.https.any.js': 'Node has no interface object Navigator that takes part in IDL',
  'non-secure-context.any.js': 'Node has no contexts that are not secure',
  'storage-buckets.tentative.https.any.js': 'Node has no storage buckets',
};

describe('node: the web-platform-tests', function () {
  this.timeout(60000);
  before(function () {
    if (!directory || !existsSync(folder)) this.skip();
  });

  const folder = join(directory, 'web-locks');
  const files = directory && existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.any.js')) : [];
  for (const { title, path } of nodes) {
    it(`pass on ${title}`, async () => {
      assert.ok(files.length > 10);
      let passed = 0;
      for (const file of files.filter((each) => !NOT_RUN[each])) {
        const result = await run(path, 'wpt.mjs', [directory, `web-locks/${file}`, 'ours']);
        const answer = answerOf(result);
        assert.ok(answer && answer.tests && answer.tests.length, `${file}: ${result.error}${result.out}`);
        assert.deepStrictEqual(answer.tests.filter((/** @type {any} */ test) => !test.passed), [], file);
        assert.strictEqual(answer.status, 0, `${file}: ${answer.message}`);
        passed += answer.tests.length;
      }
      console.log(`      ${passed} subtests`);
      assert.ok(passed > 60, `only ${passed} subtests`);
    });
  }
});
