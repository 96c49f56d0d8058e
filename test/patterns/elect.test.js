/** elect(), over Lockkeeper's manager and over one that shows no more than the standard's two methods. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import * as patterns from '../../glue/entries/patterns.js';
import { createLockManager as createOwnManager } from '../../glue/entries/index.js';
import { deferred, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { MANAGERS, namesIn } from './managers.js';

const { elect, isLocked } = /** @type {any} */ (patterns);

for (const [title, create] of Object.entries(MANAGERS)) {
  describe(`elect() over ${title}`, () => {
    /** @type {any} */
    let one;
    /** @type {any} */
    let other;
    beforeEach(() => {
      [one, other] = create();
    });

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

    it('one leads; when it resigns, the next follows', async () => {
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
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
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

    it('a waiter may resign, and a signal does it too', async () => {
      const seen = /** @type {string[]} */ ([]);
      const first = stand(one, 'first', seen);
      const controller = new AbortController();
      const [second, third] = [stand(other, 'second', seen), stand(other, 'third', seen, { signal: controller.signal })];
      await settle();
      await second.resign();
      await second.ended;
      controller.abort();
      await third.ended;
      assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
      assert.deepEqual(await namesIn(other), { held: ['leader'], pending: [] });
      const fourth = stand(other, 'fourth', seen, { signal: controller.signal });
      await fourth.ended;
      await first.resign();
      assert.deepEqual(seen, ['first leads', 'first ends']);
    });

    it('a signal ends a term', async () => {
      const seen = /** @type {string[]} */ ([]);
      const controller = new AbortController();
      const first = stand(one, 'first', seen, { signal: controller.signal });
      await settle();
      assert.equal(first.isLeader, true);
      controller.abort();
      assert.equal(first.isLeader, false);
      assert.equal(await first.ended, undefined);
      assert.deepEqual(seen, ['first leads', 'first ends']);
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
    });

    it('a candidate that resigns at the moment of its grant does not lead', async () => {
      // The grant and the resignation are in one task, in either order.
      for (const resignsFirst of [false, true]) {
        const seen = /** @type {string[]} */ ([]);
        const locks = {
          query: () => one.query(),
          request: (/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) =>
            one.request(name, options, (/** @type {any} */ lock) => {
              if (resignsFirst) void first.resign();
              const result = callback(lock);
              if (!resignsFirst) void first.resign();
              return result;
            }),
        };
        const first = stand(locks, 'first', seen);
        await first.ended;
        assert.deepEqual([first.isLeader, seen], [false, []]);
      }
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
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
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
    });

    it('a term that is lost says why, unless its leader has resigned', async () => {
      for (const resigns of [false, true]) {
        const [work, seen] = [deferred(), /** @type {any[]} */ ([])];
        /** @type {any} */
        let term;
        const first = elect('leader', {
          locks: one,
          onLeader: (/** @type {any} */ given) => ((term = term || given), work.promise),
          onLost: (/** @type {any} */ error) => void seen.push(error),
        });
        await settle();
        if (resigns) void first.resign();
        await other.request('leader', { steal: true }, () => {});
        await settle();
        assert.equal(seen.length, resigns ? 0 : 1);
        if (!resigns) assert.equal(term.signal.reason, seen[0]);
        work.resolve();
        await first.resign();
      }
    });

    it('after a resignation it does not matter how the request ends', async () => {
      const request = (/** @type {string} */ _, /** @type {any} */ { signal }) => new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('closed just then')));
      });
      const first = elect('leader', { locks: { query: () => one.query(), request } });
      await first.resign();
      assert.equal(await first.ended, undefined);
    });

    it('work that goes on after a loss does not end the next term', async () => {
      const works = [deferred(), deferred()];
      let terms = 0;
      const first = elect('leader', { locks: one, onLeader: () => works[terms++].promise });
      await settle();
      const thief = deferred();
      const stolen = other.request('leader', { steal: true }, () => thief.promise);
      await settle();
      assert.deepEqual([terms, first.isLeader], [1, false]);
      thief.resolve();
      await stolen;
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
      const aborted = new DOMException('failed', 'AbortError');
      for (const onLeader of [() => Promise.reject(new Error('failed')), () => Promise.reject(aborted), () => {
        throw new Error('failed');
      }]) {
        const seen = /** @type {string[]} */ ([]);
        /** @type {any} */
        let term;
        const first = stand(one, 'first', seen, { onLeader: (/** @type {any} */ given) => ((term = given), onLeader()) });
        const second = stand(other, 'second', seen);
        assert.equal((await rejection(first.ended)).message, 'failed');
        assert.ok(term.signal.aborted);
        await settle();
        assert.deepEqual([first.isLeader, second.isLeader], [false, true]);
        await first.resign();
        await second.resign();
      }
    });

    it('work that fails once the leader has resigned, as an aborted fetch does, is no failure', async () => {
      const first = elect('leader', {
        locks: one,
        onLeader: (/** @type {any} */ { signal }) => new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      });
      await settle();
      await first.resign();
      assert.equal(await first.ended, undefined);
    });

    it('a refusal of the manager ends it', async () => {
      assert.equal((await rejection(elect('-leader', { locks: one }).ended)).name, 'NotSupportedError');
    });

    it('a later refusal of the manager, during the wait, ends it, and a loss does not', async () => {
      for (const refused of [new Error('refused'), null]) {
        const errors = [new DOMException('lost', 'AbortError'), new DOMException('lost', 'AbortError'), refused];
        const locks = { query: () => one.query(), request: () => Promise.reject(errors.shift()) };
        assert.equal(await rejection(elect('leader', { locks }).ended), refused);
        assert.equal(errors.length, 0);
      }
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
}

describe('elect() over a manager that is closed', () => {
  it('a waiter stands no more, and nothing is unhandled', async () => {
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
