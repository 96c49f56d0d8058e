import assert from 'node:assert';
import { createGuard } from '../../glue/platform/node/guard.js';

describe('node: which contexts a context watches', () => {
  /** By client that is watched now, what lets it die. */
  const watched = /** @type {Map<string, () => void>} */ (new Map());
  const died = /** @type {string[]} */ ([]);
  const start = () => createGuard((client, onDeath) => {
    watched.set(client, () => {
      watched.delete(client);
      onDeath();
    });
    return () => watched.delete(client);
  }, (client) => died.push(client));

  beforeEach(() => {
    watched.clear();
    died.length = 0;
  });

  it('a context that has announced an entry is watched until that entry is there, or its client has gone', () => {
    const guard = start();
    const others = Array.from({ length: 8 }, (_, index) => `other ${index}`);
    guard.expect('a', 5);
    guard.expect('b', 7);
    const last = new Map([['a', 4], ['b', 6]]);
    const asked = /** @type {string[]} */ ([]);
    const turn = () => guard.turnTo(new Set(others), (client) => {
      asked.push(client);
      return last.get(client) ?? -1;
    });
    turn();
    turn();
    assert.deepStrictEqual([watched.has('a'), watched.has('b')], [true, true]);
    last.set('a', 5);
    turn();
    assert.deepStrictEqual([watched.has('a'), watched.has('b')], [false, true]);
    guard.remove('b');
    asked.length = 0;
    turn();
    assert.deepStrictEqual([watched.has('b'), asked], [false, []], 'nothing is kept of a client that has gone');
    watched.get('other 0')?.();
    assert.deepStrictEqual(died, ['other 0']);
    guard.stop();
    assert.strictEqual(watched.size, 0);
  });

  it('a context that still blocks it is watched again after a death that could not be written, and after it has joined anew', () => {
    const guard = start();
    const turn = () => guard.turnTo(new Set(['a']), () => 0);
    turn();
    watched.get('a')?.();
    turn();
    assert.ok(watched.has('a'));
    guard.stop();
    turn();
    assert.ok(watched.has('a'));
    watched.get('a')?.();
    assert.deepStrictEqual(died, ['a', 'a']);
  });

  it('every context that blocks it is watched all the time', () => {
    let begun = 0;
    let ended = 0;
    const guard = createGuard(() => {
      begun++;
      return () => ended++;
    }, () => {});
    const blockers = new Set(Array.from({ length: 20 }, (_, index) => `other ${index}`));
    for (let turn = 0; turn < 3; turn++) guard.turnTo(blockers, () => 0);
    assert.deepStrictEqual([begun, ended], [20, 0]);
    guard.turnTo(new Set(), () => 0);
    assert.strictEqual(ended, 12, 'eight stay');
  });
});
