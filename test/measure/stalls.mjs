/**
 * Does IndexedDB go on answering if a page deletes all databases, contexts end, and the site's data is cleared, all at random moments?
 * Without Lockkeeper: pages with a worker each use IndexedDB as it does (pages/stalls.js). After each round a page opens a database with a
 * fresh name, and the register.
 *
 * node test/measure/stalls.mjs firefox [--minutes 5] [--seed 1] [--tabs 5] [--without LIST] [--verbose]
 *
 * LIST leaves out some of: hold, alive, watch, look, workers, reopen (the register is opened again only 400 ms after it was closed);
 * delete; end, kill, close, worker, navigate, stop; clear, settings, header; late (what is done while there is no answer).
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBrowser } from '../browsers/drivers/index.js';
import { sleep, within } from '../browsers/drivers/wait.js';
import { TestServer } from '../browsers/server.js';
import { randomSource } from '../fire/random.js';

const PAGES = fileURLToPath(new URL('pages', import.meta.url));
/** Milliseconds without an answer that count as a stall, and as slow. */
const STALL = 20000;
const SLOW = 1500;
/** All of a round happens within so many milliseconds, one of these. */
const SPANS = [20, 100, 300, 1000];
/** Rounds on one origin. */
const ROUNDS = 40;

const { values: options, positionals: [name = 'firefox'] } = parseArgs({ allowPositionals: true, options: {
  minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' }, tabs: { type: 'string', default: '5' },
  without: { type: 'string', default: '' }, verbose: { type: 'boolean', default: false },
} });
const without = options.without.split(',');
const has = (what) => !without.includes(what);
const random = randomSource(Number(options.seed));
const below = (limit) => Math.floor(random() * limit);
const pick = (list) => list[below(list.length)];

const server = await new TestServer({ library: null, folders: { measure: PAGES } }).start();
const browser = await startBrowser(name, { hidden: true });
server.pageScript = browser.pageScript ?? '';
let origin = await server.newOrigin();
let tabs = [];
/** Tabs that have ended, or will. */
const gone = new Set();

/** The outcome, or a text that says what went wrong. */
const guarded = (promise, limit = 5000) => within(promise, limit, '').catch((error) => `${error}`.slice(0, 80));

const address = () => `${origin}/measure/stalls.html?without=${options.without}`;

async function openTab() {
  const tab = await browser.newTab(address());
  await tab.pid();
  tabs.push(tab);
}

const ENDS = {
  async kill(tab) {
    gone.add(tab);
    await tab.kill();
  },
  async close(tab) {
    gone.add(tab);
    await tab.close();
  },
  worker: (tab) => tab.evaluate(() => {
    self.endWorker();
    setTimeout(() => self.startWorker(), Math.random() * 100);
    return null;
  }),
  /** Its process gets no processor time for a while, and may be killed in that state. */
  async stop(tab) {
    const pid = await tab.pid();
    process.kill(pid, 'SIGSTOP');
    const signal = random() < 0.3 ? 'SIGKILL' : 'SIGCONT';
    if (signal === 'SIGKILL') gone.add(tab);
    // If it is navigated meanwhile, its page has another process.
    sleep(below(4000)).then(() => process.kill(pid, signal)).catch(() => {});
  },
  async navigate(tab) {
    await tab.navigate(address());
    await tab.pid();
  },
};
const CLEARINGS = {
  settings: () => browser.clearSiteData(origin),
  header: (tab) => tab.evaluate(() => fetch('/clear-site-data').then((response) => response.text()).then(() => null)),
};
const ends = Object.keys(ENDS).filter(has);
const clearings = Object.keys(CLEARINGS).filter(has);

const deleteAll = (tab) => tab.evaluate(() => {
  self.tell('deleteAll');
  return null;
});

/** How long both databases take to open; -1: longer than [limit]. */
const probe = (tab, limit) =>
  tab.evaluate((milliseconds) => self.tell('probe', milliseconds), limit).catch((error) => `${error}`.slice(0, 120));

/** The requests that have had no answer, and their contexts. */
async function states() {
  for (const tab of tabs.filter((each) => !gone.has(each))) {
    console.log(`    page ${JSON.stringify(await guarded(tab.evaluate(() => self.tell('state'))))}`);
    console.log(`    its worker ${JSON.stringify(await guarded(tab.evaluate(() => self.tellWorker('state'))))}`);
  }
}

/** The events at random moments within a span. */
class Events {
  constructor(span, texts, start) {
    Object.assign(this, { span, texts, start, work: [] });
  }

  note(what) { this.texts.push(`${Date.now() - this.start}: ${what}`); }

  add(what, act) {
    this.work.push(sleep(below(this.span)).then(async () => {
      this.note(what);
      const outcome = await guarded(act(), 8000);
      this.note(`${what}: ${typeof outcome === 'string' ? outcome : 'done'}`);
    }));
  }

