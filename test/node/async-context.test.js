/** A callback runs in the asynchronous context of its own request (AsyncLocalStorage), whichever job has found the grant. */
import assert from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createLockManager } from '../../glue/entries/index.js';
import { endThreads, startThread } from './threads.js';

describe('node: the asynchronous context of a callback', function () {
  this.timeout(30000);
  afterEach(endThreads);

  const locks = createLockManager({ name: 'async context' });
  const storage = new AsyncLocalStorage();
  /** @param {string} user @param {(user: unknown) => unknown} [callback] */
  const requestAs = (user, callback = () => {}) =>
    storage.run(user, () => locks.request('account', async () => {
      const during = storage.getStore();
      await callback(during);
      return [during, storage.getStore()];
    }));

  it('is the request\'s where a request of the same thread blocked it', async () => {
    const users = ['alice', 'bob', 'carol'];
    const found = await Promise.all(users.map((user) => requestAs(user)));
    assert.deepStrictEqual(found, users.map((user) => [user, user]));
  });

  it('is the request\'s where another thread has released the lock', async () => {
    await requestAs('alice');
    const thread = startThread(async ({ package: { createLockManager }, tell, next }) => {
      await createLockManager({ name: 'async context' }).request('account', () => {
        tell('held');
        return next();
      });
    });
    await thread.told('held');
    const asked = requestAs('bob');
    // bob's request is in the journal before the lock is released.
    setImmediate(() => thread.send('release'));
    assert.deepStrictEqual(await asked, ['bob', 'bob']);
  });

  it('is the request\'s where no lock is available', async () => {
    const refused = requestAs('alice', () => storage.run('bob', () =>
      locks.request('account', { ifAvailable: true }, (lock) => [lock, storage.getStore()]).then((answer) =>
        assert.deepStrictEqual(answer, [null, 'bob']))));
    assert.deepStrictEqual(await refused, ['alice', 'alice']);
  });
});
