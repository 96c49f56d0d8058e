/** All patterns: their default manager, and what they refuse. */
import assert from 'node:assert/strict';
import * as patterns from '../../glue/entries/patterns.js';
import { rejection } from '../api/kit.js';

const { elect, isLocked, semaphore, tryAcquire, withTimeout } = /** @type {any} */ (patterns);

describe('patterns', () => {
  it('are over `locks` by default', async () => {
    const name = `patterns ${process.pid}`;
    const lock = await tryAcquire(name);
    assert.equal(await isLocked(name), true);
    assert.equal(await isLocked(name, { locks: undefined }), true);
    assert.equal((await rejection(withTimeout(name, 0, () => {}))).name, 'TimeoutError');
    lock.release();
    await lock.released;
    const election = elect(name);
    assert.equal(await semaphore(name, 1).request(() => 1), 1);
    await election.resign();
  });

  it('a snapshot may lack the held locks, by its type', async () => {
    assert.equal(await isLocked('a', { locks: { request() {}, query: async () => ({}) } }), false);
  });

  it('a semaphore may have as many slots as its error says, and shows them, and its name', () => {
    const { name, slots } = semaphore('a', 10000);
    assert.deepEqual([name, slots], ['a', 10000]);
  });

  const request = () => {};
  /** @type {Record<string, [() => any, string]>} */
  const REFUSED = {
    'options that are none': [() => elect('a', 5), 'elect() takes its options as an object, not 5.'],
    'null as options': [() => elect('a', null), 'elect() takes its options as an object, not null.'],
    'an option of another pattern': [() => isLocked('a', { mode: 'shared' }), 'isLocked() has no option "mode". Its options are locks.'],
    'a steal': [() => tryAcquire('a', { steal: true }), 'tryAcquire() has no option "steal". Its options are locks, mode, onLost.'],
    'an option of a slot that there is not': [() => semaphore('a', 1).request({ slots: 2 }, request),
      'request() has no option "slots". Its options are ifAvailable, signal, onLost.'],
    'an option of a semaphore that there is not': [() => semaphore('a', 1, { signal: 5 }),
      'semaphore() has no option "signal". Its options are locks, onLost.'],
    'an option of withTimeout() that there is not': [() => withTimeout('a', 1, { ifAvailable: true }, request),
      'withTimeout() has no option "ifAvailable". Its options are locks, mode, onLost, signal.'],
    'an option of elect() that there is not': [() => elect('a', { mode: 'shared' }),
      'elect() has no option "mode". Its options are locks, onLeader, onLost, signal.'],
    'a manager that is none': [() => elect('a', { locks: { request } }),
      'The option locks of elect() must be a LockManager, not an object.'],
    'half a manager': [() => elect('a', { locks: { query() {} } }), 'The option locks of elect() must be a LockManager, not an object.'],
    'no manager': [() => isLocked('a', { locks: null }), 'The option locks of isLocked() must be a LockManager, not null.'],
    'a signal that is none': [() => elect('a', { signal: 'x' }), 'The option signal of elect() must be an AbortSignal, not "x".'],
    'a signal without events': [() => elect('a', { signal: { aborted: false } }),
      'The option signal of elect() must be an AbortSignal, not an object.'],
    'events without a signal': [() => elect('a', { signal: new EventTarget() }),
      'The option signal of elect() must be an AbortSignal, not an EventTarget.'],
    'null as a signal': [() => elect('a', { signal: null }), 'The option signal of elect() must be an AbortSignal, not null.'],
    onLeader: [() => elect('a', { onLeader: 1 }), 'The option onLeader must be a function, not 1.'],
    onLost: [() => tryAcquire('a', { onLost: {} }), 'The option onLost must be a function, not an object.'],
    'no name': [() => elect(), 'elect() needs a name: a string. There is none.'],
    'a name that is a symbol': [() => isLocked(Symbol('a')), 'isLocked() needs a name: a string, not Symbol(a).'],
    'no name of a semaphore': [() => semaphore(undefined, 1), 'semaphore() needs a name: a string. There is none.'],
    'no name to try': [() => tryAcquire(), 'tryAcquire() needs a name: a string. There is none.'],
    'no name to look for': [() => isLocked(), 'isLocked() needs a name: a string. There is none.'],
    'no name to wait for': [() => withTimeout(), 'withTimeout() needs a name: a string. There is none.'],
    'no slots': [() => semaphore('a', 0), 'semaphore() needs a whole number of slots, from 1 to 10000, not 0.'],
    'half a slot': [() => semaphore('a', 1.5), 'semaphore() needs a whole number of slots, from 1 to 10000, not 1.5.'],
    'more slots than anyone can ask for': [() => semaphore('a', 10001),
      'semaphore() needs a whole number of slots, from 1 to 10000, not 10001.'],
    'no callback': [() => semaphore('a', 1).request(), 'request() needs a callback: a function, not undefined.'],
    'no timeout': [() => withTimeout('a', request), 'withTimeout() needs a number of milliseconds, 0 or more, not a function.'],
    'null as a timeout': [() => withTimeout('a', null, request), 'withTimeout() needs a number of milliseconds, 0 or more, not null.'],
    'less than no time': [() => withTimeout('a', -1, request), 'withTimeout() needs a number of milliseconds, 0 or more, not -1.'],
    'a callback before its options': [() => withTimeout('a', 1, request, { mode: 'shared' }),
      'withTimeout() needs a callback: a function, not an object. The options come before it.'],
    'a callback before the options of a slot': [() => semaphore('a', 1).request(request, { ifAvailable: true }),
      'request() needs a callback: a function, not an object. The options come before it.'],
    'a timeout without callback': [() => withTimeout('a', 1), 'withTimeout() needs a callback: a function, not undefined.'],
  };
  for (const [title, [act, message]] of Object.entries(REFUSED)) {
    it(`refuse ${title}`, async () => {
      const error = await rejection((async () => act())());
      assert.ok(error instanceof TypeError, String(error));
      assert.equal(error.message, message);
    });
  }
});
