/** `npm publish --dry-run` of both packages: npm mends nothing, and what is packed is for users. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, run } from '../consumers/project.js';

/** No registry is asked. @param {string[]} parameters @returns {Promise<{stdout: string, stderr: string}>} */
const publish = (...parameters) => run('npm', ['publish', '--dry-run', '--json', '--registry', 'http://127.0.0.1:9', '--fetch-retries', '0',
  ...parameters], ROOT);

describe('npm publish', function () {
  this.timeout(60_000);

  for (const [name, parameters, tops] of /** @type {[string, string[], string[]][]} */ ([
    ['lockkeeper', [],
      ['CHANGELOG.md', 'CMakeLists.txt', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'csrc', 'demo', 'dist', 'docs', 'package.json']],
    ['lockkeeper-claims', ['--workspace', 'claims'],
      ['LICENSE', 'README.md', 'deploy', 'examples', 'package.json', 'page', 'proto', 'source']],
  ])) {
    it(`of ${name} corrects nothing, and packs what is for users`, async () => {
      const { stdout, stderr } = await publish(...parameters);
      assert.doesNotMatch(stderr, /corrected/);
      const { [name]: packed = JSON.parse(stdout) } = JSON.parse(stdout);
      assert.deepEqual([...new Set(packed.files.map((/** @type {any} */ file) => file.path.split('/')[0]))].sort(), tops);
    });
  }

  it('publishes both in one version, under one licence', () => {
    const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
    const [library, service] = ['package.json', 'claims/package.json'].map((file) => JSON.parse(read(file)));
    assert.equal(service.version, library.version);
    assert.equal(read('claims/LICENSE'), read('LICENSE'));
    assert.match(read('CHANGELOG.md'), new RegExp(`^## ${library.version.replaceAll('.', '\\.')}$`, 'm'));
  });
});
