import assert from 'node:assert/strict';
import { isDead } from './drivers/processes.js';
import { sleep, until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

eachBrowser('the driver', { library: null }, (the) => {
  const counting = () => { self.count = 0; setInterval(() => self.count++, 10); };
  const counts = (tab, milliseconds) => until(async () => {
    const before = await tab.evaluate('count');
    await sleep(50);
    return await tab.evaluate('count') > before;
  }, milliseconds, 'the page counts');

  it('opens tabs in processes of their own, and evaluates in them', async () => {
    const [first, second] = [await the.newTab('/blank'), await the.newTab('/blank')];
    assert.notEqual(await first.pid(), await second.pid());
    assert.deepEqual(await first.evaluate(async (x, y) => { await 0; return [x + y, document.title]; }, 2, 3), [5, 'blank']);
    await first.evaluate('self.mark = 1');
    assert.equal(await second.evaluate('typeof mark'), 'undefined');
    await assert.rejects(second.evaluate(() => { throw new Error('as it should'); }), /as it should/);
  });

  it('shows all pages', async () => {
    const pages = [await the.newTab('/blank'), await the.newTab('/blank'), await the.newTab('/blank')];
    for (const page of pages) assert.equal(await page.evaluate('document.visibilityState'), 'visible');
  });

  it('navigates', async () => {
    const tab = await the.newTab('/blank');
    await tab.evaluate('self.mark = 1');
    await tab.navigate(`${the.server.origin}/blank?again`);
    assert.deepEqual(await tab.evaluate(() => [location.search, typeof mark]), ['?again', 'undefined']);
  });

  it('stops a process and continues it', async () => {
    const tab = await the.newTab('/blank');
    await tab.evaluate(counting);
    await counts(tab, 2000);
    await tab.stop();
    const answer = tab.evaluate('count');
    assert.equal(await Promise.race([answer, sleep(300).then(() => 'none')]), 'none');
    await tab.resume();
    await answer;
    await counts(tab, 2000);
  });

  it('freezes a tab and thaws it', async function () {
    if (!the.browser.canFreeze) this.skip();
    const tab = await the.newTab('/blank');
    await tab.evaluate(counting);
    await tab.freeze();
    const frozen = await tab.evaluate('count');
    await sleep(200);
    assert.equal(await tab.evaluate('count'), frozen);
    await tab.thaw();
    await counts(tab, 2000);
  });

  it('kills the process of one tab only', async () => {
    const [victim, other] = [await the.newTab('/blank'), await the.newTab('/blank')];
    const pid = await victim.pid();
    await victim.kill();
    assert.ok(isDead(pid));
    assert.equal(await other.evaluate('1 + 1'), 2);
    assert.ok(await the.browser.isAlive());
    await victim.close();
  });

  it('clears the data of an origin', async () => {
    const tab = await the.newTab('/blank');
    await tab.evaluate(() => new Promise((resolve, reject) => {
      const open = indexedDB.open('kept', 1);
      open.onerror = reject;
      open.onsuccess = () => {
        self.database = open.result;
        self.database.onclose = () => { self.wiped = true; };
        resolve();
      };
    }));
    await the.browser.clearSiteData(the.server.origin);
    await until(() => tab.evaluate('self.wiped'), 5000, 'the connection is closed');
  });
});
