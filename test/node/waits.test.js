import assert from 'node:assert';
import { holdersBefore, requestsBefore } from '../../glue/platform/node/waits.js';
import { stateAfter } from '../model/state.js';

describe('node: which holders a client waits for', () => {
  /** By what the requests are: the holders before `me`. @type {Record<string, [string[], string[]]>} */
  const HOLDERS = {
    'none, where it holds': [['me exclusive a', 'one exclusive b'], []],
    'the holder of an exclusive lock': [['one exclusive a', 'two exclusive b', 'me shared a'], ['one']],
    'all holders of shared locks': [['one shared a', 'two shared a', 'me exclusive a'], ['one', 'two']],
    'no holder of a shared lock, where its request is shared': [['one shared a', 'two exclusive a', 'me shared a'], []],
    'the holders under any of its names': [['one exclusive a', 'two shared b c', 'me exclusive c a'], ['one', 'two']],
    'the holders before any of its requests': [['one exclusive a', 'two shared b', 'me shared a', 'me exclusive b'], ['one', 'two']],
    'not itself': [['me exclusive a', 'me exclusive a'], []],
    'none before another client\'s request': [['one exclusive a', 'two exclusive a', 'me exclusive b'], []],
  };
  for (const [title, [lines, holders]] of Object.entries(HOLDERS)) {
    it(title, () => assert.deepStrictEqual([...holdersBefore(stateAfter(...lines), 'me', 0)].sort(), holders));
  }

  it('and only the holders before its requests after some number', () => {
    const state = stateAfter('one exclusive a', 'two exclusive b', 'me exclusive a', 'me exclusive b');
    assert.deepStrictEqual([0, 2, 3].map((after) => [...holdersBefore(state, 'me', after)]), [['one', 'two'], ['two'], []]);
  });

  it('which requests of others stand before its own, under the same names', () => {
    const state = stateAfter('one exclusive a', 'two shared b', 'one exclusive b', 'three exclusive a', 'one exclusive c',
      'two exclusive c', 'one shared a', 'me shared a', 'one exclusive b', 'me exclusive b', 'one exclusive a', 'two exclusive b');
    const before = (/** @type {string[]} */ ...blockers) => Object.fromEntries(requestsBefore(state, 'me', new Set(blockers)));
    assert.deepStrictEqual(before('one', 'two'), { one: [2, 3, 5, 6], two: [2] });
    assert.deepStrictEqual(before('three'), { three: [2] });
    assert.deepStrictEqual(before(), {});
  });
});
