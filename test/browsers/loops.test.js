/** A context that is alone gets its locks at once. Even so, a loop of requests lets the rest of its page go on, and newcomers join. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

/** A loop has at most so many turns, so that a failing test ends. */
const MOST = 300000;

eachBrowser('while a page requests again and again', {}, (the) => {
  /** @type {import('./contexts.js').Context} */
  let page;
  /** @type {Stage} */
  let stage;

  beforeEach(async () => {
    stage = await Stage.open(the);
    page = await stage.tab();
  });

  it('its own timers run', async () => {
    const ended = await page.tab.evaluate(async (/** @type {number} */ most) => {
      const { locks } = navigator;
      // Each loop ends when the holder's timer has fired.
      const loop = async (/** @type {string} */ name, /** @type {() => Promise<boolean>} */ isReleased) => {
        void locks.request(name, () => new Promise((resolve) => setTimeout(resolve)));
        for (let turn = 0; turn < most; turn++) if (await isReleased()) return true;
        return false;
      };
      let fired = false;
      setTimeout(() => { fired = true; });
      return [
        await loop('tried', () => locks.request('tried', { ifAvailable: true }, (lock) => !!lock)),
        await loop('asked for', async () => !(await locks.query()).held.some(({ name }) => name === 'asked for')),
        await loop('held', () => locks.request('other', () => fired)),
      ];
    }, MOST);
    assert.deepEqual(ended, [true, true, true]);
  });

  it('a newcomer is granted another lock', async () => {
    await page.tab.evaluate((/** @type {number} */ most) => {
      const loop = async () => {
        for (self.turns = 0; self.turns < most; self.turns++) await navigator.locks.request('again', () => {});
      };
      void loop();
    }, MOST);
    const newcomer = await stage.tab();
    await newcomer.request('free', 'free');
    await stage.event('free', 'granted');
    assert.ok(await page.tab.evaluate(() => self.turns) < MOST, 'the newcomer had to wait for the end of the loop');
  });
});
