/** The patterns, over Lockkeeper's manager and over one that shows no more than the standard's two methods. */
import assert from 'node:assert/strict';
import * as patterns from '../../glue/entries/patterns.js';
import { createLockManager } from '../../glue/api/lock-manager.js';
import { createLockManager as createOwnManager } from '../../glue/entries/index.js';
import { createMemoryLog } from '../api/memory-log.js';
import { deferred, rejection } from '../api/kit.js';
import { createModel } from '../model/model.js';

const { elect, isLocked, semaphore, tryAcquire, withTimeout } = /** @type {any} */ (patterns);

/** Until everything that is under way in microtasks has happened. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Two contexts of one manager. @type {Record<string, () => any[]>} */
const MANAGERS = {
  'Lockkeeper\'s': () => {
    const memory = createMemoryLog(createModel());
    return [0, 1].map(() => {
      const log = memory.open();
      return createLockManager(globalThis, () => log);
    });
  },
  'one with the standard\'s methods alone': () => MANAGERS['Lockkeeper\'s']().map((manager) => ({
    request: (/** @type {any[]} */ ...args) => manager.request(...args),
    query: () => manager.query(),
  })),
};

for (const [title, create] of Object.entries(MANAGERS)) {
  describe(`patterns over ${title}`, () => {
    /** @type {any} */
    let one;
    /** @type {any} */
    let other;
    beforeEach(() => {
      [one, other] = create();
    });
    const names = async () => {
      const { held, pending } = await other.query();
      const of = (/** @type {any[]} */ list) => list.map(({ name }) => name);
      return { held: of(held), pending: of(pending) };
    };

    describe('elect()', () => {
      /** Stands, and notes what happens. @param {any} locks @param {string} who @param {string[]} seen @param {any} [options] */
      const stand = (locks, who, seen, options) => elect('leader', {
        locks,
        onLeader: ({ signal }) => {
          seen.push(`${who} leads`);
          signal.addEventListener('abort', () => seen.push(`${who} ends`));
        },
        onLost: ({ name }) => seen.push(`${who} lost: ${name}`),
        ...options,
      });

      it('works where promises have no finally(), as in Firefox 57', async () => {
        const its = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Promise.prototype, 'finally'));
        delete /** @type {any} */ (Promise.prototype).finally;
        try {
          const seen = /** @type {string[]} */ ([]);
          const only = stand(one, 'only', seen);
          await settle();
          await only.resign();
          assert.deepEqual(seen, ['only leads', 'only ends']);
        } finally {
          Object.defineProperty(Promise.prototype, 'finally', its);
        }
      });

      it('one leads; who resigns is followed by the next', async () => {
        const seen = /** @type {string[]} */ ([]);
        const [first, second] = [stand(one, 'first', seen), stand(other, 'second', seen)];
        assert.equal(first.isLeader, false);
        await settle();
        assert.deepEqual([first.isLeader, second.isLeader, seen], [true, false, ['first leads']]);
        const resigned = first.resign();
        assert.equal(first.isLeader, false);
        await resigned;
        await settle();
        assert.deepEqual([first.isLeader, second.isLeader, seen], [false, true, ['first leads', 'first ends', 'second leads']]);
        await first.ended;
        await second.resign();
        assert.deepEqual(await names(), { held: [], pending: [] });
      });

      it('the leadership is handed on once its work has settled', async () => {
        const seen = /** @type {string[]} */ ([]);
        const work = deferred();
        const first = stand(one, 'first', seen, { onLeader: () => work.promise });
        const second = stand(other, 'second', seen);
        await settle();
        const resigned = first.resign();
        await settle();
        assert.deepEqual(seen, []);
        work.resolve();
        await resigned;
        await settle();
        assert.deepEqual(seen, ['second leads']);
        await second.resign();
      });

      it('whoever waits may resign, and a signal does it too', async () => {
        const seen = /** @type {string[]} */ ([]);
        const first = stand(one, 'first', seen);
        const controller = new AbortController();
        const [second, third] = [stand(other, 'second', seen), stand(other, 'third', seen, { signal: controller.signal })];
        await settle();
        await second.resign();
        await second.ended;
        controller.abort();
        await third.ended;
        assert.deepEqual(await names(), { held: ['leader'], pending: [] });
        const fourth = stand(other, 'fourth', seen, { signal: controller.signal });
        await fourth.ended;
        await first.resign();
        assert.deepEqual(seen, ['first leads', 'first ends']);
      });

      it('a loss is told, and the loser stands again', async () => {
        const seen = /** @type {string[]} */ ([]);
        const first = stand(one, 'first', seen);
        await settle();
        const thief = deferred();
        const stolen = other.request('leader', { steal: true }, () => thief.promise);
        await settle();
        assert.deepEqual([first.isLeader, seen], [false, ['first leads', 'first ends', 'first lost: AbortError']]);
        thief.resolve();
        await stolen;
        await settle();
        assert.deepEqual([first.isLeader, seen[3]], [true, 'first leads']);
        await first.resign();
        assert.deepEqual(await names(), { held: [], pending: [] });
      });

      it('work that goes on after a loss does not end the next term', async () => {
        const works = [deferred(), deferred()];
        let terms = 0;
        const first = elect('leader', { locks: one, onLeader: () => works[terms++].promise });
        await settle();
        await other.request('leader', { steal: true }, () => {});
        await settle();
        assert.deepEqual([terms, first.isLeader], [2, true]);
        works[0].reject(new Error('late'));
        await settle();
        assert.equal(first.isLeader, true);
        works[1].resolve();
        await settle();
        assert.equal(first.isLeader, true);
        await first.resign();
      });

      it('a leader that fails resigns, and says why', async () => {
        for (const onLeader of [() => Promise.reject(new Error('failed')), () => {
          throw new Error('failed');
        }]) {
          const seen = /** @type {string[]} */ ([]);
          const first = stand(one, 'first', seen, { onLeader });
          const second = stand(other, 'second', seen);
          assert.equal((await rejection(first.ended)).message, 'failed');
          await settle();
          assert.deepEqual([first.isLeader, second.isLeader], [false, true]);
          await first.resign();
          await second.resign();
        }
      });

      it('what the manager refuses ends it', async () => {
        assert.equal((await rejection(elect('-leader', { locks: one }).ended)).name, 'NotSupportedError');
      });

      it('needs nothing but a name and a manager, and can be disposed of', async function () {
        if (!Symbol.asyncDispose) this.skip();
        const first = elect('leader', { locks: one });
        await settle();
        assert.equal(first.isLeader, true);
        await first[Symbol.asyncDispose]();
        assert.equal(await isLocked('leader', { locks: one }), false);
      });
    });

    describe('semaphore()', () => {
      /** Takes a slot until told. @param {any} slots @param {string} who @param {string[]} seen @param {any} [options] */
      const use = (slots, who, seen, options = {}) => {
        const end = deferred();
        const done = slots.request(options, async (/** @type {any} */ slot) => {
          seen.push(`${who} ${slot && slot.slot}`);
          if (slot) await end.promise;
          return who;
        });
        done.catch(() => {});
        return { end: end.resolve, done };
      };
      /** @type {any} */
      let here;
      /** @type {any} */
      let there;
      beforeEach(() => {
        [here, there] = [semaphore('pool', 2, { locks: one }), semaphore('pool', 2, { locks: other })];
      });
      afterEach(async () => assert.deepEqual(await names(), { held: [], pending: [] }));

      it('has so many slots, first come, first served', async () => {
        const seen = /** @type {string[]} */ ([]);
        const all = ['a', 'b', 'c', 'd', 'e'].map((who, index) => use(index % 2 ? there : here, who, seen));
        await settle();
        assert.deepEqual(seen, ['a 0', 'b 1']);
        all[1].end();
        await settle();
        assert.deepEqual(seen.slice(2), ['c 1']);
        all[0].end();
        all[2].end();
        await settle();
        assert.deepEqual(seen.slice(3).map((text) => text[0]), ['d', 'e']);
        all.slice(3).forEach(({ end }) => end());
        assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['a', 'b', 'c', 'd', 'e']);
      });

      it('never has more inside, however they come and go', async () => {
        let inside = 0;
        let most = 0;
        const work = async () => {
          most = Math.max(most, ++inside);
          for (let i = Math.random() * 4; i > 0; i--) await settle();
          inside--;
        };
        await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 3 ? here : there).request(work)));
        assert.equal(most, 2);
      });

      it('fails as the callback does, and gives the slot back', async () => {
        const failure = new Error('failed');
        assert.equal(await rejection(here.request(() => Promise.reject(failure))), failure);
        assert.equal(await rejection(here.request(() => {
          throw failure;
        })), failure);
      });

      it('ifAvailable: null where all are taken', async () => {
        const seen = /** @type {string[]} */ ([]);
        const all = ['a', 'b', 'c'].map((who) => use(here, who, seen, { ifAvailable: true }));
        await settle();
        assert.deepEqual(seen.sort(), ['a 0', 'b 1', 'c null']);
        all.forEach(({ end }) => end());
        assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['a', 'b', 'c']);
      });

      it('a signal ends the waiting, in the line and at its head, and no slot is lost by it', async () => {
        const seen = /** @type {string[]} */ ([]);
        const holders = ['a', 'b'].map((who) => use(here, who, seen));
        await settle();
        const controllers = [new AbortController(), new AbortController()];
        const waiting = controllers.map(({ signal }, index) => use(there, `w${index}`, seen, { signal }));
        await settle();
        controllers[1].abort('gave up');
        assert.equal(await rejection(waiting[1].done), 'gave up');
        controllers[0].abort('gave up too');
        // In the same task: the grant and the signal cross.
        holders[0].end();
        assert.equal(await rejection(waiting[0].done), 'gave up too');
        const next = use(there, 'next', seen);
        await settle();
        assert.deepEqual(seen, ['a 0', 'b 1', 'next 0']);
        [holders[1], next].forEach(({ end }) => end());
        await Promise.all([holders[0].done, holders[1].done, next.done]);
        const { signal } = controllers[0];
        assert.equal(await rejection(here.request({ signal }, () => {})), 'gave up too');
      });

      it('whose place in the line is stolen gives back what it gets', async () => {
        const seen = /** @type {string[]} */ ([]);
        const holders = ['a', 'b'].map((who) => use(here, who, seen));
        await settle();
        const waiting = use(there, 'w', seen);
        await settle();
        await one.request('pool queue', { steal: true }, () => {});
        assert.equal((await rejection(waiting.done)).name, 'AbortError');
        holders.forEach(({ end }) => end());
        await Promise.all(holders.map(({ done }) => done));
        await settle();
        assert.deepEqual(seen, ['a 0', 'b 1']);
      });

      it('a slot that is lost before its callback begins is not used', async () => {
        // Somebody steals the slot while the place in the line is given back.
        const locks = {
          query: () => one.query(),
          async request(/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) {
            const result = await one.request(name, options, callback);
            if (name === 'pool queue') await other.request('pool slot 1', { steal: true }, () => {});
            return result;
          },
        };
        let ran = false;
        const callback = () => {
          ran = true;
        };
        assert.equal((await rejection(semaphore('pool', 1, { locks }).request(callback))).name, 'AbortError');
        assert.equal(ran, false);
        assert.deepEqual(await names(), { held: [], pending: [] });
      });

      it('a slot that is lost is told', async () => {
        const lost = deferred();
        const begun = deferred();
        const done = semaphore('pool', 2, { locks: one, onLost: lost.resolve }).request((/** @type {any} */ slot) => {
          begun.resolve(slot);
          return new Promise(() => {});
        });
        done.catch(() => {});
        const { signal } = await begun.promise;
        await other.request('pool slot 1', { steal: true }, () => {});
        assert.equal((await lost.promise).name, 'AbortError');
        assert.equal((await rejection(done)).name, 'AbortError');
        assert.ok(signal.aborted);
      });
    });

    describe('tryAcquire() and isLocked()', () => {
      it('a lock, or null', async () => {
        const lock = await tryAcquire('a', { locks: one });
        assert.deepEqual([lock.name, lock.mode, lock.signal.aborted], ['a', 'exclusive', false]);
        assert.deepEqual([await isLocked('a', { locks: other }), await isLocked('b', { locks: other })], [true, false]);
        assert.equal(await tryAcquire('a', { locks: other }), null);
        lock.release();
        lock.release();
        await lock.released;
        assert.equal(await isLocked('a', { locks: other }), false);
      });

      it('shared locks, and disposal', async function () {
        const first = await tryAcquire('a', { locks: one, mode: 'shared' });
        const second = await tryAcquire('a', { locks: other, mode: 'shared' });
        assert.equal(await tryAcquire('a', { locks: one }), null);
        second.release();
        if (!Symbol.asyncDispose) this.skip();
        await first[Symbol.asyncDispose]();
        assert.equal(await isLocked('a', { locks: one }), false);
      });

      it('a loss is told', async () => {
        const lost = deferred();
        const lock = await tryAcquire('a', { locks: one, onLost: lost.resolve });
        await other.request('a', { steal: true }, () => {});
        const error = await lost.promise;
        assert.equal(error.name, 'AbortError');
        assert.equal(await rejection(lock.released), error);
        assert.equal(lock.signal.reason, error);
        lock.release();
      });

      it('a release is no loss', async () => {
        const lock = await tryAcquire('a', { locks: one, onLost: () => assert.fail('lost') });
        lock.release();
        await lock.released;
        assert.equal(lock.signal.aborted, false);
      });

      it('reject as the manager does', async () => {
        assert.equal((await rejection(tryAcquire('-a', { locks: one }))).name, 'NotSupportedError');
      });
    });

    describe('withTimeout()', () => {
      it('is a request where the lock comes in time', async () => {
        const sayMode = (/** @type {any} */ { mode }) => mode;
        assert.equal(await withTimeout('a', 10000, { locks: one }, sayMode), 'exclusive');
        assert.equal(await withTimeout('a', Infinity, { locks: one, mode: 'shared' }, sayMode), 'shared');
        const failure = new Error('failed');
        assert.equal(await rejection(withTimeout('a', 10000, { locks: one }, () => Promise.reject(failure))), failure);
      });

      it('a TimeoutError where it does not, and the request is gone', async () => {
        const lock = await tryAcquire('a', { locks: one });
        for (const milliseconds of [0, 1]) {
          const error = await rejection(withTimeout('a', milliseconds, { locks: other }, () => assert.fail('it runs')));
          assert.equal(error.name, 'TimeoutError');
          assert.equal(error.message, `The lock on "a" was not granted within ${milliseconds} ms.`);
        }
        assert.deepEqual((await names()).pending, []);
        lock.release();
        await lock.released;
        assert.equal(await withTimeout('a', 0, { locks: other }, () => 'granted'), 'granted');
      });

      it('limits the waiting, not the holding', async () => {
        const result = await withTimeout('a', 1, { locks: one }, () => new Promise((resolve) => setTimeout(resolve, 20, 'held on')));
        assert.equal(result, 'held on');
      });

      it('a signal ends it too', async () => {
        const lock = await tryAcquire('a', { locks: one });
        const controller = new AbortController();
        const { signal } = controller;
        const waiting = rejection(withTimeout('a', 10000, { locks: other, signal }, () => {}));
        controller.abort('gave up');
        assert.equal(await waiting, 'gave up');
        assert.equal(await rejection(withTimeout('a', 10000, { locks: other, signal }, () => {})), 'gave up');
        lock.release();
      });

      it('a loss is told', async () => {
        const lost = deferred();
        const begun = deferred();
        const done = rejection(withTimeout('a', 10000, { locks: one, onLost: lost.resolve }, (/** @type {any} */ lock) => {
          begun.resolve(lock);
          return new Promise(() => {});
        }));
        const { signal } = await begun.promise;
        await other.request('a', { steal: true }, () => {});
        assert.equal(await lost.promise, await done);
        assert.ok(signal.aborted);
      });
    });
  });
}

