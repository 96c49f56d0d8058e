import assert from 'node:assert/strict';
import { createLockManager } from '../../glue/api/lock-manager.js';
import { requestLock } from '../../glue/api/request.js';
import { createModel } from '../model/model.js';
import { EDITIONS } from './editions.js';
import { createMemoryLog } from './memory-log.js';
import { deferred, hold, linesOf, rejection } from './kit.js';

const isException = (reason, name) => {
  assert.ok(reason instanceof DOMException, String(reason));
  assert.equal(reason.name, name);
};

/** Counts the listeners of a signal. @param {AbortSignal} signal */
const countListeners = (signal) => {
  const listeners = new Set();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given) => {
    listeners.add(given[1]);
    addEventListener.apply(signal, given);
  };
  signal.removeEventListener = (...given) => {
    listeners.delete(given[1]);
    removeEventListener.apply(signal, given);
  };
  return () => listeners.size;
};

/** A log that does nothing: the test plays the listener, and sees the requests. */
const createScript = (create = createLockManager) => {
  const asked = [];
  const requests = [];
  const log = {
    request(description, listener) {
      const request = { description, listener };
      requests.push(request);
      asked.push(['request', description]);
      return request;
    },
    drop: (request) => asked.push(['drop', requests.indexOf(request)]),
  };
  return { asked, log, requests, locks: create(globalThis, () => log) };
};

