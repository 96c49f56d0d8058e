import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const textOf = (/** @type {string} */ file) => readFileSync(new URL(`../../dist/${file}`, import.meta.url), 'utf8');

describe('the drafts\' bundles', () => {
  it('share the package\'s root instead of holding a copy', () => {
    for (const suffix of ['', '.nowasm']) {
      const text = textOf(`drafts${suffix}.mjs`);
      assert.match(text, new RegExp(`from ?"\\./lockkeeper${suffix.replace('.', '\\.')}\\.mjs"`));
      assert.ok(!/BroadcastChannel|indexedDB/.test(text));
    }
  });

  it('leave nothing of themselves in the script-tag build', () => {
    const faces = /requestFlag|onContention|waitUntil|ExplicitLock/;
    for (const file of ['lockkeeper.js', 'lockkeeper.nowasm.js']) assert.ok(!faces.test(textOf(file)));
  });

  it('are one manager, imported or required', async () => {
    const [drafts, { locks }] = await Promise.all([import('lockkeeper/drafts'), import('lockkeeper')]);
    const required = createRequire(import.meta.url)('lockkeeper/drafts');
    assert.deepEqual(Object.keys(required).sort(), Object.keys(drafts).sort());
    const lock = await drafts.requestExplicitLock(['a', 'b']);
    assert.equal(await locks.request('a', { ifAvailable: true }, (held) => held), null);
    assert.equal(await required.acquire(['b', 'c'], { ifAvailable: true }, (/** @type {any} */ held) => held), null);
    lock.release();
    await lock.released;
    assert.notEqual(await required.acquire(['b', 'a'], { timeout: 1000 }, (/** @type {any} */ held) => held), null);
  });
});
