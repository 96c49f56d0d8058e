/**
 * A page that the browser prerenders: its messages on a BroadcastChannel are sent when the page is shown, but IndexedDB works at once. Like
 * a native one, its request waits until then. Until then it blocks nobody.
 */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

for (const [whose, options] of /** @type {const} */ ([['our', {}], ['native', { library: null }]])) {
  // No other browser prerenders. A tab that DevTools looks at does not either, so the tests do not open it with newTab(). Nor does one that
  // is no longer in front.
  eachBrowser(`a prerendered page with ${whose} locks`, { ...options, names: ['chromium'] }, (the) => {
    /** @type {Stage} */
    let stage;

    beforeEach(async () => { stage = await Stage.open(the); });
    afterEach(() => the.browser.closeAll((url) => url.includes(stage.origin)));

    const prerender = async () => {
      await the.browser.open(`${stage.origin}/pages/prerenders.html`);
      await stage.event('page', 'prerendering');
    };

    /** The tab with the prerendered page goes to another page. @param {import('./contexts.js').Context} context @param {string} page */
    const go = (context, page) => context.tab.evaluate((url) => new BroadcastChannel('prerenders').postMessage(url), `/pages/${page}`);

    it('waits until it is shown, and blocks nobody until then', async () => {
      const [visitor, next] = [await stage.page(), await stage.page()];
      await prerender();
      await visitor.hold('visitor', 'name');
      await next.queue('next', 'name');
      assert.equal((await visitor.query()).pending.length, 1);
      await go(visitor, 'prerendered.html');
      await stage.event('page', 'shown');
      await until(async () => (await visitor.query()).pending.length === 2, 10000, 'it waits in turn');
      await visitor.release('visitor');
      await stage.event('next', 'granted');
      assert.deepEqual(stage.grants(), ['visitor', 'next']);
    });

    it('is granted a free lock once it is shown', async () => {
      const visitor = await stage.page();
      await prerender();
      await visitor.hold('visitor', 'other');
      await go(visitor, 'prerendered.html');
      await stage.event('prerendered', 'granted');
      assert.deepEqual(stage.events(), ['page prerendering', 'visitor granted', 'page shown', 'prerendered granted']);
    });

    it('leaves nothing if it is never shown', async () => {
      const visitor = await stage.page();
      await prerender();
      await visitor.hold('visitor', 'name');
      await go(visitor, 'realm.html');
      const next = await stage.page();
      await next.queue('next', 'name');
      await visitor.release('visitor');
      await stage.event('next', 'granted');
      assert.deepEqual((await next.query()).pending, []);
      if (whose === 'our') await until(async () => Object.keys((await next.register()).members).length === 2, 10000, 'two are left');
    });
  });
}
