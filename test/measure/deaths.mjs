/**
 * How long it takes until a context has acted on a death: node test/measure/deaths.mjs chromium,firefox,webkit 20. One tab watches
 * another context. It measures from the end of that to the watcher's entry in the register, on which every member then acts.
 */
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { libraryOf, Realm } from '../browsers/realms.js';
import { TestServer } from '../browsers/server.js';

const [list, times = '20'] = process.argv.slice(2);
const library = libraryOf('deaths.js', { createBrowserPlace: 'platform/browser.js' });

const hold = (/** @type {string} */ alive) => {
  self.place = self.parts.createBrowserPlace('', self);
  return self.place.holdAlive(alive, () => {}).then((/** @type {any} */ holding) => {
    holding.announced();
    self.holding = holding;
    return null;
  });
};

const watch = async (/** @type {string} */ alive) => {
  self.place = self.parts.createBrowserPlace('', self);
  self.register = self.register || await self.place.openRegister(() => {});
  self.acted = new Promise((resolve) => {
    self.place.watchAlive(alive, async () => {
      const told = Date.now();
      await self.register.append({ protocol: 4, type: 'remove', client: alive, alive });
      resolve([told, Date.now()]);
    });
  });
  return null;
};

/** Makes a context that holds [alive], and returns a function that ends it and tells when. */
const ENDS = {
  'renderer killed': async (newTab, alive) => {
    const tab = await newTab();
    await tab.evaluate(hold, alive);
    await tab.tab.pid();
    return async () => {
      const at = Date.now();
      await tab.tab.kill();
      return at;
    };
  },
  'tab closed': async (newTab, alive) => {
    const tab = await newTab();
    await tab.evaluate(hold, alive);
    return async () => {
      const at = Date.now();
      await tab.tab.close();
      return at;
    };
  },
  'worker terminated': async (newTab, alive) => {
    const tab = await newTab();
    await tab.tab.evaluate((script) => new Promise((resolve) => {
      self.worker = new Worker(URL.createObjectURL(new Blob([script])));
      self.worker.onmessage = () => resolve(null);
    }), `importScripts('${tab.origin}/library.js'); (${hold})('${alive}').then(() => postMessage(0));`);
    return () => tab.tab.evaluate(() => {
      self.worker.terminate();
      return Date.now();
    });
  },
};

const middle = (/** @type {number[]} */ values) => [...values].sort((one, other) => one - other)[values.length >> 1];

for (const name of browserNames(list)) {
  const server = await new TestServer({ library }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  try {
    console.log(browser.version);
    const newTab = () => Realm.tab({ newTab: (url) => browser.newTab(url) }, server.origin, 'tab');
    const watcher = await newTab();
    for (const [how, prepare] of Object.entries(ENDS)) {
      const told = [];
      const acted = [];
      for (let time = 0; time < Number(times); time++) {
        const end = await prepare(newTab, `${how} ${time}`);
        await watcher.evaluate(watch, `${how} ${time}`);
        await watcher.evaluate(() => new Promise((resolve) => setTimeout(resolve, 30)));
        const at = await end();
        const [toldAt, actedAt] = await watcher.evaluate(() => self.acted);
        told.push(toldAt - at);
        acted.push(actedAt - at);
      }
      console.log(`  ${how}: told after ${middle(told)} ms, written after ${middle(acted)} (most ${Math.max(...acted)}), of ${times}`);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}