describe('patterns over a manager that is closed', () => {
  it('elect(): whoever waits stands no more, and nothing is unhandled', async () => {
    const name = `closed ${process.pid}`;
    const [first, second] = [createOwnManager({ name }), createOwnManager({ name })];
    const leader = elect('leader', { locks: first });
    const waiting = elect('leader', { locks: second, onLeader: () => assert.fail('it was closed') });
    while (!(await first.query()).pending.length) await settle();
    await second.close();
    await waiting.ended;
    assert.equal(waiting.isLeader, false);
    // One that cannot even begin to stand says why.
    assert.equal((await rejection(elect('leader', { locks: second }).ended)).name, 'InvalidStateError');
    // A leader keeps the lock until it resigns.
    const closing = first.close();
    assert.equal(leader.isLeader, true);
    await leader.resign();
    await closing;
  });
});

describe('patterns', () => {
  it('are over `locks` by default', async () => {
    const name = `patterns ${process.pid}`;
    const lock = await tryAcquire(name);
    assert.equal(await isLocked(name), true);
    assert.equal((await rejection(withTimeout(name, 0, () => {}))).name, 'TimeoutError');
    lock.release();
    await lock.released;
    const election = elect(name);
    assert.equal(await semaphore(name, 1).request(() => 1), 1);
    await election.resign();
  });

  const request = () => {};
  /** @type {Record<string, [() => any, string]>} */
  const REFUSED = {
    'options that are none': [() => elect('a', 5), 'elect() takes its options as an object, not 5.'],
    'a manager that is none': [() => elect('a', { locks: { request } }),
      'The option locks of elect() must be a LockManager, not an object.'],
    'no manager': [() => isLocked('a', { locks: null }), 'The option locks of isLocked() must be a LockManager, not null.'],
    'a signal that is none': [() => elect('a', { signal: 'x' }), 'The option signal of elect() must be an AbortSignal, not "x".'],
    onLeader: [() => elect('a', { onLeader: 1 }), 'The option onLeader must be a function, not 1.'],
    onLost: [() => tryAcquire('a', { onLost: {} }), 'The option onLost must be a function, not an object.'],
    'no name': [() => elect(), 'elect() needs a name: a string. There is none.'],
    'no name of a semaphore': [() => semaphore(undefined, 1), 'semaphore() needs a name: a string. There is none.'],
    'no name to try': [() => tryAcquire(), 'tryAcquire() needs a name: a string. There is none.'],
    'no name to look for': [() => isLocked(), 'isLocked() needs a name: a string. There is none.'],
    'no name to wait for': [() => withTimeout(), 'withTimeout() needs a name: a string. There is none.'],
    'no slots': [() => semaphore('a', 0), 'semaphore() needs a whole number of slots, 1 or more, not 0.'],
    'half a slot': [() => semaphore('a', 1.5), 'semaphore() needs a whole number of slots, 1 or more, not 1.5.'],
    'no callback': [() => semaphore('a', 1).request(), 'request() needs a callback: a function, not undefined.'],
    'no timeout': [() => withTimeout('a', request), 'withTimeout() needs a number of milliseconds, 0 or more, not a function.'],
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
