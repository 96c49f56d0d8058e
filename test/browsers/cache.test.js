/** Pages in the back-forward cache. */
import { CACHEABLE, CACHEABLE_QUERY } from './cache.js';
import { Stage } from './contexts.js';
import { browserNames } from './drivers/index.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** In WebKit a pending `open` may hold up others (docs/browsers.md). Chromium 67 has no such cache. */
const names = browserNames().filter((name) => name === 'chromium' || name === 'firefox');
const MOMENTS = { 'in beforeunload': -1, 'right before': 0, '5 ms before': 5, '10 ms before': 10, '20 ms before': 20, '40 ms before': 40 };

eachBrowser('a first page that asks and is left for another one', { names }, (the) => {
  for (const [moment, wait] of Object.entries(MOMENTS)) {
    it(`keeps nobody waiting: ${moment}`, async () => {
      const stage = await Stage.open(the);
      const page = await stage.page(CACHEABLE);
      await page.tab.evaluate((milliseconds, query) => {
        const ask = () => void self.actor('request', ['first', 'name']);
        const go = () => { location.href = `/pages/context.html?id=next&${query}${location.hash}`; };
        if (milliseconds < 0) addEventListener('beforeunload', ask);
        setTimeout(() => {
          if (milliseconds >= 0) ask();
          setTimeout(go, Math.max(milliseconds, 0));
        }, 50);
      }, wait, String(CACHEABLE_QUERY));
      const isNext = () => page.tab.evaluate(() => location.search.includes('id=next') && !!self.actor).catch(() => false);
      await until(isNext, 10000, 'the next page');
      await page.tab.evaluate(() => void self.actor('request', ['next', 'name']));
      await stage.event('next', 'granted');
      await (await stage.tab()).hold('another', 'another name');
    });
  }
});
