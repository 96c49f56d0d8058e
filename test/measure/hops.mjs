/**
 * How many messages to oneself an order carries in a second, one after another, beside native locks: node test/measure/hops.mjs webkit 5.
 * Two tabs are open; one asks, or both at once. Orders and native locks take turns; the figures are medians of that many turns.
 */
import { readFileSync } from 'node:fs';
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { libraryOf, Realm } from '../browsers/realms.js';
import { TestServer } from '../browsers/server.js';

const [list, times = '5'] = process.argv.slice(2);
const DURATION = 1000;
const library = libraryOf('hops.js', { createBrowserPlace: 'platform/browser.js' });

const listen = (/** @type {string} */ own) => {
  const place = self.parts.createBrowserPlace('', self);
  self.orders = {};
  for (const kind of ['broadcast', 'store']) {
    let heard = () => {};
    const order = place.openOrder(kind, ([from, number]) => from === own && heard(number), () => {});
    let said = 0;
    self.orders[kind] = () => new Promise((resolve) => {
      const number = ++said;
      heard = (/** @type {number} */ echo) => echo === number && resolve(null);
      order.append([own, number]);
    });
  }
  if (navigator.locks) {
    let name = 0;
    self.orders.native = () => navigator.locks.request(`${own}${name++}`, () => {});
  }
  return Object.keys(self.orders);
};

const run = async (/** @type {string} */ kind, /** @type {number} */ duration) => {
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < duration) {
    await self.orders[kind]();
    count++;
  }
  return count / (performance.now() - start) * 1000;
};

const middle = (/** @type {number[]} */ values) => Math.round([...values].sort((one, other) => one - other)[values.length >> 1]);

for (const name of browserNames(list)) {
  const server = await new TestServer({ library }).start();
  // Native locks stay.
  server.libraryScript = () => readFileSync(library, 'utf8');
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  try {
    const tabs = [];
    for (const each of ['one', 'two']) tabs.push(await Realm.tab({ newTab: (url) => browser.newTab(url) }, server.origin, each));
    let kinds = [];
    for (const tab of tabs) kinds = await tab.evaluate(listen, tab.name);
    console.log(browser.version);
    for (const [title, asking] of Object.entries({ 'one asks': tabs.slice(0, 1), 'both ask': tabs })) {
      const rates = Object.fromEntries(kinds.map((kind) => [kind, /** @type {number[]} */ ([])]));
      for (let time = 0; time < Number(times); time++) {
        for (const kind of kinds) rates[kind].push(...await Promise.all(asking.map((tab) => tab.evaluate(run, kind, DURATION))));
      }
      console.log(`  ${title}: ${kinds.map((kind) => `${kind} ${middle(rates[kind])}`).join(', ')} a second each`);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}
