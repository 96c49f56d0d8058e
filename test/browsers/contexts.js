/** Contexts of a test, as seen from the test: tabs, and the frames and workers in them. */
import { recordOf } from '../../glue/log/register.js';
import { until } from './drivers/wait.js';

/** All contexts of one test, on one origin. */
export class Stage {
  /** @param {import('./engines.js').Scene} scene @param {string} origin */
  constructor(scene, origin) {
    this.scene = scene;
    this.origin = origin;
    this.first = scene.server.log.length;
    this.contexts = 0;
    /** @type {Context[]} */
    this.all = [];
  }

  static async open(scene) { return new Stage(scene, await scene.server.newOrigin()); }

  /** A page that has not joined; for contexts within it. @param {object} [headers] that the page has */
  async page(headers) {
    const id = this.newId('tab');
    const query = new URLSearchParams({ id, ...headers && { headers: JSON.stringify(headers) } });
    return new Context(this, await this.scene.newTab(`${this.origin}/pages/context.html?${query}`), id, null);
  }

  /** @returns {Promise<Context>} a page that has joined */
  async tab() { return this.joined(await this.page()); }

  /** A context of any kind, joined; a frame or a worker is in a page that has not. @param {'tab' | 'frame' | 'worker' | 'shared'} kind */
  async context(kind) { return kind === 'tab' ? this.tab() : (await this.page()).add(kind); }

  newId(kind) { return `${kind}${++this.contexts}`; }

  async joined(context) {
    await context.tell('ready');
    this.all.push(context);
    return context;
  }

  /** The logs of this test's contexts, in the order of arrival. */
  entries(accept = () => true) { return this.scene.server.log.slice(this.first).filter(accept); }

  /**
   * Waits for an event of a request.
   * @param {string} tag
   * @param {string} event
   */
  event(tag, event, milliseconds = 10000) {
    return until(() => this.entries((entry) => entry.tag === tag && entry.event === event)[0], milliseconds,
      () => `${tag} ${event}; the log: ${this.events().join(', ')}`, 1);
  }

  /** "tag event" of each entry. */
  events(accept) { return this.entries(accept).map(({ tag, event }) => `${tag} ${event}`); }

  /** The tags of the requests in the order of their grants. */
  grants() { return this.entries(({ event }) => event === 'granted').map(({ tag }) => tag); }

  /** The context that the register shows first. It leads if all have joined one after the other. Null if it is none of these. */
  async eldest() {
    const [eldest] = Object.keys((await this.all[0].register()).members);
    for (const context of this.all) if (await context.clientId() === eldest) return context;
    return null;
  }
}

export class Context {
  /** @param {Stage} stage @param {any} tab @param {string} id @param {string | null} child its id where it is not the page itself */
  constructor(stage, tab, id, child) {
    this.stage = stage;
    this.tab = tab;
    this.id = id;
    this.child = child;
    this.client = '';
  }

  /** @param {'frame' | 'worker' | 'shared'} kind */
  async add(kind) {
    const id = this.stage.newId(kind);
    await this.tab.evaluate((each, name) => self.family.add(each, name), kind, id);
    return this.stage.joined(new Context(this.stage, this.tab, id, id));
  }

  /** @param {string} command @param {...any} args */
  tell(command, ...args) {
    return this.tab.evaluate((id, name, list) => self.family.tell(id, name, list), this.child, command, args);
  }

  request(tag, name, options) { return this.tell('request', tag, name, options); }

  release(tag) { return this.tell('release', tag); }

  abort(tag) { return this.tell('abort', tag); }

  query() { return this.tell('query'); }

  /** The library's register. */
  async register() { return recordOf(await this.tell('register') ?? []); }

  /** Waits until no request holds or waits: news from other contexts may not have come here yet. */
  async nothingIsLeft() {
    const isEmpty = async () => {
      const { held, pending } = await this.query();
      return held.length + pending.length === 0;
    };
    await until(isEmpty, 5000, 'nothing is left');
  }

  async clientId() { return this.client ||= await this.tell('clientId'); }

  /** Requests, and waits for the grant. */
  async hold(tag, name, options) {
    await this.request(tag, name, options);
    return this.stage.event(tag, 'granted');
  }

  /** Requests a lock that is not available yet, and waits until it is known to be queued. */
  async queue(tag, name, options) {
    const length = async () => (await this.query()).pending.filter((each) => each.name === name).length;
    const before = await length();
    await this.request(tag, name, options);
    await until(async () => await length() > before, 5000, `${tag} is queued`, 2);
  }

  /** Removes a frame, or terminates a worker. */
  async end() {
    this.forget();
    await this.tab.evaluate((id) => self.family.end(id), this.child);
  }

  forget() { this.stage.all = this.stage.all.filter((each) => each !== this); }
}
