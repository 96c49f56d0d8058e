/** Sets tabs with workers and frames on a few locks, and ends, stops and replaces them at random. */
import { fileURLToPath } from 'node:url';
import { recordOf } from '../../glue/log/register.js';
import { sleep, until, within } from '../browsers/drivers/wait.js';
import { Checker } from './checker.js';
import { randomSource } from './random.js';
import { FireTab } from './tab.js';

const TABS = 6;
/** Milliseconds between two faults, and of a stop, a freeze or a stall, at most. */
const PAUSE = 500;
const STILL = 3000;
/** Milliseconds after a fault until all know of it. */
const CALM = 1500;
/** And so long after a death at the latest, on a busy machine, in milliseconds. */
const LATE = 10000;

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/604.1';

/** The code of contexts under fire; to be served as the folder "fire". */
export const PAGES = fileURLToPath(new URL('pages', import.meta.url));

/** How often each fault is chosen. */
export const FAULTS = {
  kill: 4, close: 3, navigate: 3, worker: 3, frame: 2, stop: 3, freeze: 3, stall: 2, emulate: 2, wipe: 1, deleteAll: 1,
};
/** What a browser needs for some of them. @type {Record<string, 'canFreeze' | 'canEmulate' | 'canList'>} */
const NEEDED = { freeze: 'canFreeze', emulate: 'canEmulate', deleteAll: 'canList' };

export class Fire {
  /**
   * @param {object} options
   * @param {import('../browsers/drivers/index.js').Browser} options.browser
   * @param {import('../browsers/server.js').TestServer} options.server
   * @param {number} options.seed
   * @param {Record<string, number>} [options.faults]
   * @param {number} [options.firstContext] the number of the first context; another one in each run on one server
   */
  constructor({ browser, server, seed, faults = FAULTS, firstContext = 0 }) {
    this.browser = browser;
    this.server = server;
    this.random = randomSource(seed);
    this.checker = new Checker();
    this.faults = Object.entries(faults).flatMap(([fault, weight]) =>
      (fault in NEEDED && !browser[NEEDED[fault]] ? [] : Array(weight).fill(fault)));
    /** Each kind strikes once before chance decides, so that a short run on a slow machine has them too; in any order. @type {string[]} */
    this.due = [];
    for (const fault of new Set(this.faults)) this.due.splice(this.below(this.due.length + 1), 0, fault);
    /** @type {Record<string, number>} */
    this.counts = {};
    /** The faults, with their victims and times; for reading after a failure. @type {string[]} */
    this.history = [];
    this.started = this.lastEnd = Date.now();
    /** @type {FireTab[]} */
    this.tabs = [];
    this.contexts = firstContext;
    this.finish = false;
    this.failures = [];
    /** @type {Map<string, string>} the contexts of the library's clients */
    this.clients = new Map();
    /** The clients that a database has shown alive. @type {Map<string, string>} */
    this.alive = new Map();
    /** How often a log had to be sent again, and the logs that have arrived. */
    this.again = 0;
    const arrived = new Set();
    server.onEntry = (entry) => {
      if (entry.attempt > 1) this.again++;
      const log = `${entry.context} ${entry.serial}`;
      if (entry.serial && arrived.has(log)) return { finish: this.finish };
      arrived.add(log);
      if (entry.client) this.clients.set(entry.client, entry.context);
      if (entry.event !== 'failed') this.checker.add(entry);
      else if (!this.checker.condemned.has(entry.context)) this.failures.push(entry);
      return { finish: this.finish };
    };
  }

  below(limit) { return Math.floor(this.random() * limit); }

  count(what) { this.counts[what] = (this.counts[what] ?? 0) + 1; }

  /** @param {number} milliseconds */
  async run(milliseconds) {
    await Promise.all(Array.from({ length: TABS }, () => this.openTab()));
    for (const end = Date.now() + milliseconds; Date.now() < end && !this.checker.violations.length;) {
      await sleep(this.below(PAUSE));
      const idle = this.tabs.filter((tab) => !tab.busy);
      if (idle.length) await this.strike(idle[this.below(idle.length)], this.due.pop() ?? this.faults[this.below(this.faults.length)]);
    }
    await this.end();
  }

  /** @param {string} what */
  note(what) { this.history.push(`${((Date.now() - this.started) / 1000).toFixed(2)} s: ${what}, ${this.checker.grants} grants`); }

  async strike(tab, fault) {
    this.count(fault);
    this.note(`${fault} ${[...tab.contexts].join(' ')}`);
    try {
      await this[fault](tab);
    } catch (error) {
      // The driver lost the tab: nothing is known about it any more. Or its deletions have not come to an end, and all would wait for them.
      const lost = error.deleter ?? tab;
      this.count(`${fault} failed`);
      this.failures.push({ event: 'driver', message: String(error.stack) });
      await this.replace(lost, () => lost.tab.close().catch(() => {}));
    }
  }

