/** Resource names: any UTF-16 code units, each sequence a name of its own. */
import { hold, linesOf } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

const strange = ['', ' ', '\0', 'a\0', 'a', 'A', 'a\0b', '\ud800', '\udc00', '\ud83d\ude00', '\ude00\ud83d', '\ufffd', '\u00e9', 'e\u0301',
  'x'.repeat(100000), '__proto__', 'constructor', 'toString', 'length', '*', '\u2212minus'];

/** @type {Table} */
export const names = {
  async 'strange names are names, and no two of them the same'({ locks, elsewhere, assert }) {
    const holders = strange.map((name) => hold(locks, name));
    const entered = await Promise.all(holders.map((holder) => holder.entered));
    assert.deepStrictEqual(entered.map((lock) => lock.name), strange);
    for (const manager of [locks, elsewhere]) {
      assert.deepStrictEqual(new Set(await linesOf(manager, ...strange)), new Set(strange.map((name) => `held ${name} exclusive`)));
      for (const name of strange) {
        assert.strictEqual(await manager.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
      }
    }
    await Promise.all(holders.map(({ release, done }) => (release(), done)));
    assert.deepStrictEqual(await linesOf(elsewhere, ...strange), []);
  },
};
