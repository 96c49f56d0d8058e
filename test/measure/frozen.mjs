/**
 * What waits if a page deletes all databases while another context is frozen: node test/measure/frozen.mjs. Only Chromium can freeze a
 * page on command.
 */
import { startBrowser } from '../browsers/drivers/index.js';
import { Stage } from '../browsers/contexts.js';
import { sleep } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

/** The checks, and how many milliseconds after the start of the deletion. */
const LATER = 3000;

/** Makes the context that is frozen. @type {Record<string, (stage: Stage) => Promise<import('../browsers/contexts.js').Context>>} */
const FROZEN = {
  'a page that holds nothing': (stage) => stage.tab(),
  async 'a page that holds a lock'(stage) {
    const tab = await stage.tab();
    await tab.hold('frozen', 'of the frozen one');
    return tab;
  },
  async 'a page whose worker holds nothing'(stage) { return (await stage.page()).add('worker'); },
  async 'a page whose worker holds a lock'(stage) {
    const worker = await (await stage.page()).add('worker');
    await worker.hold('frozen', 'of the frozen one');
    return worker;
  },
};

const deleteAll = async () => {
  self.left = 0;
  for (const { name } of await indexedDB.databases()) {
    self.left++;
    indexedDB.deleteDatabase(name).onsuccess = () => self.left--;
  }
};

const server = await new TestServer().start();
const browser = await startBrowser('chromium');
try {
  console.log(browser.version);
  for (const [title, make] of Object.entries(FROZEN)) {
    const tabs = [];
    const newTab = async (/** @type {string} */ address) => {
      tabs.push(await browser.newTab(address));
      return tabs[tabs.length - 1];
    };
    const stage = await Stage.open({ name: 'chromium', browser, server, newTab });
    const frozen = await make(stage);
    const [member, other] = [await stage.tab(), await stage.tab()];
    await other.tab.pid();
    await other.hold('other', 'of the other one');
    // Browsers freeze only pages that have long been hidden.
    await frozen.tab.show(false);
    await sleep(2000);
    await frozen.tab.freeze();
    await sleep(500);
    await member.tab.evaluate(deleteAll);
    await sleep(500);
    const newcomer = await stage.page();
    await member.request('member', 'free');
    await newcomer.request('newcomer', 'free too');
    await other.tab.kill();
    await member.request('next', 'of the other one');
    await sleep(LATER);
    const granted = (/** @type {string} */ tag) => (stage.grants().includes(tag) ? 'granted' : 'waits');
    const look = async () => `${await member.tab.evaluate(() => self.left)} deletions wait; a member's request ${granted('member')}, ` +
      `a newcomer's ${granted('newcomer')}, one for the lock of a tab that was killed ${granted('next')}`;
    console.log(`${title}, frozen\n  after ${LATER} ms: ${await look()}`);
    await frozen.tab.thaw();
    await sleep(2000);
    console.log(`  2000 ms after it goes on: ${await look()}`);
    for (const tab of tabs) await tab.close().catch(() => {});
  }
} finally {
  await browser.stop();
  await server.stop();
}
