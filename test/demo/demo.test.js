/** The demo in a real Chromium: what its rows, buttons and panels do. */
import assert from 'node:assert/strict';
import { createDemoServer } from '../../demo/serve.mjs';
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { skipWithout } from '../browsers/engines.js';
import { until } from '../browsers/drivers/wait.js';
import { checkExclusion, DemoPage, holdings } from './page.js';
import { COMPANY, useDemo } from './scene.js';

describe('the demo', function () {
  this.timeout(180000);
  this.slow(15000);
  const demo = useDemo();

  it('loads under a strict policy without a complaint, and shows four lanes, one of which leads', async () => {
    const response = await fetch(`${demo.origin}/demo/`);
    const policy = response.headers.get('content-security-policy');
    assert.match(policy, /default-src 'self'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:/);
    const page = await demo.open();
    await page.shows(...COMPANY);
    assert.deepEqual((await page.lanes()).map(({ label }) => label), COMPANY);
    await until(async () => (await page.lanes()).filter(({ leads }) => leads).length === 1, 5000, 'one leads');
    await page.says('#facts', /leaderTab 1members4suspected deadlocksnone/);
    assert.match(await page.text('#about-switch'), /data-force/);
    assert.deepEqual(page.complaints, []);
  });

  it('is at work at once, and hands over between frame and worker', async () => {
    const page = await demo.open();
    await page.event(({ event }) => event === 'granted', 'a grant');
    const early = await page.evaluate(() => {
      const [first] = self.recorded.filter(({ event }) => event === 'granted');
      return first.at - performance.timeOrigin;
    });
    console.log(`      the first grant came after ${early.toFixed(0)} ms`);
    for (const way of [/orker 1 → Frame 1/, /Frame 1 → /, / → Worker 1/]) await page.says('#log', way);
    await until(async () => new Set(holdings(await page.events()).map(({ lane, name }) => `${lane} ${name}`)).size === 8, 20000,
      'all four have held both locks');
    const all = holdings(await page.events());
    const readers = checkExclusion(all);
    assert.ok(readers > 0, 'readers were together');
    assert.deepEqual(page.complaints, []);
    console.log(`      ${all.length} locks held, exclusion kept, ${readers} times two readers together`);
  });

  it('shows what the tab prints with LOCKKEEPER_DEBUG: its own requests, and which contexts come, go and lead', async () => {
    const page = await demo.openCalm();
    await page.says('#printed', /^lockkeeper [\d:.]{12} \S+ #1 exclusive "lane:tab-1": requested$/m);
    await page.says('#printed', /this context joined: 1 member; the leader is this context$/m);
    await page.says('#printed', / joined: 4 members$/m);
    await page.press('Worker 1', 'request');
    await page.state('Worker 1', 'holds printer');
    await page.press('Tab 1', 'request');
    await page.says('#printed', /#\d+ exclusive "printer": blocked, \S+ holds exclusive "printer"$/m);
    await page.press('Worker 1', 'close');
    await page.says('#printed', / is gone: it ended or left; 3 members$/m);
    await page.says('#printed', /#\d+ exclusive "printer": granted after \d+ ms; fence \d+$/m);
    await page.press('Tab 1', 'release');
    await page.says('#printed', /#\d+ exclusive "printer": released after \d+ ms$/m);
    assert.deepEqual(page.complaints, []);
  });

  it('gives the lock of a crashed worker to the next', async () => {
    const page = await demo.openCalm();
    await page.press('Worker 1', 'request');
    await page.state('Worker 1', 'holds printer');
    await page.press('Frame 1', 'request');
    await page.state('Frame 1', 'waits for printer');
    await page.press('Worker 1', 'close');
    await page.state('Frame 1', 'holds printer');
    const log = await page.says('#log', /Worker 1 → Frame 1 crashed\D*(\d+) ms/);
    const [, took] = /crashed\D*(\d+) ms/.exec(log);
    console.log(`      granted ${took} ms after the crash`);
    assert.ok((await page.lanes()).some(({ label, gone, state }) => label === 'Worker 1' && gone && state === 'crashed'));
    checkExclusion(holdings(await page.events()));
  });

  it('releases, aborts, steals, holds for a time and closes a frame on command', async () => {
    const page = await demo.openCalm();
    await page.press('Tab 1', 'request');
    await page.state('Tab 1', 'holds printer');
    await page.press('Shared worker 1', 'request');
    await page.state('Shared worker 1', 'waits for printer');
    await page.press('Frame 1', 'request');
    await page.state('Frame 1', 'waits for printer');
    await page.press('Shared worker 1', 'abort');
    await page.state('Shared worker 1', 'idle');
    await page.press('Tab 1', 'release');
    await page.state('Frame 1', 'holds printer');
    await page.press('Worker 1', 'steal');
    await page.state('Worker 1', 'holds printer');
    await page.state('Frame 1', 'idle');
    await page.event(({ event, lane }) => event === 'stolen' && /frame/.test(lane), 'the frame knows of the theft');

    await page.choose('mode', 'shared');
    await page.choose('lock', 'file');
    await page.press('Tab 1', 'request');
    await page.press('Frame 1', 'request');
    await page.state('Tab 1', 'shares file');
    await page.state('Frame 1', 'shares file');
    await page.choose('mode', 'exclusive');
    await page.press('Shared worker 1', 'request');
    await page.state('Shared worker 1', 'waits for file');
    await page.press('Tab 1', 'release');
    await page.press('Frame 1', 'close');
    await page.state('Shared worker 1', 'holds file');

    await page.choose('hold', '2000');
    await page.evaluate(() => {
      document.getElementById('other').focus();
      document.getElementById('other').value = 'my own name';
    });
    await page.press('Tab 1', 'request');
    await page.state('Tab 1', 'holds my own name');
    await page.says('#queues', /my own nameheld byTab 1/);
    await page.state('Tab 1', 'idle');
    const held = holdings(await page.events()).find(({ name }) => name === 'my own name');
    assert.ok(held.to - held.from > 1900, `held for ${held.to - held.from} ms`);
    assert.deepEqual(page.complaints, []);
  });

  it('suspects a deadlock if there is one, and it ends when a lock is released', async () => {
    const page = await demo.openCalm();
    await page.press('Frame 1', 'request');
    await page.state('Frame 1', 'holds printer');
    await page.choose('lock', 'file');
    await page.press('Worker 1', 'request');
    // A button only tells another context what to do: the first of two requests is known once it has been made.
    await page.state('Worker 1', 'holds file');
    await page.press('Frame 1', 'request');
    await page.state('Frame 1', 'holds printer, waits for file');
    await page.choose('lock', 'printer');
    await page.press('Worker 1', 'request');
    await page.state('Worker 1', 'holds file, waits for printer');
    await page.says('#facts', /suspected deadlocks(Frame 1 ⇄ Worker 1|Worker 1 ⇄ Frame 1)/);
    await page.choose('lock', 'file');
    await page.press('Worker 1', 'release');
    await page.state('Frame 1', 'holds printer, holds file');
    await page.says('#facts', /suspected deadlocksnone/);
  });

  it('shows for how long each lock is held and waited for', async () => {
    const page = await demo.openCalm();
    await page.press('Frame 1', 'request');
    await page.state('Frame 1', 'holds printer');
    await page.press('Worker 1', 'request');
    await page.state('Worker 1', 'waits for printer');
    /** The rows by label: what is held, and what is waited for. @returns {Promise<Record<string, string[]>>} */
    const ages = () => page.evaluate(() => Object.fromEntries(Array.from(document.querySelectorAll('#members tr'), (row) => [
      row.querySelector('th').firstChild.textContent, Array.from(row.querySelectorAll('td'), (cell) => cell.textContent),
    ])));
    const seconds = (cell) => Number(/^printerfor (\d+) s$/.exec(cell)?.[1] ?? NaN);
    await until(async () => seconds((await ages())['Worker 1']?.[1]) >= 0, 10000, 'the report has come');
    const first = await ages();
    await page.evaluate(() => { self.row = document.querySelector('#members tr'); });
    let last = first;
    await until(async () => {
      last = await ages();
      return seconds(last['Worker 1'][1]) > seconds(first['Worker 1'][1]) && seconds(last['Frame 1'][0]) > seconds(first['Frame 1'][0]);
    }, 10000, () => `both are longer: ${JSON.stringify([first, last])}`);
    assert.ok(seconds(last['Frame 1'][0]) >= seconds(last['Worker 1'][1]), 'it was held before it was waited for');
    assert.deepEqual([last['Frame 1'][1], last['Worker 1'][0], last['Tab 1']], ['–', '–', ['–', '–']]);
    assert.equal(await page.evaluate(() => self.row.isConnected), true, 'the rows stay what they are');
  });

  it('shows the same lanes in every tab, and goes on when the first one closes', async () => {
    const first = await demo.openCalm();
    const second = await demo.open();
    await second.shows(...COMPANY, 'Tab 2');
    await first.shows('Tab 2');
    await first.press('Tab 1', 'request');
    await first.state('Tab 1', 'holds printer');
    await second.press('Tab 2', 'request');
    await first.state('Tab 2', 'waits for printer');
    await until(async () => (await second.lanes()).some(({ leads }) => leads), 10000, 'one leads');
    const before = (await second.lanes()).find(({ leads }) => leads).label;
    await first.close();
    await second.state('Tab 2', 'holds printer');
    await until(async () => (await second.lanes()).filter(({ gone }) => !gone).length === 1, 10000, 'the others went with their page');
    await until(async () => (await second.lane('Tab 2')).leads, 10000, 'Tab 2 leads');
    if (before !== 'Tab 2') await second.says('#log', /Tab 2 leads now/);
    assert.deepEqual(second.complaints, []);
  });

  it('opens tabs, and closes those that it has opened', async () => {
    const page = await demo.openCalm();
    await page.click('[data-add=tab]');
    await page.shows('Tab 2');
    await page.press('Tab 2', 'close');
    await until(async () => !await page.lane('Tab 2'), 10000, 'Tab 2 is closed');
    const tabs = async () => (await demo.browser.pages()).filter(({ url }) => url.startsWith(demo.origin));
    await until(async () => (await tabs()).length === 1, 5000, 'one tab is left');
  });

  it('starts over after a reload, with new company', async () => {
    const page = await demo.open();
    await page.shows(...COMPANY);
    await page.tab.navigate(`${demo.origin}/demo/`);
    await page.shows(...COMPANY);
    await page.says('#log', /→/);
  });

  it('shows the browser\'s own locks by the switch', async () => {
    const page = await demo.open();
    await page.shows(...COMPANY);
    const address = await page.evaluate(() => document.getElementById('use-native').href);
    await page.tab.navigate(address);
    assert.equal(await page.evaluate(() => /native code/.test(navigator.locks.request)), true);
    await page.shows(...COMPANY);
    await page.says('#log', /→/);
    await page.says('#facts', /the browser offers none/);
    checkExclusion(holdings(await page.events()));
    assert.deepEqual(page.complaints, []);
  });
});

// WebKit is driven by a script in each page, which the demo's policy does not let in.
for (const name of browserNames().filter((each) => !['chromium', 'webkit'].includes(each))) {
  describe(`the demo in ${name}`, function () {
    this.timeout(180000);

    it('shows its lanes, and hands over', async function () {
      skipWithout(name, this);
      const browser = await startBrowser(name);
      const server = createDemoServer();
      try {
        await new Promise((resolve) => server.listen(0, 'localhost', resolve));
        const page = new DemoPage(await browser.newTab(`http://localhost:${server.address().port}/demo/`));
        await page.shows(...COMPANY);
        for (const way of [/orker 1 → Frame 1/, /Frame 1 → /, / → Worker 1/]) await page.says('#log', way);
        await until(async () => (await page.lanes()).some(({ leads }) => leads), 5000, 'one leads');
      } finally {
        await browser.stop();
        server.close();
        server.closeAllConnections();
      }
    });
  });
}
