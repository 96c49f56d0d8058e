/** While a page stands in a debugger, Chromium loses the messages for it (docs/browsers.md). */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { browserNames } from './drivers/index.js';
import { eachBrowser } from './engines.js';

const names = browserNames().filter((name) => name.startsWith('chromium'));

eachBrowser('a page that has stood in a debugger', { names }, (the) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('./contexts.js').Context} */
  let other;
  /** @type {import('./contexts.js').Context} */
  let page;

  beforeEach(async () => {
    stage = await Stage.open(the);
    [other, page] = [await stage.tab(), await stage.tab()];
  });

  /** @param {() => Promise<unknown>} act */
  const whilePaused = async (act) => {
    await page.tab.pause();
    await act();
    await page.tab.goOn();
  };

  it('does not enter beside a holder that it has not heard of', async () => {
    await whilePaused(() => other.hold('held', 'name'));
    await page.queue('next', 'name');
    assert.deepEqual(stage.grants(), ['held']);
    await other.release('held');
    await stage.event('next', 'granted');
  });

  it('does not enter there, at whatever point of its listeners it has stood', async () => {
    for (const skipped of [0, 1, 2, 3, 4]) {
      const name = `stood ${skipped}`;
      await page.tab.pauseInListener(skipped, () => other.hold(`first ${skipped}`, `first ${skipped}`));
      await other.hold(`held ${skipped}`, name);
      await page.tab.goOn();
      await page.request(`next ${skipped}`, name);
      // By then that request has been delivered.
      await page.query();
      assert.ok(!stage.grants().includes(`next ${skipped}`), name);
      await other.release(`held ${skipped}`);
      await stage.event(`next ${skipped}`, 'granted');
    }
  });

  it('is granted what it has waited for, though it has not heard of the release', async () => {
    await other.hold('held', 'name');
    await page.queue('next', 'name');
    await whilePaused(async () => {
      await other.release('held');
      await stage.event('held', 'ended');
    });
    await stage.event('next', 'granted');
  });

  it('still holds what it has held', async () => {
    await page.hold('held', 'name');
    await whilePaused(() => other.queue('next', 'name'));
    await page.release('held');
    await Promise.all([stage.event('held', 'ended'), stage.event('next', 'granted')]);
  });
});