  newId(kind) { return `${kind}${++this.contexts}`; }

  async openTab() {
    const tab = new FireTab(this);
    await tab.open();
    this.tabs.push(tab);
  }

  /** Ends all of a tab, and opens another one. */
  async replace(tab, end) {
    this.condemn([...tab.contexts]);
    this.tabs = this.tabs.filter((each) => each !== tab);
    await end();
    await this.openTab();
  }

  condemn(contexts) {
    this.note(`ended: ${contexts.join(' ')}`);
    this.lastEnd = Date.now();
    this.server.record({ event: 'condemned', contexts });
  }

  kill(tab) { return this.replace(tab, () => tab.tab.kill()); }

  close(tab) { return this.replace(tab, () => tab.tab.close()); }

  async navigate(tab) {
    // WebKit keeps workers, with what they hold, in the back/forward cache; with native locks as well.
    if (this.browser.name === 'webkit') await this.endChildren(tab);
    tab.hasEnded = true;
    this.condemn([...tab.contexts]);
    await tab.load((address) => tab.tab.navigate(address));
  }

  /** The tab says from now on that it is another browser. */
  async emulate(tab) {
    await tab.tab.emulate(PHONE);
    await this.navigate(tab);
  }

  async worker(tab) { await this.replaceChild(tab, 'worker'); }

  async frame(tab) { await this.replaceChild(tab, 'frame'); }

  async replaceChild(tab, kind) {
    const old = [...tab.contexts].find((id) => id.startsWith(kind));
    if (old) await this.endChild(tab, old);
    await tab.add(kind);
  }

  async endChild(tab, child) {
    this.condemn([child]);
    tab.contexts.delete(child);
    tab.hasEnded = true;
    await tab.tab.evaluate((id) => self.fire.end(id), child);
  }

  async endChildren(tab) {
    for (const id of [...tab.contexts].filter((each) => !each.startsWith('tab'))) await this.endChild(tab, id);
  }

  async stop(tab) {
    await tab.tab.stop();
    this.later(tab, () => tab.tab.resume());
  }

  async freeze(tab) {
    await tab.tab.freeze();
    this.later(tab, () => tab.tab.thaw());
  }

  /** A long task. It delays others' news as well if IndexedDB makes the order. */
  async stall(tab) {
    const time = this.below(STILL);
    await tab.tab.evaluate((milliseconds) => self.fire.stall(milliseconds), time);
    tab.busy = sleep(time).then(() => tab.tab.evaluate(() => true)).catch(() => {}).then(() => { tab.busy = null; });
  }

  /** A context that is stopped, or dies, while data is cleared looks like a holder (docs/guarantees.md). So all are awake then. */
  async wipe() { await this.whileAwake(() => this.browser.clearSiteData(this.server.origin)); }

  /** A page deletes all databases of its origin; its deletes must come to an end. */
  async deleteAll(tab) {
    // In WebKit a context that has ended while it opened a database keeps it open until its process has ended (docs/browsers.md).
    if (this.browser.name === 'webkit') {
      await this.untilAwake();
      for (const each of this.tabs.filter(({ hasEnded }) => hasEnded)) await this.kill(each);
      await this.browser.endClosedPages();
    }
    const deleter = this.tabs.includes(tab) ? tab : this.tabs[0];
    await this.whileAwake(async () => {
      const pending = await deleter.tab.evaluate(async () => {
        const listed = await indexedDB.databases();
        // Firefox may leave out the register (docs/browsers.md).
        const names = new Set([...listed.map(({ name }) => name), 'lockkeeper-register']);
        const all = Promise.all([...names].map((name) => new Promise((resolve, reject) => {
          const deleting = indexedDB.deleteDatabase(name);
          deleting.onsuccess = () => resolve(names.delete(name));
          deleting.onerror = () => reject(deleting.error);
        })));
        // The driver does not wait for longer than half a minute.
        await Promise.race([all, new Promise((resolve) => { setTimeout(resolve, 25000); })]);
        return [...names];
      });
      if (!pending.length) return;
      const message = `not deleted: ${pending.map((name) => `${name} (${this.holderOf(name)})`).join(', ')}`;
      throw Object.assign(new Error(message), { deleter });
    });
  }

  /** @param {string} database that shows that its context lives */
  holderOf(database) {
    const client = this.alive.get(database);
    const context = this.clients.get(client) ?? client ?? 'nobody known';
    return this.checker.condemned.has(context) ? `${context}, ended` : context;
  }

  async untilAwake() {
    while (this.tabs.some((tab) => tab.busy)) await Promise.all(this.tabs.map((tab) => tab.busy));
  }

