/**
 * What a context that watches another one's life is told when the site's data is cleared and no context dies:
 * node test/measure/wipes.mjs chromium,firefox 1000. Two pages with a worker each watch each other. Each clearing is one way of WAYS in
 * turn; in every other one each context is busy for some milliseconds, so that it hears everything at once.
 */
import { fileURLToPath } from 'node:url';
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { sleep } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';

const PAGES = fileURLToPath(new URL('pages', import.meta.url));
const [list, clearings = '1000', only] = process.argv.slice(2);

/** The ways to clear data. */
const WAYS = {
  /** The user, in the browser's settings. */
  settings: ({ browser, origin }) => browser.clearSiteData(origin),
  /** The site, by the header Clear-Site-Data. */
  header: ({ pages }) => pages[0].evaluate(() => fetch('/clear-site-data').then((response) => response.text()).then(() => null)),
  /** The page, which deletes every database. */
  page: ({ pages }) => pages[1].evaluate(() => self.tell('deleteAll')),
};

/** The ways that clear anything in this browser. */
async function waysOf(scene, contexts) {
  const ways = [];
  for (const way of only ? [only] : Object.keys(WAYS)) {
    const { notes } = await clear(scene, contexts, `probe ${way}`, way, false);
    if (notes) ways.push(way);
    else console.log(`${scene.browser.name}: ${way} clears nothing`);
  }
  return ways;
}

/** One clearing, and what each context saw of it. */
async function clear(scene, contexts, round, way, busy) {
  const names = contexts.map((_, index) => `measured-${index} ${round}`);
  await Promise.all(contexts.map((tell, index) => tell('start', names[index])));
  await Promise.all(contexts.map((tell, index) => tell('watch', names.filter((_, other) => other !== index))));
  await sleep(10);
  if (busy) await Promise.all(contexts.map((tell) => tell('block', Math.random() * 60)));
  const answer = await WAYS[way](scene).catch((error) => error);
  await sleep(busy ? 200 : 120);
  const seen = await Promise.all(contexts.map((tell) => tell('end')));
  await sleep(20);
  return { seen, answer, notes: seen.reduce((sum, { notes }) => sum + notes.length, 0) };
}

/** @param {number[]} times */
const spread = (times) => {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted.length ? `median ${sorted[sorted.length >> 1].toFixed(1)}, most ${sorted[sorted.length - 1].toFixed(1)} ms` : 'none';
};

class Sums {
  constructor() {
    this.clearings = 0;
    /** @type {Record<string, number>} */
    this.counts = {};
    /** Milliseconds from a success to the context's own news of the clearing, where the success came first. */
    this.early = [];
    this.untold = 0;
    this.signs = [];
  }

  add({ seen }) {
    this.clearings++;
    for (const { notes, watches } of seen) {
      const news = notes.find(([what]) => what === 'register closed');
      if (!news) this.untold++;
      for (const { outcome = 'nothing', at, sign, signAt, news: place } of Object.values(watches)) {
        // A transaction that is complete before the context has heard of the clearing is a false death.
        const when = news && news[2] > place ? 'before' : 'after';
        const name = sign ? `${outcome}, then the transaction: ${sign} ${when} the context's own news` : outcome;
        this.counts[name] = (this.counts[name] ?? 0) + 1;
        if (outcome === 'success' && news && news[1] > at) this.early.push(news[1] - at);
        if (sign && signAt) this.signs.push(signAt - at);
      }
    }
  }

  report(title) {
    console.log(`${title}: ${this.clearings} clearings`);
    for (const [name, count] of Object.entries(this.counts).sort()) console.log(`  ${count} x ${name}`);
    console.log(`  success before the context's own news: ${this.early.length}, ahead by ${spread(this.early)}`);
    console.log(`  contexts not told at all: ${this.untold}; from success to the transaction's end: ${spread(this.signs)}`);
  }
}

for (const name of browserNames(list)) {
  const server = await new TestServer({ library: null, folders: { measure: PAGES } }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  try {
    const pages = [];
    for (let each = 0; each < 2; each++) pages.push(await browser.newTab(`${server.origin}/measure/wiped.html`));
    const scene = { browser, pages, origin: server.origin };
    const contexts = pages.flatMap((page) => [
      (command, value) => page.evaluate((one, two) => self.tell(one, two), command, value),
      (command, value) => page.evaluate((one, two) => self.tellWorker(one, two), command, value),
    ]);
    console.log(browser.version);
    const ways = await waysOf(scene, contexts);
    const sums = Object.fromEntries(ways.map((way) => [way, new Sums()]));
    for (let round = 0; round < Number(clearings); round++) {
      const way = ways[round % ways.length];
      sums[way].add(await clear(scene, contexts, round, way, round / ways.length % 2 >= 1));
    }
    for (const way of ways) sums[way].report(`${browser.version}, ${way}`);
  } finally {
    await browser.stop();
    await server.stop();
  }
}
