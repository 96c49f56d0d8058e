import assert from 'node:assert';
import { createTrouble } from '../../glue/platform/node/trouble.js';

describe('node: errors of the system that may pass', () => {
  /** @type {string[]} */
  let seen;
  /** @type {ReturnType<typeof createTrouble>} */
  let trouble;
  const again = () => {};
  const fail = () => trouble.retry(new Error('disk full'), again);

  beforeEach(() => {
    seen = [];
    trouble = createTrouble((text) => void seen.push(text), (callback, milliseconds) => {
      assert.strictEqual(callback, again);
      seen.push(`wait ${milliseconds}`);
      return () => void seen.push(`end ${milliseconds}`);
    });
  });

  it('are tried again after longer and longer pauses, with one warning', () => {
    const pauses = [];
    for (let each = 0; each < 9; each++) {
      fail();
      pauses.push(trouble.pause());
    }
    assert.deepStrictEqual(pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000]);
    assert.deepStrictEqual(seen.slice(0, 4), [
      'Lockkeeper: disk full; trying again until it works', 'wait 100', 'end 100', 'wait 200',
    ]);
    assert.strictEqual(seen.filter((text) => text.startsWith('Lockkeeper')).length, 1);
  });

  it('are forgotten once something has worked', () => {
    trouble.over();
    assert.deepStrictEqual([trouble.pause(), seen], [0, []]);
    fail();
    trouble.over();
    trouble.over();
    assert.deepStrictEqual([trouble.pause(), seen.splice(0).slice(1)], [0, ['wait 100', 'end 100']]);
    fail();
    assert.deepStrictEqual(seen, ['Lockkeeper: disk full; trying again until it works', 'wait 100']);
  });
});
