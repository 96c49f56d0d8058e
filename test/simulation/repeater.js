/**
 * A frame of the page that posts again what it has heard (D17), and sometimes has changed one value in it (D9).
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('../../glue/platform/place.js').OrderKind} OrderKind
 */
import { hasOwn } from '../../glue/core/own-member.js';
import { drawOne } from './random.js';
import { read } from './witness.js';

/** It remembers so many messages of each kind. */
const REMEMBERED = 200;
/** It repeats at most so many in a row. */
const RUN = 6;
/** It changes so many of those that it may change. */
const CHANGED = 0.25;

/** Where the sender of a message stands, and its first value. */
const SENDER = 2;
const VALUES = 3;
/**
 * The values of each kind that it may change. Those that are missing say what its sender has not said: whom a message is for or about, what
 * somebody asks for, which log ends, or a generation that no clock shows (docs/guarantees.md, "Other scripts of the same origin").
 * @type {Record<string, number[]>}
 */
const CHANGEABLE = {
  hello: [1, 2, 3], here: [0], state: [2, 3, 4, 5, 6], begin: [1], anew: [0, 2], back: [0],
  operations: [0, 1, 2, 3, 4], gone: [0, 2], tick: [0, 1],
};
/** The kinds whose sender it may change. */
const ANONYMOUS = ['here', 'state', 'tick'];

/** @param {unknown} value @returns {unknown[]} what may stand there instead */
const othersFor = (value) => {
  if (typeof value === 'number') return [value + 1, value - 1, 0, 2 ** 52, Number.MAX_SAFE_INTEGER, null];
  return typeof value === 'string' ? ['', `${value}?`, '__proto__', 0] : [[], ['x'], null];
};

export class Repeater {
  /** @param {Simulation} simulation @param {import('./context.js').SimulatedContext} context @param {OrderKind[]} orders that it hears */
  constructor(simulation, context, orders) {
    this.simulation = simulation;
    /** What it has heard, by kind: it repeats rare kinds as often as others. @type {Map<string, {order: OrderKind, message: any}[]>} */
    this.heard = new Map();
    /** The `begin`s that it has repeated. @type {Set<any>} */
    this.begins = new Set();
    /** Whether it has changed what a member says about its copy of the state: then others may believe that theirs differ. */
    this.hasLied = false;
    for (const order of new Set(orders)) context.openOrder(order, (message) => this.hear(order, message), () => {});
  }

  /** @param {OrderKind} order @param {any} message */
  hear(order, message) {
    const known = read(message);
    if (!known) return;
    const list = this.heard.get(known.kind) || [];
    this.heard.set(known.kind, list);
    list.push({ order, message });
    if (list.length > REMEMBERED) list.shift();
  }

  /**
   * If it repeated operations of a context that has left, that context's requests would be made once more (docs/guarantees.md, "Other
   * scripts of the same origin"). So it repeats none after a `gone`. Repeated messages enter the order at once, so no `gone` comes between.
   * @param {any} message
   */
  isAllowed(message) {
    const { kind, from } = /** @type {{kind: string, from: string}} */ (read(message));
    return kind !== 'operations' || !this.simulation.gone.has(from);
  }

  /** @param {any} message @param {string} kind @returns {any} the same message with one other value, if it may be changed */
  changed(message, kind) {
    const { random } = this.simulation.world;
    if (!hasOwn(CHANGEABLE, kind)) return message;
    const places = CHANGEABLE[kind].map((at) => VALUES + at);
    if (ANONYMOUS.includes(kind)) places.push(SENDER);
    const isText = typeof message === 'string';
    const parts = isText ? JSON.parse(message) : [...message];
    const at = drawOne(places, random);
    parts[at] = drawOne(othersFor(parts[at]), random);
    return isText ? JSON.stringify(parts) : parts;
  }

  /** Repeats one message, or some in a row: often the last ones. */
  repeat() {
    const { simulation } = this;
    const { random, orders } = simulation.world;
    const lists = [...this.heard.values()];
    if (!lists.length) return;
    const list = drawOne(lists, random);
    const first = Math.floor((random() < 0.5 ? 1 - random() ** 3 : random()) * list.length);
    for (const { order, message } of list.slice(first, first + Math.ceil(random() * RUN))) {
      if (!this.isAllowed(message)) continue;
      const { kind } = /** @type {{kind: string}} */ (read(message));
      const repeated = random() < CHANGED ? this.changed(message, kind) : message;
      simulation.note(undefined, `a frame repeats ${repeated === message ? '' : 'and changes '}${kind}`);
      if (kind === 'begin') this.begins.add(repeated);
      if (kind === 'operations' && repeated !== message) this.hasLied = true;
      orders[order].deliver(repeated);
    }
  }
}
