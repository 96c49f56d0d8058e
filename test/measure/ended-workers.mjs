/**
 * A worker makes transactions on a database and ends at any time. Can a page still write into that database?
 *
 * node test/measure/ended-workers.mjs webkit chromium firefox [--rounds 50]
 */
import { parseArgs } from 'node:util';
import { startBrowser } from '../browsers/drivers/index.js';
import { TestServer } from '../browsers/server.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '50' } } });

/** As many in one call, which must be answered within 30 s. */
const BATCH = 10;

/** What the worker does in each transaction, how many it has at a time, and how many a page has beside it. */
const CASES = [
  { title: 'writes, one transaction after another', body: "entries.getAll(); entries.add('x');" },
  { title: 'writes so while a page does, too', body: "entries.getAll(); entries.add('x');", crowd: 3 },
  { title: 'reads', body: "entries.openCursor(null, 'prev');", mode: 'readonly' },
  { title: 'writes, four transactions at a time', body: "entries.add('x');", many: 4 },
  { title: 'writes, with commit()', body: "entries.add('x'); transaction.commit();" },
];

/**
 * In a page: starts the worker, and gives what ends it.
 * @type {Record<string, (url: string) => () => void>}
 */
const ENDS = {
  'is terminated': (url) => {
    const worker = new Worker(url);
    return () => worker.terminate();
  },
  'closes itself': (url) => {
    const worker = new Worker(url);
    return () => worker.postMessage('close');
  },
  'is the worker of one that is terminated': (url) => {
    const worker = new Worker(URL.createObjectURL(new Blob([`new Worker("${url}")`])));
    return () => worker.terminate();
  },
  'is terminated in the pagehide of its frame': (url) => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const worker = new frame.contentWindow.Worker(url);
    frame.contentWindow.addEventListener('pagehide', () => worker.terminate());
    return () => frame.remove();
  },
  'loses its frame': (url) => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    new frame.contentWindow.Worker(url);
    return () => frame.remove();
  },
};

/**
 * In a page: how many databases are blocked.
 * @param {number} rounds
 * @param {{body: string, mode?: string, many?: number, crowd?: number}} what
 * @param {string} end one of ENDS, as text
 */
const measureRounds = async (rounds, { body, mode = 'readwrite', many = 1, crowd = 0 }, end) => {
  const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const start = new Function(`return ${end}`)();
  let blocked = 0;
  for (let round = 0; round < rounds; round++) {
    const name = `ended ${Date.now()} ${round}`;
    /** @type {IDBDatabase} */
    const database = await new Promise((resolve) => {
      const opening = indexedDB.open(name);
      opening.onupgradeneeded = () => opening.result.createObjectStore('entries', { autoIncrement: true });
      opening.onsuccess = () => resolve(opening.result);
    });
    const write = () => new Promise((resolve) => {
      const transaction = database.transaction('entries', 'readwrite');
      transaction.objectStore('entries').count();
      transaction.oncomplete = () => resolve(true);
    });
    let isOver = false;
    const writeOn = () => void (isOver || write().then(writeOn));
    for (let each = 0; each < crowd; each++) writeOn();
    const channel = new BroadcastChannel(name);
    const begun = new Promise((resolve) => { channel.onmessage = resolve; });
    const url = URL.createObjectURL(new Blob([`
      onmessage = () => close();
      const opening = indexedDB.open('${name}');
      opening.onsuccess = () => {
        new BroadcastChannel('${name}').postMessage('begun');
        const go = () => {
          const transaction = opening.result.transaction('entries', '${mode}');
          const entries = transaction.objectStore('entries');
          transaction.oncomplete = go;
          ${body}
        };
        for (let each = 0; each < ${many}; each++) go();
      };`]));
    const finish = start(url);
    await begun;
    channel.close();
    await sleep(Math.random() * 60);
    finish();
    isOver = true;
    await sleep(30);
    if (!await Promise.race([write(), sleep(1500)])) blocked++;
    database.close();
  }
  return blocked;
};

for (const name of positionals) {
  const server = await new TestServer({ library: null }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  try {
    const page = await browser.newTab(`${server.origin}/blank`);
    for (const { title, ...what } of CASES) {
      for (const [manner, end] of Object.entries(ENDS)) {
        let blocked = 0;
        let rounds = 0;
        for (; rounds < Number(values.rounds); rounds += BATCH) blocked += await page.evaluate(measureRounds, BATCH, what, String(end));
        console.log(`${name}: a worker that ${title}, and ${manner}: ${blocked} of ${rounds} databases are blocked`);
      }
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}
