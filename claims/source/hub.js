/** Tells requests that wait for a claim to change, and followers of all changes. */
import { EVENTS } from './budget.js';
import { sizeOf } from './usage.js';

/** @typedef {import('./claim.js').View} View */
/** @typedef {{id: string, view: View}} ClaimEvent [id] orders it among all events of the service, on every server alike */
/** @typedef {{onEvent: (event: ClaimEvent) => void, onReset: () => void}} Follower */
/** @typedef {{changed: () => void, touched: () => void}} Waiter [changed]: its status; [touched]: something else, such as its time */

const EVENTS_KEPT = 1000;

export class Hub {
  /** @type {Map<number, Set<Waiter>>} */
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
      for (const { changed } of this.#waiting.get(view.id) ?? []) changed();
    });
  }

  /** Something may have been missed, so all listeners have to look again. */
  reset() {
    this.#kept = [];
    this.#bytes = 0;
    for (const { onReset } of this.#followers) onReset();
    this.wakeAll();
  }

  /** @param {number} id of a claim that has changed, but not its status */
  touch(id) {
    for (const { touched } of this.#waiting.get(id) ?? []) touched();
  }

  wakeAll() {
    for (const waiting of this.#waiting.values()) for (const { changed } of waiting) changed();
  }

  /**
   * @param {number} id
   * @param {Waiter} waiter
   * @returns {() => void} removes it
   */
  watch(id, waiter) {
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(waiter));
    this.#watchers += 1;
    return () => {
      if (waiting.delete(waiter)) this.#watchers -= 1;
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
