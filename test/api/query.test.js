import assert from 'node:assert/strict';
import { reportOf } from '../../glue/api/inspect.js';
import { snapshotOf } from '../../glue/api/query.js';
import { stateAfter } from '../model/state.js';

describe('the snapshot of requests of several names', () => {
  it('has each request once for each of its names, in the order of the requests', () => {
    const { held, pending } = snapshotOf(stateAfter('one exclusive a b', 'two shared b c', 'one shared c b'));
    assert.deepEqual(held, [
      { clientId: 'one', mode: 'exclusive', name: 'a' },
      { clientId: 'one', mode: 'exclusive', name: 'b' },
    ]);
    assert.deepEqual(pending, [
      { clientId: 'two', mode: 'shared', name: 'b' },
      { clientId: 'two', mode: 'shared', name: 'c' },
      { clientId: 'one', mode: 'shared', name: 'c' },
      { clientId: 'one', mode: 'shared', name: 'b' },
    ]);
  });
});

describe('the report of inspect()', () => {
  const report = (...lines) => reportOf({ client: 'one', leader: 'two', log: 'a', count: 7, state: stateAfter(...lines) },
    (client, number) => number * (client === 'one' ? 1 : 10));

  it('names the leader, and by member the held and pending requests', () => {
    assert.deepEqual(report('one exclusive a', 'two shared b', 'two exclusive a'), {
      client: 'one',
      leader: 'two',
      entries: 7,
      members: [
        { client: 'one', held: [{ names: ['a'], mode: 'exclusive', since: 2, fence: 1 }], pending: [] },
        {
          client: 'two',
          held: [{ names: ['b'], mode: 'shared', since: 20, fence: 2 }],
          pending: [{ names: ['a'], mode: 'exclusive', since: 30 }],
        },
      ],
      deadlocks: [],
      waitsForItself: [],
    });
  });

  it('suspects a deadlock if members wait for each other', () => {
    assert.deepEqual(report('one exclusive a', 'two exclusive b', 'one exclusive b', 'two exclusive a').deadlocks, [['one', 'two']]);
    // The request that is part of it need not be the last one.
    const lines = ['one exclusive a', 'two exclusive b', 'one exclusive b', 'one exclusive a', 'two exclusive a'];
    assert.deepEqual(report(...lines).deadlocks, [['one', 'two']]);
    const ring = ['one exclusive a', 'two exclusive b', 'three exclusive c', 'one shared b', 'two shared c', 'three shared a'];
    const { deadlocks } = report(...ring);
    assert.deepEqual(deadlocks, [['one', 'two', 'three']]);
  });

  it('tells apart members that wait for each other and members that wait for those', () => {
    const first = ['one exclusive a', 'three exclusive c', 'two exclusive b', 'four exclusive d'];
    const later = ['two exclusive a', 'four exclusive c', 'three exclusive b d', 'five exclusive b', 'one exclusive e'];
    assert.deepEqual(report(...first, ...later).deadlocks, [['three', 'four']]);
    const both = [...first, 'three exclusive d', 'one exclusive b', 'four exclusive c', 'two exclusive a', 'three exclusive a'];
    assert.deepEqual(report(...both).deadlocks, [['one', 'two'], ['three', 'four']]);
  });

  it('suspects one through requests that merely wait', () => {
    const { deadlocks } = report('one shared a', 'two exclusive b', 'two exclusive a', 'three shared a', 'one shared b');
    assert.deepEqual(deadlocks, [['one', 'two']]);
  });

  it('shows a member that waits for a lock of its own', () => {
    const itself = (...lines) => report(...lines).waitsForItself;
    assert.deepEqual(itself('one exclusive a', 'two exclusive b', 'one exclusive a'), ['one']);
    assert.deepEqual(itself('one exclusive a', 'one exclusive a b'), ['one']);
    assert.deepEqual(itself('one shared a', 'one exclusive a', 'two exclusive b c', 'two shared c', 'two shared b'), ['one', 'two']);
    // It waits for another one's request only.
    assert.deepEqual(itself('one shared a', 'two exclusive a', 'one shared a'), []);
    assert.deepEqual(itself('one exclusive a', 'two exclusive a', 'one exclusive b'), []);
  });

  it('follows a chain of very many members', () => {
    const count = 10_000;
    const members = Array.from({ length: count }, (_, place) => ({ client: `tab${place}`, handle: place + 1, last: 3 }));
    /** @param {number} number @param {number} step @returns {import('../../glue/core/types.js').RequestState[]} */
    const requests = (number, step) => members.map(({ client }, place) => (
      { client, number, names: [`${place + step}`], mode: 'exclusive', limit: 0, fence: 0, deadline: Infinity, hold: Infinity }));
    const state = { members, held: requests(2, 0), pending: requests(3, 1), time: 0, fence: count, lastHandle: count };
    const inspect = () => reportOf({ client: 'tab0', leader: 'tab0', log: 'a', count: 7, state }, () => 0).deadlocks;
    assert.deepEqual(inspect(), []);
    state.pending[count - 1].names = ['0'];
    assert.deepEqual(inspect(), [members.map(({ client }) => client)]);
  });

  it('suspects none in a chain, among readers, or in a member\'s own queue', () => {
    assert.deepEqual(report('one exclusive a', 'two exclusive b', 'two exclusive a', 'three exclusive b').deadlocks, []);
    assert.deepEqual(report('one shared a', 'three exclusive c', 'two exclusive b', 'three shared a b', 'one exclusive c').deadlocks, []);
    assert.deepEqual(report('one exclusive a', 'one exclusive a').deadlocks, []);
  });
});
