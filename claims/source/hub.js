/** Tells requests that wait for a claim to change, and followers of all changes. */
import { EVENTS } from './budget.js';
import { sizeOf } from './usage.js';

/** @typedef {import('./claim.js').View} View */
/** @typedef {{id: string, view: View}} ClaimEvent [id] orders it among all events of the service, on every server alike */
/** @typedef {{onEvent: (event: ClaimEvent) => void, onReset: () => void}} Follower */

const EVENTS_KEPT = 1000;

export class Hub {
  /** @type {Map<number, Set<() => void>>} */
  #waiting = new Map();
  /** @type {Set<Follower>} */
  #followers = new Set();
  /** @type {ClaimEvent[]} the latest events */
  #kept = [];
  #bytes = 0;
  #watchers = 0;

  /** How many listeners there are. */
  get size() {
    return this.#watchers + this.#followers.size;
  }

  /**
   * @param {number} place of the entry that caused them
   * @param {View[]} views
   */
  publish(place, views) {
    views.forEach((view, index) => {
      const event = { id: `${place}-${index}`, view };
      this.#keep(event);
      for (const { onEvent } of this.#followers) onEvent(event);
      for (const wake of this.#waiting.get(view.id) ?? []) wake();
    });
  }

  /** Something may have been missed, so all listeners have to look again. */
  reset() {
    this.#kept = [];
    this.#bytes = 0;
    for (const { onReset } of this.#followers) onReset();
    this.wakeAll();
  }

  wakeAll() {
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /**
   * @param {number} id
   * @param {() => void} wake called at the claim's next changes
   * @returns {() => void} removes the listener
   */
  watch(id, wake) {
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(wake));
    this.#watchers += 1;
    return () => {
      if (waiting.delete(wake)) this.#watchers -= 1;
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
    };
  }

  /**
   * @param {Follower} follower
   * @param {string} [after] the last event that it has seen; later ones are told again, or a reset if they are no longer known
   * @returns {() => void} removes the listener
   */
  follow(follower, after) {
    if (after !== undefined) {
      const seen = this.#kept.findIndex(({ id }) => id === after);
      if (seen < 0) follower.onReset();
      else this.#kept.slice(seen + 1).forEach(follower.onEvent);
    }
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** @param {ClaimEvent} event */
  #keep(event) {
    this.#kept.push(event);
    this.#bytes += sizeOf(event.view);
    while (this.#kept.length > EVENTS_KEPT || this.#bytes > EVENTS) {
      const oldest = this.#kept.shift();
      if (oldest) this.#bytes -= sizeOf(oldest.view);
    }
  }
}
