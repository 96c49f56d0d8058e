/** Contexts of a simulated world that have glue/order/store.js, each with globals of its own. */
import { fileURLToPath } from 'node:url';
import { bundleText } from '../simulation/variant.js';
import { keyRange } from './databases.js';

/**
 * @typedef {import('../simulation/context.js').SimulatedContext} SimulatedContext
 * @typedef {import('../simulation/world.js').World} World
 * @typedef {(realm: any, self: any, localStorage: any) => typeof import('../../glue/order/store.js')} Load in a realm
 */

const store = fileURLToPath(new URL('../../glue/order/store.js', import.meta.url));
const REALM = 'export const { indexedDB, IDBKeyRange, BroadcastChannel, setTimeout, clearTimeout, Event, readWallClock } = realm;';

/** So that something is swept away in a short world. @type {import('../simulation/variant.js').Replacement} */
const SOON = { file: 'store.js', changes: [['const KEPT = 4096;', 'const KEPT = 12;'], ['const SWEEP = 256;', 'const SWEEP = 6;']] };

/**
 * @param {string} entry of the glue
 * @param {string} realmText what stands for the realm; it exports parts of `realm`
 * @param {import('../simulation/variant.js').Replacement[]} [replacements]
 * @returns {Promise<string>} a script in which `parts` are what [entry] exports
 */
export const bundleParts = (entry, realmText, replacements = []) => bundleText(entry,
  { format: 'iife', globalName: 'parts', platform: 'neutral' }, /\/glue\/.*\.js$/, replacements, { 'browser-realm.js': realmText });

/** @param {import('../simulation/variant.js').Replacement} [replacement] in glue/order @returns {Promise<Load>} */
export const bundleOrder = async (replacement) => {
  const text = await bundleParts(store, REALM, replacement ? [replacement, SOON] : [SOON]);
  return /** @type {any} */ (new Function('realm', 'self', 'localStorage', `${text}; return parts;`));
};

/** What its contexts share besides the databases. */
export class Origin {
  /** @param {World} world @param {import('./databases.js').Databases} databases @param {{hasChannel: boolean, deaf: number}} nature */
  constructor(world, databases, { hasChannel, deaf }) {
    this.world = world;
    this.databases = databases;
    this.hasChannel = hasChannel;
    /** How often a told message does not arrive. */
    this.deaf = deaf;
    /** @type {Set<{context: SimulatedContext, hear: (data: any) => void, last: number}>} */
    this.listeners = new Set();
  }

  /** @param {SimulatedContext} context @param {any} data */
  tell(context, data) {
    const { world } = this;
    for (const listener of this.listeners) {
      if (listener.context === context || world.random() < this.deaf) continue;
      listener.last = Math.max(listener.last, world.time + world.between(0, 4));
      world.at(listener.context, listener.last, () => this.listeners.has(listener) && listener.hear(data), 'message');
    }
  }

  /** @param {SimulatedContext} context @param {(data: any) => void} hear @returns {() => void} ends it */
  listen(context, hear) {
    const listener = { context, hear, last: 0 };
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** @param {Origin} origin @param {SimulatedContext} context @param {any} [opener] the `self` of a window whose thread it shares */
const createGlobals = (origin, context, opener) => {
  const { world, databases } = origin;
  /** @type {Map<string, Set<(event: any) => void>>} */
  const listeners = new Map();
  /** @type {Map<(event: any) => void, () => void>} */
  const storageListeners = new Map();
  const self = {
    document: {}, opener,
    addEventListener(/** @type {string} */ type, /** @type {any} */ listener) {
      if (type === 'storage') storageListeners.set(listener, origin.listen(context, listener));
      else listeners.set(type, (listeners.get(type) || new Set()).add(listener));
    },
    removeEventListener(/** @type {string} */ type, /** @type {any} */ listener) {
      if (type === 'storage') storageListeners.get(listener)?.();
      else listeners.get(type)?.delete(listener);
    },
    dispatch(/** @type {string} */ type, /** @type {any} */ event) {
      for (const listener of [...listeners.get(type) || []]) listener(event);
    },
  };
  const realm = {
    indexedDB: { open: (/** @type {string} */ name) => databases.open(context, name) },
    IDBKeyRange: keyRange,
    BroadcastChannel: origin.hasChannel && class {
      /** @type {(event: {data: any}) => void} */
      onmessage = () => {};
      end = origin.listen(context, (data) => this.onmessage({ data }));
      postMessage(/** @type {any} */ data) {
        origin.tell(context, structuredClone(data));
      }
      close() {
        this.end();
      }
    },
    setTimeout: (/** @type {() => void} */ callback, milliseconds = 0) => {
      const timer = { isWanted: true };
      world.at(context, context.timerAt(milliseconds), () => timer.isWanted && callback(), 'timer');
      return timer;
    },
    clearTimeout: (/** @type {{isWanted: boolean} | undefined} */ timer) => {
      if (timer) timer.isWanted = false;
    },
    readWallClock: () => context.place.wallClock(),
  };
  const localStorage = { setItem: (/** @type {string} */ key, /** @type {string} */ newValue) => origin.tell(context, { key, newValue }) };
  return { self, realm, localStorage };
};

/** One context that appends numbered messages, and all that it is delivered. */
export class Member {
  /** @param {Origin} origin @param {Load} load @param {Member} [opener] */
  constructor(origin, load, opener) {
    this.origin = origin;
    const { world } = origin;
    this.context = world.createContext({ opener: opener && opener.context });
    this.globals = createGlobals(origin, this.context, opener && opener.globals.self);
    const { createStoreOrder } = load(this.globals.realm, this.globals.self, this.globals.localStorage);
    /** @type {string[]} 'gap' included */
    this.heard = [];
    /** How many messages it has appended. */
    this.appended = 0;
    /** How many that were at each gap of which it was told. @type {number[]} */
    this.gaps = [];
    this.isClosed = this.isAway = this.wasAway = false;
    this.listener = /** @type {(message: string) => void} */ (() => {});
    this.order = createStoreOrder('order', (message) => this.hear(/** @type {string} */ (message)), () => this.hear('gap'));
  }

  /** @param {string} message */
  hear(message) {
    this.heard.push(message);
    if (message === 'gap') this.gaps.push(this.appended);
    this.listener(message);
  }

  /** @returns {string} what it appends */
  append() {
    const message = `${this.context.id}:${++this.appended}`;
    this.order.append(message);
    return message;
  }

  kill() {
    this.context.kill();
    this.origin.databases.died(this.context);
  }

  close() {
    this.isClosed = true;
    this.order.close();
  }

  /** Whether it can append something. */
  isThere() {
    return this.context.alive && !this.isClosed && !this.isAway;
  }

  /** Into the back-forward cache. */
  goAway() {
    this.isAway = this.wasAway = true;
    this.globals.self.dispatch('pagehide', { persisted: true });
    this.context.freeze('all');
  }

  comeBack() {
    this.isAway = false;
    this.context.thaw();
    this.globals.self.dispatch('pageshow', { persisted: true });
  }
}
