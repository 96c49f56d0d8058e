/**
 * Whether BroadcastChannel is one order: node test/measure/one-order.mjs chromium,firefox 100000. Ten contexts (three windows of
 * processes of their own, two frames, a worker of each window, a shared and a service worker) post that many messages together, as
 * glue/order/broadcast.js does, and compare what each was delivered. One window runs tasks of 200 ms, one's process is stopped for a
 * second, one is frozen for a second and a half (Chromium alone can do that), every 50th message carries 300 KB.
 */
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { libraryOf, Realm } from '../browsers/realms.js';
import { TestServer } from '../browsers/server.js';

const [list, wanted = '100000'] = process.argv.slice(2);
/** No run goes on for longer, in seconds. */
const LONGEST = 400;
const library = libraryOf('one-order.js', { createBroadcastOrder: 'order/broadcast.js', isBroadcastOneOrder: 'order/broadcast.js' });

/** In a realm: listens. A message is its sender, its number, and in some a weight. */
const listen = (/** @type {number} */ id) => {
  self.heard = [];
  self.own = 0;
  self.gaps = 0;
  self.order = self.parts.createBroadcastOrder('measured', ([from, number]) => {
    self.heard.push(from * 1e6 + number);
    if (from === id) self.own++;
  }, () => self.gaps++);
  return self.parts.isBroadcastOneOrder();
};

/** In a realm: posts [count] messages, some a task, and never more than 100 ahead of what it has heard of its own; then some pauses. */
const post = (/** @type {number} */ id, /** @type {number} */ count, /** @type {boolean} */ busy) => {
  let posted = 0;
  const weight = 'x'.repeat(300000);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    for (let burst = Math.floor(Math.random() * 6); burst > 0 && posted < count && posted < self.own + 100; burst--) {
      posted++;
      self.order.append(posted % 50 ? [id, posted] : [id, posted, weight]);
    }
    if (posted === count) return;
    if (posted % 100 > 94) setTimeout(() => port2.postMessage(0), 5);
    else port2.postMessage(0);
  };
  port2.postMessage(0);
  if (busy) {
    setInterval(() => {
      for (const end = performance.now() + 200; performance.now() < end;);
    }, 600);
  }
  return null;
};

for (const name of browserNames(list)) {
  const server = await new TestServer({ library }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  const origin = server.origin;
  try {
    const windows = [];
    for (let each = 0; each < 3; each++) windows.push(await Realm.tab({ newTab: (url) => browser.newTab(url) }, origin, `window ${each}`));
    const realms = [...windows];
    for (const window of windows) realms.push(await window.add('worker', `worker of ${window.name}`));
    for (const window of windows.slice(0, 2)) realms.push(await window.add('frame', `frame of ${window.name}`));
    if (await windows[0].evaluate(() => 'SharedWorker' in self)) realms.push(await windows[0].add('shared', 'shared'));
    if (await windows[0].evaluate(() => 'serviceWorker' in navigator)) realms.push(await windows[0].add('service', 'service'));
    const pids = new Set(await Promise.all(windows.map(({ tab }) => tab.pid())));
    const answers = [];
    for (const [id, realm] of realms.entries()) answers.push(await realm.evaluate(listen, id));
    console.log(`${browser.version}: ${realms.length} contexts, windows in ${pids.size} processes; the engine counts as one order in ` +
      `${answers.filter(Boolean).length}`);
    await sleep(300);

    const count = Math.floor(Number(wanted) / realms.length);
    const total = count * realms.length;
    const start = performance.now();
    await Promise.all(realms.map((realm, id) => realm.evaluate(post, id, count, id === 0)));
    const disturb = async () => {
      await sleep(1000);
      await windows[1].tab.stop();
      await sleep(1000);
      await windows[1].tab.resume();
      if (browser.canFreeze) {
        await windows[2].tab.freeze();
        await sleep(1500);
        await windows[2].tab.thaw();
      }
    };
    const disturbed = disturb();
    let counts;
    do {
      await sleep(500);
      await disturbed;
      // A page that has much to catch up with may not answer in time.
      counts = await Promise.all(realms.map((realm) => realm.evaluate(() => self.heard.length).catch(() => 0)));
    } while (counts.some((each) => each < total) && performance.now() - start < LONGEST * 1000);
    const seconds = (performance.now() - start) / 1000;

    const heard = [];
    for (const realm of realms) heard.push(await realm.evaluate(() => self.heard));
    const shortest = Math.min(...heard.map(({ length }) => length));
    const differing = heard.map((each) => each.slice(0, shortest).filter((message, place) => message !== heard[0][place]).length);
    console.log(`  ${heard.map(({ length }) => length).join(' ')} of ${total} messages heard in ${seconds.toFixed(0)} s`);
    console.log(`  places that differ from the first's: ${differing.join(' ')}`);
  } finally {
    await browser.stop();
    await server.stop();
  }
}
