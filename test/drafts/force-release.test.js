import assert from 'node:assert/strict';
import { refusal, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { createContexts, holdScope, watch } from './kit.js';

describe('queryState() and forceRelease()', () => {
  /** @type {any} */
  let one;
  /** @type {any} */
  let other;

  beforeEach(() => {
    [one, other] = createContexts(2).contexts;
  });

  it('queryState() gives plain dictionaries, in the order of the grants and of the requests', async () => {
    const b = holdScope(one, 'b');
    const a = holdScope(one, 'a', { mode: 'shared' });
    const waiting = [holdScope(other, ['b', 'a']), holdScope(other, 'a', { mode: 'shared' })];
    await settle();
    const state = await other.queryState();
    assert.deepEqual(state, {
      held: [{ mode: 'exclusive', scope: ['b'] }, { mode: 'shared', scope: ['a'] }],
      pending: [{ mode: 'exclusive', scope: ['a', 'b'] }, { mode: 'shared', scope: ['a'] }],
    });
    assert.equal(Object.getPrototypeOf(state.held[0]), Object.prototype);
    for (const { release } of [b, a, ...waiting]) release();
  });

  it('removes every held lock with one of the names in its scope, and only those', async () => {
    const held = [['a', 'b'], ['c'], ['d', 'e'], ['f']].map((scope) => holdScope(one, scope));
    const single = watch(one.locks.request('g', () => new Promise(() => {})));
    await settle();
    const states = held.map(({ done }) => watch(done));
    assert.equal(await other.forceRelease(['b', 'd', 'g', 'nobody holds this']), undefined);
    await settle();
    assert.deepEqual(states.map(({ state }) => state), ['rejected', 'pending', 'rejected', 'pending']);
    for (const { value } of [states[0], states[2]]) assert.deepEqual([value.name, value instanceof DOMException], ['AbortError', true]);
    assert.deepEqual([single.state, single.value.name], ['rejected', 'AbortError']);
    assert.deepEqual((await one.queryState()).held.map((/** @type {any} */ { scope }) => scope), [['c'], ['f']]);
  });

  it('all removals first, then the grants', async () => {
    const a = holdScope(one, 'a');
    const b = holdScope(one, 'b');
    await settle();
    /** @type {string[]} */
    const order = [];
    const both = other.acquire(['a', 'b'], () => void order.push('a b'));
    const late = one.acquire('b', () => void order.push('b'));
    await settle();
    // Name by name, `b` would be released first, and the later request would get in before the earlier one has `a`.
    await other.forceRelease(['b', 'a']);
    await Promise.all([both, late]);
    assert.deepEqual(order, ['a b', 'b']);
    void [a, b];
  });

  it('queued requests stay', async () => {
    const holder = holdScope(one, 'a');
    const queued = [one, other, one].map((face) => holdScope(face, ['a', 'b'], { mode: 'shared' }));
    await settle();
    await other.forceRelease('b');
    assert.equal((await one.queryState()).pending.length, 3);
    await other.forceRelease('a');
    await settle();
    assert.ok(queued.every(({ lock }) => lock));
    queued.forEach(({ release }) => release());
    void holder;
  });

  it('the previous holder goes on, and its late settlement releases no other lock', async () => {
    const holder = holdScope(one, ['a', 'b']);
    const next = holdScope(other, 'a');
    await settle();
    await other.forceRelease('a');
    await settle();
    assert.ok(next.lock);
    holder.release('late');
    assert.equal((await rejection(holder.done)).name, 'AbortError');
    await settle();
    assert.deepEqual((await one.queryState()).held, [{ mode: 'exclusive', scope: ['a'] }]);
    next.release();
  });

  it('a holder can force its own lock, too, from within its callback', async () => {
    const done = one.acquire(['a', 'b'], async () => {
      await one.forceRelease('a');
      return one.acquire(['b', 'a'], () => 'mine again');
    });
    assert.equal((await rejection(done)).name, 'AbortError');
    await settle();
    assert.deepEqual((await one.queryState()).held, []);
  });

  it('refuses a value that is no scope', async () => {
    for (const given of [[], [[]], [Symbol('a')]]) assert.equal((await refusal(() => one.forceRelease(...given))).constructor, TypeError);
    assert.equal((await refusal(() => one.forceRelease('-a'))).name, 'NotSupportedError');
  });
});
