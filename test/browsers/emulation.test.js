/** A tab that says it is another browser, as with the device emulation of DevTools, works with the others. */
import assert from 'node:assert/strict';
import { holdInTurn } from './companions.js';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 ' +
  'Mobile/15E148 Safari/604.1';

eachBrowser('a tab with an emulated user agent', {}, (the) => {
  /** @type {Stage} */
  let stage;

  before(function () {
    if (!the.browser.canEmulate) this.skip();
  });
  beforeEach(async () => { stage = await Stage.open(the); });

  /** @returns {Promise<import('./contexts.js').Context>} */
  const phone = async () => {
    const page = await stage.page();
    await page.tab.emulate(PHONE);
    await page.tab.navigate(`${stage.origin}/pages/context.html?id=${page.id}`);
    assert.equal(await page.tab.evaluate(() => navigator.userAgent), PHONE);
    return page;
  };

  const places = { first: 0, 'in between': 1, last: 2 };
  for (const [title, place] of Object.entries(places)) {
    it(`joins ${title}: locks are exclusive, and granted in the order of the requests`, async () => {
      const contexts = [];
      for (let index = 0; index < 3; index++) {
        contexts.push(index === place ? await stage.joined(await phone()) : await stage.tab());
        contexts.push(await contexts[contexts.length - 1].add('worker'));
      }
      await holdInTurn(stage, contexts);
    });
  }

  it('gives its locks up when it is killed, and takes over when the eldest is', async () => {
    const [eldest, emulated, last] = [await stage.tab(), await stage.joined(await phone()), await stage.tab()];
    for (const { tab } of [eldest, emulated]) await tab.pid();
    await eldest.hold('eldest', 'one');
    await emulated.hold('emulated', 'two');
    await emulated.queue('next', 'one');
    await last.queue('last', 'two');
    eldest.forget();
    await eldest.tab.kill();
    await stage.event('next', 'granted');
    emulated.forget();
    await emulated.tab.kill();
    await stage.event('last', 'granted');
    assert.deepEqual(stage.grants(), ['eldest', 'emulated', 'next', 'last']);
  });
});
