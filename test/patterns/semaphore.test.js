/** semaphore(), over Lockkeeper's manager and over one that shows no more than the standard's two methods. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import * as patterns from '../../glue/entries/patterns.js';
import { deferred, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { MANAGERS, namesIn } from './managers.js';

const { semaphore } = /** @type {any} */ (patterns);

for (const [title, create] of Object.entries(MANAGERS)) {
  describe(`semaphore() over ${title}`, () => {
    /** @type {any} */
    let one;
    /** @type {any} */
    let other;
    beforeEach(() => {
      [one, other] = create();
    });

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
    afterEach(async () => assert.deepEqual(await namesIn(other), { held: [], pending: [] }));

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

    it('a waiter that has got a slot requests no other one any more', async () => {
      const seen = /** @type {string[]} */ ([]);
      const { signal } = new AbortController();
      const all = ['a', 'b', 'c'].map((who) => use(here, who, seen, { signal }));
      await settle();
      all[0].end();
      await settle();
      assert.deepEqual(await namesIn(other), { held: ['pool slot 2', 'pool slot 1'], pending: [] });
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
      all.forEach(({ end }) => end());
      assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['a', 'b', 'c']);
    });

    it('never has more inside than its slots', async () => {
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

    it('ifAvailable: null if all are taken', async () => {
      const seen = /** @type {string[]} */ ([]);
      const { signal } = new AbortController();
      const all = ['a', 'b', 'c'].map((who) => use(here, who, seen, { ifAvailable: true, signal }));
      await settle();
      assert.deepEqual(seen.sort(), ['a 0', 'b 1', 'c null']);
      all.forEach(({ end }) => end());
      assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['a', 'b', 'c']);
    });

    it('ifAvailable needs no signal', async () => {
      const nameOf = (/** @type {any} */ slot) => slot && slot.slot;
      const holder = use(here, 'a', []);
      await settle();
      assert.equal(await there.request({ ifAvailable: true }, nameOf), 1);
      assert.equal(await semaphore('pool', 1, { locks: other }).request({ ifAvailable: true }, nameOf), null);
      holder.end();
      await holder.done;
    });

    it('ifAvailable: a signal that aborts meanwhile ends it, and no slot is lost by it', async () => {
      const seen = /** @type {string[]} */ ([]);
      const holder = use(here, 'a', seen);
      await settle();
      for (const count of [2, 1]) {
        const controller = new AbortController();
        const slots = semaphore('pool', count, { locks: other });
        const trying = slots.request({ ifAvailable: true, signal: controller.signal }, () => assert.fail('it runs'));
        controller.abort('gave up');
        assert.equal(await rejection(trying), 'gave up');
      }
      holder.end();
      await holder.done;
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

    it('a signal ends the waiting at its head while all slots stay taken', async () => {
      const seen = /** @type {string[]} */ ([]);
      const holders = ['a', 'b'].map((who) => use(here, who, seen));
      await settle();
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = use(there, 'w', seen, { signal });
      await settle();
      controller.abort('gave up');
      assert.equal(await rejection(waiting.done), 'gave up');
      assert.equal(await rejection(there.request({ signal }, () => assert.fail('it runs'))), 'gave up');
      assert.equal(await rejection(there.request({ signal, ifAvailable: true }, () => assert.fail('it runs'))), 'gave up');
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
      assert.deepEqual(await namesIn(other), { held: ['pool slot 1', 'pool slot 2'], pending: [] });
      holders.forEach(({ end }) => end());
      await Promise.all(holders.map(({ done }) => done));
    });

    /** [one], with something that happens just before a request. @param {(name: string, options: any) => any} before */
    const interrupted = (before) => ({
      query: () => one.query(),
      async request(/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) {
        await before(name, options);
        return one.request(name, options, callback);
      },
    });

    it('a signal that aborts while the slots are tried ends the waiting', async () => {
      const seen = /** @type {string[]} */ ([]);
      const holders = ['a', 'b'].map((who) => use(there, who, seen));
      await settle();
      const controller = new AbortController();
      const { signal } = controller;
      const locks = interrupted((name, { ifAvailable }) => {
        if (name === 'pool slot 2' && ifAvailable) controller.abort('gave up');
      });
      const trying = semaphore('pool', 2, { locks }).request({ signal }, () => assert.fail('it runs'));
      assert.equal(await rejection(trying), 'gave up');
      assert.deepEqual(await namesIn(other), { held: ['pool slot 1', 'pool slot 2'], pending: [] });
      holders.forEach(({ end }) => end());
      await Promise.all(holders.map(({ done }) => done));
    });

    it('if a slot cannot be requested, the request fails, waits for no other one, and releases what it gets meanwhile', async () => {
      // However many promise jobs after the release of the other slot that is.
      for (let jobs = 0; jobs < 20; jobs++) {
        const seen = /** @type {string[]} */ ([]);
        const holders = ['a', 'b'].map((who) => use(there, who, seen));
        await settle();
        const locks = interrupted(async (name, { ifAvailable }) => {
          if (name !== 'pool slot 2' || ifAvailable) return;
          holders[0].end();
          for (let job = 0; job < jobs; job++) await undefined;
          throw new Error('no space');
        });
        const trying = semaphore('pool', 2, { locks }).request(() => 'got slot 1');
        const result = await trying.catch((/** @type {Error} */ { message }) => message);
        assert.ok(['got slot 1', 'no space'].includes(result), result);
        await settle();
        assert.deepEqual(await namesIn(other), { held: ['pool slot 2'], pending: [] });
        holders[1].end();
        await Promise.all(holders.map(({ done }) => done));
      }
    });

    it('a signal that aborts once there is a slot releases it', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const locks = {
        query: () => one.query(),
        async request(/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) {
          const result = await one.request(name, options, callback);
          if (name === 'pool queue') controller.abort('gave up');
          return result;
        },
      };
      assert.equal(await rejection(semaphore('pool', 1, { locks }).request({ signal }, () => assert.fail('it runs'))), 'gave up');
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
      await settle();
    });

    it('a request that loses its place in the line while it tries the slots releases the one that it gets', async () => {
      const locks = interrupted((name) => name === 'pool slot 1' && other.request('pool queue', { steal: true }, () => {}));
      const trying = semaphore('pool', 1, { locks }).request(() => assert.fail('it runs'));
      assert.equal((await rejection(trying)).name, 'AbortError');
      await settle();
    });

    it('a request that loses its place in the line releases what it gets', async () => {
      const seen = /** @type {string[]} */ ([]);
      const holders = ['a', 'b'].map((who) => use(here, who, seen));
      await settle();
      const waiting = use(there, 'w', seen);
      await settle();
      await one.request('pool queue', { steal: true }, () => {});
      assert.equal((await rejection(waiting.done)).name, 'AbortError');
      assert.deepEqual((await namesIn(other)).pending, []);
      holders.forEach(({ end }) => end());
      await Promise.all(holders.map(({ done }) => done));
      await settle();
      assert.deepEqual(seen, ['a 0', 'b 1']);
    });

    it('a slot that is lost before its callback begins is not used', async () => {
      // The slot is stolen while the place in the line is released.
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
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
    });

    it('a slot that was waited for and is lost is told, too', async () => {
      const slots = semaphore('pool', 1, { locks: one });
      const holder = use(slots, 'a', []);
      await settle();
      const lost = /** @type {unknown[]} */ ([]);
      const begun = deferred();
      const done = slots.request({ onLost: (/** @type {unknown} */ error) => lost.push(error) }, (/** @type {any} */ slot) => {
        begun.resolve(slot);
        return new Promise(() => {});
      });
      done.catch(() => {});
      await settle();
      holder.end();
      const { signal } = await begun.promise;
      await other.request('pool slot 1', { steal: true }, () => {});
      const error = await rejection(done);
      await settle();
      assert.deepEqual(lost, [error]);
      assert.equal(signal.reason, error);
    });

    it('a slot that is lost is told', async () => {
      for (const ifAvailable of [false, true]) {
        const lost = /** @type {unknown[]} */ ([]);
        const begun = deferred();
        const slots = semaphore('pool', 2, { locks: one, onLost: (/** @type {unknown} */ error) => lost.push(error) });
        const done = slots.request({ ifAvailable }, (/** @type {any} */ slot) => {
          begun.resolve(slot);
          return new Promise(() => {});
        });
        done.catch(() => {});
        const { signal } = await begun.promise;
        await other.request('pool slot 1', { steal: true }, () => {});
        const error = await rejection(done);
        assert.equal(error.name, 'AbortError');
        await settle();
        assert.deepEqual(lost, [error]);
        assert.ok(signal.aborted);
      }
    });
  });
}