  addEnd(tab) {
    const end = pick(ends);
    this.add(`${end} ${tabs.indexOf(tab)}`, () => ENDS[end](tab));
  }

  addClearings(witness, times) {
    const clearing = pick(clearings);
    for (let each = 0; each < times; each++) this.add(`clear by ${clearing}`, () => CLEARINGS[clearing](witness));
  }

  done() { return Promise.all(this.work); }
}

/** As in the failure that this was written for: while all wait, data is cleared, and more. */
async function disturb(events, witness, rest) {
  if (has('clear') && clearings.length) events.addClearings(witness, pick([1, 1, 2, 3]));
  if (has('end') && ends.length) for (const tab of rest) if (!gone.has(tab) && random() < 0.3) events.addEnd(tab);
  if (has('delete') && random() < 0.3) events.add('delete', () => deleteAll(witness));
  if (random() < 0.5) events.add('new tab', () => openTab());
  await events.done();
}

async function round() {
  const start = Date.now();
  const texts = [];
  while (tabs.length < Number(options.tabs)) await openTab();
  // In some rounds those that are new have not joined yet.
  await sleep(below(250));
  const events = new Events(pick(SPANS), texts, start);
  const [witness, deleter, ...others] = tabs.map((tab) => ({ tab, key: random() })).sort((one, other) => one.key - other.key)
    .map(({ tab }) => tab);
  if (has('delete')) events.add('delete', () => deleteAll(random() < 0.2 ? witness : deleter));
  if (has('end') && ends.length) {
    for (const tab of [...others, ...(random() < 0.3 ? [deleter] : [])]) if (random() < 0.5) events.addEnd(tab);
  }
  if (has('clear') && clearings.length && random() < 0.7) events.addClearings(witness, random() < 0.2 ? 2 : 1);
  await events.done();
  events.note('probe');
  const probing = probe(witness, STALL);
  const slow = await Promise.race([probing, sleep(SLOW)]) === undefined;
  if (slow && options.verbose) await states();
  const disturbed = slow && has('late') && random() < 0.8;
  if (disturbed) await disturb(new Events(pick([100, 1000, 4000]), texts, start), witness, [deleter, ...others]);
  const time = await (disturbed ? probe(witness, STALL) : probing);
  events.note(`probed: ${time}`);
  tabs = tabs.filter((tab) => !gone.has(tab));
  return { texts, slow, disturbed, time, witness };
}

async function newOrigin() {
  const old = tabs;
  tabs = [];
  origin = await server.newOrigin();
  return old;
}

/** The actions that end a stall. */
async function lookInto(witness) {
  await states();
  console.log(`    probed again: ${await guarded(probe(witness, STALL), 25000)}`);
  await guarded(browser.clearSiteData(origin), 10000);
  console.log(`    after data was cleared: ${await guarded(probe(witness, 5000), 8000)}`);
  const [last, ...old] = await newOrigin();
  await openTab();
  console.log(`    another origin: ${await guarded(probe(tabs[0], 5000), 8000)}`);
  for (const tab of old) await guarded(tab.close());
  console.log(`    after all other tabs were closed: ${await guarded(probe(last, STALL), 25000)}`);
  await guarded(last.close());
}

const counts = { rounds: 0, slow: 0, 'disturbed while slow': 0, stalled: 0, 'register stalled': 0, errors: 0 };
const times = [];
const title = `${browser.version}, seed ${options.seed}, without ${options.without || 'nothing'}`;
try {
  console.log(title);
  for (const end = Date.now() + Number(options.minutes) * 60000; Date.now() < end;) {
    const { texts, slow, disturbed, time, witness } = await round();
    counts.rounds++;
    if (slow) counts.slow++;
    if (disturbed) counts['disturbed while slow']++;
    const stalled = time.includes(-1);
    if (slow || options.verbose) console.log(`  round ${counts.rounds}${stalled ? ' STALLED' : ''}: ${texts.join('; ')}`);
    if (typeof time === 'string') {
      counts.errors++;
      console.log(`  round ${counts.rounds}: ${time}`);
    } else {
      times.push(stalled ? Infinity : Math.max(...time));
      if (stalled) counts[time[0] < 0 ? 'stalled' : 'register stalled']++;
      if (stalled) await lookInto(witness);
    }
    // Tabs of killed processes stay, empty.
    if (typeof time === 'string' || counts.rounds % ROUNDS === 0) {
      await browser.closeAll();
      await newOrigin();
    }
  }
} finally {
  times.sort((one, other) => one - other);
  console.log(`${title}: ${JSON.stringify(counts)}; probe median ${times[times.length >> 1]} ms, most ${times.slice(-5)} ms`);
  await browser.stop();
  await server.stop();
}
