/** The standard's sentences (test/api/tables) on navigator.locks of a real page, a frame being the other context. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { tables } from '../api/tables/index.js';
import { eachBrowser } from './engines.js';

const folders = { api: fileURLToPath(new URL('../api', import.meta.url)) };

eachBrowser('the standard', { folders }, (the) => {
  /** @type {Record<string, string>} */
  let results;

  before(async function () {
    this.timeout(120000);
    const tab = await the.browser.newTab(`${the.server.origin}/api/page/index.html`);
    // A module runs after the page's own scripts, so it may not have begun.
    results = await tab.evaluate(() => new Promise((resolve) => {
      const wait = () => (self.results ? resolve(self.results) : setTimeout(wait, 10));
      wait();
    }));
    await tab.close();
  });

  for (const [title, table] of Object.entries(tables)) {
    describe(title, () => {
      for (const sentence of Object.keys(table)) it(sentence, () => assert.equal(results[`${title}: ${sentence}`], ''));
    });
  }
});
