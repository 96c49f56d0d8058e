/**
 * A frame of the page that posts again what it has heard (D17).
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('../../glue/platform/place.js').OrderKind} OrderKind
 */
import { read } from './witness.js';

/** It remembers so many messages of each kind. */
const REMEMBERED = 200;
/** It repeats at most so many in a row. */
const RUN = 6;

export class Repeater {
  /** @param {Simulation} simulation @param {import('./context.js').SimulatedContext} context @param {OrderKind[]} orders that it hears */
  constructor(simulation, context, orders) {
    this.simulation = simulation;
    /** What it has heard, by kind: it repeats rare kinds as often as others. @type {Map<string, {order: OrderKind, message: any}[]>} */
    this.heard = new Map();
    /** The `begin`s that it has repeated. @type {Set<any>} */
    this.begins = new Set();
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

  /** Repeats one message, or some in a row: often the last ones. */
  repeat() {
    const { simulation } = this;
    const { random, orders } = simulation.world;
    const lists = [...this.heard.values()];
    if (!lists.length) return;
    const list = lists[Math.floor(random() * lists.length)];
    const first = Math.floor((random() < 0.5 ? 1 - random() ** 3 : random()) * list.length);
    for (const { order, message } of list.slice(first, first + Math.ceil(random() * RUN))) {
      if (!this.isAllowed(message)) continue;
      const { kind } = /** @type {{kind: string}} */ (read(message));
      simulation.note(undefined, `a frame repeats ${kind}`);
      if (kind === 'begin') this.begins.add(message);
      orders[order].deliver(message);
    }
  }
}
