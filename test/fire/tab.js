/** A tab under fire, with its worker and frames. */
import { recordOf } from '../../glue/log/register.js';
import { within } from '../browsers/drivers/wait.js';

export class FireTab {
  constructor(fire) {
    this.fire = fire;
    /** @type {Set<string>} */
    this.contexts = new Set();
    /** @type {Promise<void> | null} while it is stopped or frozen */
    this.busy = null;
    /** Whether a context of its process has ended. */
    this.hasEnded = false;
  }

  /** A page that begins to contend as it loads, with a worker. */
  async load(open) {
    const id = this.fire.newId('tab');
    this.log ??= await this.fire.server.newOrigin();
    this.contexts = new Set([id]);
    await open(`${this.fire.server.origin}/fire/tab.html?${new URLSearchParams({ id, log: this.log })}`);
    await this.add('worker');
    await this.tab.pid();
  }

  open() { return this.load(async (address) => { this.tab = await this.fire.browser.newTab(address); }); }

  async add(kind) {
    const id = this.fire.newId(kind);
    this.contexts.add(id);
    await this.tab.evaluate((name, each) => self.fire[name](each), kind, id);
  }

  /** Whether its page still does anything: one that does not is not the library's fault. */
  async describe() {
    const ask = (/** @type {() => any} */ question) => within(this.tab.evaluate(question), 3000, '').catch(() => 'nothing');
    const runs = await ask(() => document.visibilityState);
    const loads = await ask(() => fetch(location.href).then(({ status }) => `${status}`, String));
    const waits = await ask(() => new Promise((resolve) => { setTimeout(() => resolve('a timer'), 10); }));
    return `${[...this.contexts].join(' ')} answers ${runs}, ${loads}, ${waits}`;
  }

  /** Takes each lock once, in a page that has just come. Resolves with "free", or else with the library's register. */
  async tryAll() {
    this.tab = await this.fire.browser.newTab(`${this.fire.server.origin}/pages/context.html?id=last`);
    const free = await this.tab.evaluate(() => {
      const all = ['left', 'middle', 'right', 'purse'].map((name) => navigator.locks.request(name, () => {}));
      return Promise.race([Promise.all(all).then(() => true), new Promise((resolve) => { setTimeout(() => resolve(false), 5000); })]);
    });
    if (free) return 'free';
    const register = await within(this.tab.evaluate(() => self.actor('register')), 5000, '').catch(() => null);
    if (!register) return 'the register cannot be read';
    const ask = () => navigator.locks.query().then(({ held }) => held.map(({ name, clientId }) => [name, clientId]));
    const held = await within(this.tab.evaluate(ask), 5000, '').catch(() => []);
    const holders = held.map(([name, client]) => `${name}: ${this.fire.clients.get(client) ?? client}`);
    return `members ${this.fire.tell(recordOf(register).members)}; held ${holders.join(', ')}`;
  }
}
