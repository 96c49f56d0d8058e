/**
 * What happens to a database if a context ends while its `open` waits behind a deletion? A page deletes a database; another one closes
 * its connection only 300 ms later; meanwhile a page, then one that ends, then a third page open the database anew. When does the third
 * one have it, and when is it deleted, if the page deletes it once more?
 *
 * node test/measure/ended-opens.mjs firefox [--rounds 10] [--ends nobody,worker,close,kill] [--busy]
 *
 * --busy: the first page that has it anew uses it every half second. If the third one has nothing after 25 s, that stops: the page
 * stops using it, or closes it, in turn.
 */
import { parseArgs } from 'node:util';
import { startBrowser } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: {
  rounds: { type: 'string', default: '10' }, ends: { type: 'string', default: 'nobody,worker,close,kill' },
  busy: { type: 'boolean', default: false },
} });

/** In a page: opens a database, uses it, and closes it [after] so many milliseconds if it is to be deleted. */
const hold = (/** @type {string} */ name, /** @type {number} */ after) => {
  const start = Date.now();
  self.database = null;
  self.opened = new Promise((resolve) => {
    const opening = indexedDB.open(name);
    opening.onupgradeneeded = () => opening.result.createObjectStore('entries', { autoIncrement: true });
    opening.onerror = () => resolve(String(opening.error));
    opening.onsuccess = () => {
      const database = self.database = opening.result;
      database.onversionchange = () => (after ? setTimeout(() => database.close(), after) : database.close());
      const transaction = database.transaction('entries', 'readwrite');
      transaction.objectStore('entries').add({});
      transaction.oncomplete = () => resolve(Date.now() - start);
      transaction.onabort = () => resolve(String(transaction.error));
    };
  });
  return null;
};

/** In a page. */
const remove = (/** @type {string} */ name) => {
  const start = Date.now();
  self.removed = new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = () => resolve(Date.now() - start); });
  return null;
};

/** In a page: a worker that opens the database. */
const startWorker = (/** @type {string} */ name) => {
  const script = `const opening = indexedDB.open(${JSON.stringify(name)}); onmessage = () => {};`;
  self.worker = new Worker(URL.createObjectURL(new Blob([script])));
  return null;
};

/** In a page: uses the database again and again, once it is open. */
const use = () => {
  self.use = setInterval(() => {
    if (!self.database) return;
    self.database.transaction('entries', 'readwrite').objectStore('entries').add({});
  }, 500);
  return null;
};

/** In a page. */
const stopUse = (/** @type {boolean} */ closes) => {
  clearInterval(self.use);
  if (closes) self.database.close();
  return null;
};

/** @param {string} name */
async function measure(name) {
  const server = await new TestServer({ library: null }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  const newTab = () => browser.newTab(`${server.origin}/blank`);
  const [first, deleter, second, third] = [await newTab(), await newTab(), await newTab(), await newTab()];
  const ask = (tab, what) => tab.evaluate((/** @type {string} */ key) => Promise.race([
    self[key], new Promise((resolve) => { setTimeout(resolve, 25000, 'nothing'); }),
  ]), what);
  console.log(browser.version);
  try {
    for (const end of values.ends.split(',')) {
      for (let round = 0; round < Number(values.rounds); round++) {
        const database = `${end} ${round}`;
        const ending = end === 'close' || end === 'kill' ? await newTab() : third;
        if (end === 'kill') await ending.pid();
        await first.evaluate(hold, database, 300);
        await ask(first, 'opened');
        await deleter.evaluate(remove, database);
        await second.evaluate(hold, database, 0);
        if (values.busy) await second.evaluate(use);
        if (end === 'worker') await ending.evaluate(startWorker, database);
        else if (end !== 'nobody') await ending.evaluate(hold, database, 0);
        await sleep(30);
        await third.evaluate(hold, database, 0);
        if (end === 'worker') await ending.evaluate(() => self.worker.terminate());
        else if (end !== 'nobody') await ending[end]();
        let opened = await ask(third, 'opened');
        if (values.busy) {
          await second.evaluate(stopUse, round % 2 === 1);
          if (opened === 'nothing') opened = `nothing, then ${round % 2 ? 'closed' : 'not used'}: ${await ask(third, 'opened')}`;
        }
        await deleter.evaluate(remove, database);
        console.log(`  ${end} ends: opened within ${opened} ms, then deleted within ${await ask(deleter, 'removed')} ms`);
      }
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}

for (const name of positionals) await measure(name);
