/** What Node's console shows of Lockkeeper's objects. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { acquire, requestExplicitLock, requestFlag } from '../../glue/entries/drafts.js';
import { Lock, LockManager, locks } from '../../glue/entries/index.js';

describe("in Node's console", () => {
  it('a lock shows its name and mode', async () => {
    await locks.request('a "b"', { mode: 'shared' }, (lock) => {
      assert.equal(inspect(lock), `Lock { name: 'a "b"', mode: 'shared' }`);
      assert.equal(inspect([{ lock }]), `[ { lock: Lock { name: 'a "b"', mode: 'shared' } } ]`);
      const options = { colors: true };
      assert.equal(inspect(lock, options), `Lock ${inspect({ name: 'a "b"', mode: 'shared' }, options)}`);
    });
  });

  it('a lock of the drafts shows its scope, mode and fence', async () => {
    const shown = (/** @type {any} */ { fence }) => `scope: [ 'x', 'y' ], mode: 'exclusive', fence: ${fence} }`;
    await acquire(['y', 'x'], (/** @type {any} */ lock) => assert.equal(inspect(lock), `Lock { ${shown(lock)}`));
    const lock = /** @type {any} */ (await requestExplicitLock(['y', 'x']));
    assert.equal(inspect(lock), `ExplicitLock { ${shown(lock)}`);
    lock.release();
    const flag = /** @type {any} */ (await requestFlag(['y', 'x'], 'exclusive'));
    assert.equal(inspect(flag), `Flag { ${shown(flag)}`);
  });

  it('a manager and the prototypes show what they are; Node\'s prompt, which shows proxies too, does not fail', async () => {
    assert.equal(inspect(locks), 'LockManager {}');
    assert.match(inspect(Lock.prototype), /Lock/);
    assert.match(inspect(LockManager.prototype), /LockManager/);
    await locks.request('a', (lock) => assert.match(inspect(lock, { showProxy: true }), /^Proxy \[ ?\s*Lock \{\}/));
  });
});
