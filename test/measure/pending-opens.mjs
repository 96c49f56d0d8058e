/**
 * What happens to a pending `open` of a database when a worker is terminated, or when the site's data is cleared.
 *
 * 1. A worker opens a database and is terminated some milliseconds later. Can another page delete that database then?
 * 2. Nine workers in three pages open databases, delete some, or do neither, while the site's data is cleared. A second later each opens
 *    another database. Is it opened within 2.5 s?
 *
 * node test/measure/pending-opens.mjs chromium firefox webkit chromium67 [--rounds 30]
 */
import { parseArgs } from 'node:util';
import { startBrowser } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '30' } } });
const rounds = Number(values.rounds);

/** In a page: starts a worker that opens [name], which is there already, and terminates it. */
const openAndEnd = async (/** @type {string} */ name, /** @type {number} */ delay) => {
  await new Promise((resolve) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => resolve(opening.result.close());
  });
  const script = `for (let each = 0; each < 3; each++) indexedDB.open(${JSON.stringify(name)});`;
  const worker = new Worker(URL.createObjectURL(new Blob([script])));
  await new Promise((resolve) => setTimeout(resolve, delay));
  worker.terminate();
};

/** In a page: whether [name] can be deleted. */
const isDeleted = (/** @type {string} */ name) => Promise.race([
  new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = () => resolve(true); }),
  new Promise((resolve) => setTimeout(resolve, 1500, false)),
]);

/** The script of a worker that holds a database, and does what it is told. */
const WORKER = `
  const kept = [];
  const hold = () => {
    const opening = indexedDB.open('held');
    opening.onsuccess = () => {
      opening.result.onclose = hold;
      kept.push(opening.result);
    };
  };
  hold();
  const MANNERS = {
    open(next) {
      const opening = indexedDB.open('other');
      opening.onsuccess = () => { opening.result.close(); next(); };
    },
    delete(next) { indexedDB.deleteDatabase(String(Math.random())).onsuccess = next; },
    nothing() {},
  };
  onmessage = ({ data }) => {
    if (data !== 'try') {
      const end = Date.now() + 400;
      const go = () => { if (Date.now() < end) MANNERS[data](go); };
      go();
      postMessage(true);
      return;
    }
    const opening = indexedDB.open('new');
    opening.onsuccess = () => { opening.result.close(); postMessage(true); };
    opening.onerror = () => postMessage(false);
    setTimeout(postMessage, 2500, false);
  };`;

/** In a page. */
const startWorkers = (/** @type {string} */ script) => {
  self.workers = [1, 2, 3].map(() => new Worker(URL.createObjectURL(new Blob([script]))));
};

/** In a page: tells its workers something, and gives their answers. */
const tell = (/** @type {string} */ what) => Promise.all(self.workers.map((/** @type {Worker} */ worker) => new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(what);
})));

/** @param {string} name */
async function measure(name) {
  const server = await new TestServer({ library: null }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  const newTab = () => browser.newTab(`${server.origin}/blank`);
  try {
    const [one, two] = [await newTab(), await newTab()];
    let kept = 0;
    for (let round = 0; round < rounds; round++) {
      await one.evaluate(openAndEnd, `kept ${round}`, Math.random() * 10);
      await sleep(100);
      if (!await two.evaluate(isDeleted, `kept ${round}`)) kept++;
    }
    console.log(`${name}: ${kept} of ${rounds} databases of terminated workers cannot be deleted`);
    await one.close();
    await two.close();
    for (const manner of ['open', 'delete', 'nothing']) {
      const answers = [];
      for (let round = 0; round < rounds; round++) {
        const tabs = [await newTab(), await newTab(), await newTab()];
        for (const tab of tabs) await tab.evaluate(startWorkers, WORKER);
        await sleep(200);
        for (const tab of tabs) await tab.evaluate(tell, manner);
        await browser.clearSiteData(server.origin);
        await sleep(1000);
        for (const all of await Promise.all(tabs.map((tab) => tab.evaluate(tell, 'try')))) answers.push(...all);
        for (const tab of tabs) await tab.close();
      }
      console.log(`  ${manner}: ${answers.filter((opened) => !opened).length} of ${answers.length} cannot open a database after that`);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}

for (const name of positionals) await measure(name);
