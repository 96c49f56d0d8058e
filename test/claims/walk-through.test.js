/** docs/claims.md: the test runs its walk-through as it stands, and compares the output. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import { startService } from './support/service.js';

const MARK = '=== next ===';

describe('claims: the walk-through', function () {
  this.timeout(60_000);
  let running;
  before(async function () {
    if (spawnSync('curl', ['--version']).error) this.skip();
    running = await startService();
  });
  after(() => running?.stop());

  it('gives what the manual says', async () => {
    const manual = await readFile(new URL('../../docs/claims.md', import.meta.url), 'utf8');
    const text = manual.slice(manual.indexOf('## A walk-through'), manual.indexOf('## The interface'));
    const steps = [...text.matchAll(/```sh\n([^]*?)```\n\n```text\n([^]*?)```/g)].map(([, commands, expected]) => ({ commands, expected }));
    assert.ok(steps.length >= 5);
    const script = steps.map(({ commands }) => commands).join(`\necho '${MARK}'\n`);
    const env = { ...process.env, CLAIMS_URL: running.url };
    const shell = spawn('sh', ['-eu', '-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    for await (const part of shell.stdout) output += part;
    const outputs = output.replaceAll('\r', '').split(`${MARK}\n`);
    assert.equal(outputs.length, steps.length);
    for (const [place, { expected }] of steps.entries()) {
      const pattern = expected.trim().split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^]*?');
      assert.match(outputs[place].trim(), new RegExp(`^${pattern}$`));
    }
  });
});
