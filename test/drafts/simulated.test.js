/** The drafts between contexts, over the real log. */
import assert from 'node:assert/strict';
import { reportOf } from '../../glue/api/inspect.js';
import { rejection } from '../api/kit.js';
import { holdScope, watch } from './kit.js';
import { createWorld } from './worlds.js';

describe('the drafts in a simulated world', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    describe(`seed ${seed}`, () => {
      /** @type {ReturnType<typeof createWorld>} */
      let scene;
      /** @type {any[]} */
      let contexts;

      beforeEach(async () => {
        scene = createWorld(seed, 3);
        contexts = scene.contexts;
        for (const { locks } of contexts) await scene.settled(locks.query());
      });

      it('one queue, one order for every face', async () => {
        /** @type {string[]} */
        const order = [];
        const note = (/** @type {string} */ text) => () => void order.push(text);
        const [one, two, three] = contexts;
        const holder = holdScope(one, ['a', 'b', 'c']);
        await scene.pass(100);
        const all = [];
        const ask = async (/** @type {Promise<any>} */ promise) => {
          all.push(promise);
          await scene.pass(30);
        };
        await ask(two.acquire(['b', 'a'], note('acquire a b')));
        await ask(three.locks.request('b', note('request b')));
        await ask(one.requestFlag(['c', 'b'], 'exclusive').then(note('flag b c')));
        await ask(two.requestExplicitLock('c').then((/** @type {any} */ lock) => (note('explicit c')(), lock.release())));
        await ask(three.requestAutoReleaseLock(['a', 'c']).then(note('auto a c')));
        await ask(one.requestScopedLock(['a'], note('scoped a')));
        assert.deepEqual((await scene.settled(two.queryState())).pending.map((/** @type {any} */ { scope }) => scope.join('')),
          ['ab', 'b', 'bc', 'c', 'ac', 'a']);
        assert.deepEqual(order, []);
        holder.release();
        await scene.settled(Promise.all(all));
        assert.deepEqual(order, ['acquire a b', 'request b', 'flag b c', 'explicit c', 'auto a c', 'scoped a']);
      });

      it('forceRelease from another context', async () => {
        const [one, two, three] = contexts;
        const [first, second] = [holdScope(one, ['a', 'b']), holdScope(two, ['c'])];
        await scene.pass(100);
        const { signal } = first.lock;
        const waiting = [holdScope(three, ['b', 'c'])];
        await scene.pass(100);
        waiting.push(holdScope(two, 'b'));
        await scene.pass(100);
        await scene.settled(three.forceRelease(['a', 'c']));
        for (const { done } of [first, second]) assert.equal((await scene.settled(rejection(done))).name, 'AbortError');
        await scene.pass(100);
        assert.ok(signal.aborted && waiting[0].lock && !waiting[1].lock);
        first.release();
        second.release();
        await scene.pass(100);
        assert.deepEqual((await scene.settled(one.queryState())).held, [{ mode: 'exclusive', scope: ['b', 'c'] }]);
      });

      it('a request of a frozen tab blocks nobody else once its time is over', async () => {
        const [one, two, three] = contexts;
        const holder = holdScope(one, 'a', { mode: 'shared' });
        await scene.pass(100);
        const asking = watch(three.requestFlag(['a', 'b'], 'exclusive', { timeout: 200 }));
        await scene.pass(60);
        three.context.freeze('all');
        const behind = watch(two.requestExplicitLock('a', { mode: 'shared' }));
        await scene.pass(60);
        assert.equal(behind.state, 'pending');
        await scene.pass(400);
        assert.equal(behind.state, 'fulfilled');
        three.context.thaw();
        await scene.pass(100);
        assert.deepEqual([asking.state, asking.value.name], ['rejected', 'TimeoutError']);
        holder.release();
      });

      it('a wait ends though the leader is stopped', async () => {
        const [one, two, three] = contexts;
        const holder = await scene.settled(three.requestExplicitLock('a'));
        assert.equal((await scene.settled(two.log.inspect())).leader, one.log.clientId());
        one.context.freeze('all');
        const began = scene.world.time;
        assert.equal((await scene.settled(rejection(two.requestFlag(['a', 'b'], 'shared', { timeout: 500 })))).name, 'TimeoutError');
        assert.ok(scene.world.time - began < 2600);
        one.context.thaw();
        holder.release();
        await scene.settled(two.acquire(['a', 'b'], () => {}));
      });

      it('a lease ends for a frozen holder, and the holder learns of it when it wakes up', async () => {
        const [one, two, three] = contexts;
        const lock = await scene.settled(three.requestExplicitLock(['a', 'b'], { hold: 300 }));
        const { signal } = lock;
        three.context.freeze('all');
        const next = await scene.settled(two.requestExplicitLock('b', { timeout: 5000 }));
        assert.ok(next.fence > lock.fence);
        assert.equal(signal.aborted, false);
        three.context.thaw();
        const error = await scene.settled(rejection(lock.released));
        assert.deepEqual([error.name, signal.aborted], ['TimeoutError', true]);
        lock.release();
        next.release();
        await scene.settled(one.acquire(['a', 'b'], () => {}));
      });

      it('the locks of the dead are free, and a context that is declared dead is told', async () => {
        const [one, two, three] = contexts;
        const lock = await scene.settled(three.requestExplicitLock(['a', 'b']));
        const next = watch(two.requestExplicitLock(['b', 'c']));
        await scene.pass(200);
        three.context.kill();
        await scene.pass(5000);
        assert.equal(next.state, 'fulfilled');
        const { signal } = next.value;
        two.log.leave();
        await scene.pass(100);
        assert.ok(signal.aborted);
        assert.equal((await scene.settled(rejection(next.value.released))).name, 'AbortError');
        await scene.settled(one.acquire(['a', 'b', 'c'], () => {}));
        void lock;
      });

      it('onContention tells of other contexts', async () => {
        const [one, two, three] = contexts;
        /** @type {any[]} */
        const told = [];
        const onContention = (/** @type {any} */ waiter) => told.push(waiter);
        const lock = await scene.settled(one.requestExplicitLock(['a', 'b'], { onContention }));
        const waiting = [holdScope(two, 'b'), holdScope(three, ['c', 'a'], { mode: 'shared' })];
        await scene.pass(200);
        assert.deepEqual(told.map(({ clientId, mode, scope }) => `${clientId} ${mode} ${scope}`).sort(),
          [`${two.log.clientId()} exclusive b`, `${three.log.clientId()} shared a,c`].sort());
        lock.release();
        await scene.pass(200);
        waiting.forEach(({ release }) => release());
        await scene.pass(200);
        assert.equal(told.length, 2);
      });

      it('inspect() says since when', async () => {
        const [one, two] = contexts;
        const before = scene.world.time;
        const lock = await scene.settled(one.requestExplicitLock('a'));
        const granted = scene.world.time;
        await scene.pass(1000);
        const asked = scene.world.time;
        const waiting = holdScope(two, ['a', 'b']);
        await scene.pass(1000);
        const report = reportOf(await scene.settled(two.log.inspect()), two.observation.sinceOf);
        const [held] = report.members.flatMap((member) => member.held);
        const [pending] = report.members.flatMap((member) => member.pending);
        assert.ok(held.since >= before - 50 && held.since <= granted + 50, `${held.since}`);
        assert.ok(pending.since >= asked - 1 && pending.since <= asked + 200, `${pending.since}`);
        lock.release();
        await scene.pass(200);
        waiting.release();
        await scene.pass(200);
        const after = reportOf(await scene.settled(one.log.inspect()), one.observation.sinceOf);
        assert.deepEqual(after.members.flatMap((member) => [...member.held, ...member.pending]), []);
      });
    });
  }
});