describe('a request and the log', () => {
  let memory;
  let locks;
  let log;
  beforeEach(() => {
    memory = createMemoryLog(createModel());
    log = memory.open();
    locks = createLockManager(globalThis, () => log);
  });

  it('asks the log for what the options say', () => {
    const { asked, locks: scripted } = createScript();
    scripted.request('a', () => {});
    scripted.request('b', { mode: 'shared', ifAvailable: true }, () => {});
    scripted.request('c', { steal: true }, () => {});
    assert.deepEqual(asked, [
      ['request', { names: ['a'], mode: 'exclusive', ifAvailable: false, steal: false }],
      ['request', { names: ['b'], mode: 'shared', ifAvailable: true, steal: false }],
      ['request', { names: ['c'], mode: 'exclusive', ifAvailable: false, steal: true }],
    ]);
  });

  it('asks for a name that is as long as its error says', () => {
    const { requests, locks: scripted } = createScript();
    void scripted.request('x'.repeat(2 ** 20), () => {});
    assert.equal(requests.length, 1);
  });

  it('releases first and settles then', async () => {
    for (const end of [() => 'done', () => Promise.reject(new Error('failed'))]) {
      const { asked, requests, locks: scripted } = createScript();
      const promise = scripted.request('a', end);
      const settled = promise.then(() => asked.push(['settled']), () => asked.push(['settled']));
      requests[0].listener('granted', 1);
      await settled;
      assert.deepEqual(asked.slice(1), [['drop', 0], ['settled']]);
    }
  });

  it('releases before the settlement shows', async () => {
    const { asked, requests, locks: scripted } = createScript();
    const result = {};
    const promise = scripted.request('a', async () => result);
    Object.defineProperty(result, 'then', { get: () => void asked.push(['read']) });
    requests[0].listener('granted', 1);
    assert.equal((await promise.then((value) => ({ value }))).value, result);
    assert.deepEqual(asked.slice(-2), [['drop', 0], ['read']]);
  });

  it('fails with the reason of the log, if it has one, and is not aborted then', async () => {
    const { requests, asked, locks: scripted } = createScript();
    const controller = new AbortController();
    // So the request does not hear of it.
    controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
    const promise = scripted.request('a', { signal: controller.signal }, () => {});
    controller.abort('gave up');
    const reason = new Error('no space');
    requests[0].listener('lost', 0, reason);
    assert.equal(await rejection(promise), reason);
    assert.equal(asked.length, 1);
  });

  it('an aborted request says so itself if the signal knows no reason, as in older browsers', async () => {
    for (const [edition, create] of Object.entries(EDITIONS)) {
      const { locks: scripted } = createScript(create);
      const controller = new AbortController();
      const promise = scripted.request('a', { signal: controller.signal }, () => {});
      Object.defineProperty(controller.signal, 'reason', { value: undefined });
      controller.abort();
      const error = await rejection(promise);
      isException(error, 'AbortError');
      assert.equal(error.message, edition === 'the package' ? 'The signal has aborted the request.' : 'Request aborted');
    }
  });

  it('a lock that is lost is an AbortError in the script-tag build, too', async () => {
    for (const create of Object.values(EDITIONS)) {
      const { requests, locks: scripted } = createScript(create);
      const promise = scripted.request('a', () => {});
      requests[0].listener('lost', 0);
      isException(await rejection(promise), 'AbortError');
    }
  });

  it('a draft\'s request with a signal and ifAvailable follows the signal only until its null', async () => {
    const { requests, log: scripted } = createScript();
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    const description = { names: ['a', 'b'], mode: 'exclusive', ifAvailable: true };
    const promise = requestLock({ global: globalThis }, scripted, description, signal, () => ({}), (lock) => lock);
    assert.equal(listeners(), 1);
    requests[0].listener('unavailable', 0);
    assert.equal(listeners(), 0);
    assert.equal(await promise, null);
  });

  it('many requests that follow one signal have one listener together', async () => {
    const { asked, requests, locks: scripted } = createScript();
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = countListeners(signal);
    const waiting = Array.from({ length: 5 }, () => scripted.request('a', { signal }, () => {}));
    assert.equal(listeners(), 1);
    requests[0].listener('granted', 1);
    requests[3].listener('granted', 2);
    await Promise.all([waiting[0], waiting[3]]);
    assert.equal(listeners(), 1);
    signal.dispatchEvent(new Event('abort'));
    assert.deepEqual(asked.slice(5), [['drop', 0], ['drop', 3]]);
    controller.abort('gave up');
    assert.deepEqual(asked.slice(7), [['drop', 1], ['drop', 2], ['drop', 4]]);
    for (const each of [1, 2, 4]) assert.equal(await rejection(waiting[each]), 'gave up');
    assert.equal(listeners(), 0);
  });

  it('a signal that no request follows has no listener, and can be followed again', async () => {
    const { requests, locks: scripted } = createScript();
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    for (const each of [0, 1]) {
      const done = scripted.request('a', { signal }, () => each);
      assert.equal(listeners(), 1);
      requests[each].listener('granted', 1);
      assert.equal(await done, each);
      assert.equal(listeners(), 0);
    }
  });

  it('drops an aborted request once, and at once', async () => {
    const { asked, requests, locks: scripted } = createScript();
    const controller = new AbortController();
    const waiting = rejection(scripted.request('a', { signal: controller.signal }, () => {}));
    assert.equal(requests.length, 1);
    controller.abort('gave up');
    assert.deepEqual(asked.slice(1), [['drop', 0]]);
    assert.equal(await waiting, 'gave up');
    assert.deepEqual(asked.slice(1), [['drop', 0]]);
  });

  it('a broken lock is not dropped: it may be another\'s by now', async () => {
    for (const reason of ['broken', 'lost', 'expired']) {
      const { asked, requests, locks: scripted } = createScript();
      const end = deferred();
      const waiting = rejection(scripted.request('a', () => end.promise));
      requests[0].listener('granted', 1);
      requests[0].listener(reason, 0);
      isException(await waiting, reason === 'expired' ? 'TimeoutError' : 'AbortError');
      end.resolve();
      await end.promise;
      await null;
      assert.equal(asked.length, 1, reason);
    }
  });

  it('a lock that was granted and broken in one message never calls back', async () => {
    const { requests, locks: scripted } = createScript();
    let called = false;
    const waiting = rejection(scripted.request('a', () => (called = true)));
    requests[0].listener('broken', 0);
    isException(await waiting, 'AbortError');
    assert.equal(called, false);
  });

  it('a context loses everything: held and pending requests reject with AbortError, and others go on', async () => {
    const otherLog = memory.open();
    const other = hold(createLockManager(globalThis, () => otherLog), 'a');
    await other.entered;
    const waiting = rejection(locks.request('a', () => assert.fail('granted')));
    const holder = hold(locks, 'b');
    const lost = rejection(holder.done);
    await holder.entered;
    log.leave();
    isException(await lost, 'AbortError');
    isException(await waiting, 'AbortError');
    other.release('kept');
    assert.equal(await other.done, 'kept');
  });

  it('a robbed callback that fails later fails silently', async () => {
    const unhandled = [];
    const note = (reason) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const victim = hold(locks, 'a');
      const broken = rejection(victim.done);
      await victim.entered;
      await locks.request('a', { steal: true }, () => broken);
      victim.fail(new Error('late'));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  for (const [edition, create] of Object.entries(EDITIONS)) {
    it(`no listener stays on the signal, however the request ends: ${edition}`, async () => {
      locks = create(globalThis, () => log);
      const controller = new AbortController();
      const { signal } = controller;
      const listeners = countListeners(signal);
      const request = (callback) => locks.request('a', { signal }, callback);
      await request(() => assert.equal(listeners(), 0, 'granted'));
      await rejection(request(() => Promise.reject(new Error('failed'))));
      assert.equal(listeners(), 0, 'failed');

      const robbed = hold(locks, 'a', { signal });
      const broken = rejection(robbed.done);
      await robbed.entered;
      await locks.request('a', { steal: true }, () => broken);
      assert.equal(listeners(), 0, 'stolen');

      const holder = hold(locks, 'a');
      const waiting = rejection(request(() => {}));
      assert.equal(listeners(), 1, 'waiting');
      controller.abort('gave up');
      await waiting;
      assert.equal(listeners(), 0, 'aborted');
      await rejection(request(() => {}));
      assert.equal(listeners(), 0, 'aborted before');

      const { signal: other } = new AbortController();
      const others = countListeners(other);
      const lost = [rejection(locks.request('a', { signal: other }, () => {})), rejection(holder.done)];
      assert.equal(others(), 1);
      log.leave();
      await Promise.all(lost);
      assert.equal(others(), 0, 'lost');
    });
  }
});

describe('signals of older realms', () => {
  const createLocks = (members) => {
    const log = createMemoryLog(createModel()).open();
    return createLockManager({ DOMException, ...members }, () => log);
  };

  /** A signal of the first generation: it knows no reason. */
  class OldSignal extends EventTarget {
    #aborted = false;

    get aborted() {
      return this.#aborted;
    }

    abort() {
      this.#aborted = true;
      this.dispatchEvent(new Event('abort'));
    }
  }

  /** What a polyfill makes, with plain properties. */
  class PlainSignal extends EventTarget {
    aborted = false;

    abort() {
      this.aborted = true;
      this.dispatchEvent(new Event('abort'));
    }
  }

  const realms = {
    'without a reason': [OldSignal, { AbortSignal: OldSignal }],
    'of a polyfill': [PlainSignal, { AbortSignal: PlainSignal }],
    'where the realm knows none': [PlainSignal, {}],
  };
  for (const [title, [Signal, members]] of Object.entries(realms)) {
    it(`${title}: AbortError, aborted before or while it waits`, async () => {
      const locks = createLocks(members);
      const holder = hold(locks, 'a');
      await holder.entered;
      const signal = new Signal();
      const waiting = rejection(locks.request('a', { signal }, () => assert.fail('granted')));
      assert.deepEqual(await linesOf(locks, 'a'), ['held a exclusive', 'pending a exclusive']);
      signal.abort();
      isException(await waiting, 'AbortError');
      isException(await rejection(locks.request('a', { signal }, () => {})), 'AbortError');
      assert.deepEqual(await linesOf(locks, 'a'), ['held a exclusive']);
      holder.release();
      await holder.done;
    });

    it(`${title}: a value that is no signal is refused all the same`, async () => {
      const locks = createLocks(members);
      for (const signal of [null, {}, 1, 'signal', () => {}, { aborted: 'no' }]) {
        assert.ok(await rejection(locks.request('a', { signal }, () => {})) instanceof TypeError);
      }
    });
  }
});