  /** @param {() => Promise<void>} clear */
  async whileAwake(clear) {
    await this.untilAwake();
    // A client that has said nothing may be one of a context that has died early. By now its death would be known.
    const isLate = () => Date.now() - this.lastEnd > LATE;
    const lives = (/** @type {string} */ client) =>
      (this.clients.has(client) ? !this.checker.condemned.has(this.clients.get(client)) : isLate());
    // If the engine does not tell of a death, the latest dead would hold their locks for ever.
    if (!await this.untilRegister('all deaths are known', ({ members }) => Object.keys(members).every(lives))) return;
    await sleep(CALM);
    this.note('data is cleared');
    await clear();
    this.note('data was cleared');
    // Until all have written down the name by which their death could be seen.
    await this.untilRegister('all are back',
      ({ log, incomplete, members }) => log && !incomplete && Object.values(members).every(({ alive }) => alive));
    await sleep(CALM);
  }

  /**
   * @param {string} what this waits for
   * @param {(record: ReturnType<typeof recordOf>) => boolean} shows whether the register shows it
   * @returns {Promise<boolean>} whether it has shown it in time
   */
  async untilRegister(what, shows) {
    let seen = 'the register cannot be read';
    const isShown = async () => {
      // until() cannot give up a question that has no answer.
      const entries = await within(this.tabs[0].tab.evaluate(() => self.readRegister().catch(String)), 1000, '').catch(String);
      if (!Array.isArray(entries)) {
        seen = `the register: ${entries}`;
        return false;
      }
      const record = recordOf(entries);
      for (const [client, { alive }] of Object.entries(record.members)) this.alive.set(`lockkeeper-running-${alive}`, client);
      seen = `log ${record.log}${record.incomplete ? ', incomplete' : ''}, members ${this.tell(record.members)}`;
      return shows(record);
    };
    try {
      await until(isShown, 5000, () => `${what}; ${seen}`);
      this.note(what);
      return true;
    } catch (error) {
      this.failures.push({ event: 'driver', message: String(error) });
      return false;
    }
  }

  /** The contexts of these members. @param {ReturnType<typeof recordOf>['members']} members of the register */
  tell(members) {
    return Object.entries(members).map(([client, { alive, stateful }]) => {
      const context = this.clients.get(client);
      const marks = Object.entries({ ended: this.checker.condemned.has(context), 'no state': !stateful, 'not back': !alive });
      const found = marks.filter(([, is]) => is).map(([mark]) => mark);
      return (context ?? client) + (found.length ? ` (${found.join(', ')})` : '');
    }).join(', ');
  }

  /** Lets a tab be for a while; or now and then kills it in that state. */
  later(tab, undo) {
    const killed = this.random() < 0.2;
    tab.busy = sleep(this.below(STILL)).then(async () => {
      if (killed && !this.finish) await this.strike(tab, 'kill');
      else await undo().catch((error) => this.failures.push({ event: 'driver', message: String(error) }));
      tab.busy = null;
    });
  }

  /** No more faults: everything that lives must come to its end, and every lock must be free. */
  async end() {
    this.finish = true;
    await Promise.all(this.tabs.map((tab) => tab.busy));
    await until(() => this.checker.hanging().length === 0 || this.checker.violations.length > 0, 20000, '').catch(() => {});
    const last = new FireTab(this);
    this.free = await last.tryAll();
    this.tabs.push(last);
    if (this.free === 'free') this.free = await this.visit();
    if (this.free !== 'free') this.free += `; ${(await Promise.all(this.tabs.map((tab) => tab.describe()))).join(', ')}`;
  }

  /** All die, in half of the runs just after all data was cleared: a newcomer must find every lock free. */
  async visit() {
    if (this.faults.includes('wipe') && this.random() < 0.5) await this.browser.clearSiteData(this.server.origin);
    for (const { tab, contexts } of this.tabs.splice(0)) {
      this.condemn([...contexts]);
      await tab.kill();
    }
    const visitor = new FireTab(this);
    const found = await visitor.tryAll();
    await visitor.tab.close();
    return found === 'free' ? found : `after the death of all: ${found}`;
  }

  /** The events, and how often each happened. @returns {Record<string, number>} */
  report() {
    const { grants, outcomes } = this.checker;
    return { grants, ...outcomes, ...this.counts, ...(this.again ? { 'logs sent again': this.again } : {}) };
  }

  /** Failures of the driver; no fault of the library's. */
  troubles() { return this.failures.filter(({ event }) => event === 'driver').map(({ message }) => `driver: ${message}`); }

  /** Violations. @returns {string[]} */
  problems() {
    const { checker } = this;
    return [
      ...checker.violations,
      ...checker.hanging().map((text) => `hangs: ${text}`),
      ...this.failures.filter(({ event }) => event === 'failed').map(({ context, message }) => `${context} failed: ${message}`),
      ...(this.free === 'free' ? [] : [`not free: ${this.free}\n${this.history.slice(-40).join('\n')}`]),
    ];
  }
}
