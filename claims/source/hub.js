/** Tells requests that wait for a claim to change, and followers of all changes. */
import { EVENTS } from './budget.js';
import { sizeOf } from './usage.js';

/** @typedef {import('./claim.js').View} View */
/** @typedef {{id: string, view: View}} ClaimEvent [id] orders it among all events of the service, on every server alike */
/**
 * @typedef {object} Follower
 * @property {(event: ClaimEvent, isNewest: boolean) => boolean} onEvent false: it takes no more until it resumes
 * @property {() => void} onReset it may have missed something
 * @property {() => void} onLost what it has not taken is no longer kept
 *
 * @typedef {{follower: Follower, next: number, resting: boolean}} Following [next] counts events
 */
/** @typedef {{changed: () => void, touched: () => void}} Waiter [changed]: its status; [touched]: something else, such as its time */

const EVENTS_KEPT = 1000;

export class Hub {
  /** @type {Map<number, Set<Waiter>>} */
  #waiting = new Map();
  /** @type {Set<Following>} */
  #followers = new Set();
  /** @type {ClaimEvent[]} the latest events */
  #kept = [];
  /** How many events there were before those. */
  #gone = 0;
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
      for (const following of this.#followers) this.#tell(following);
      for (const { changed } of this.#waiting.get(view.id) ?? []) changed();
    });
  }

  /** Something may have been missed, so all listeners have to look again. */
  reset() {
    this.#gone += this.#kept.length;
    this.#kept = [];
    this.#bytes = 0;
    for (const following of this.#followers) {
      following.next = this.#gone;
      following.follower.onReset();
    }
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
   * @returns {{resume: () => void, stop: () => void}} [stop] removes the follower
   */
  follow(follower, after) {
    const following = { follower, next: this.#gone + this.#kept.length, resting: false };
    if (after !== undefined) {
      const seen = this.#kept.findIndex(({ id }) => id === after);
      if (seen < 0) follower.onReset();
      else following.next = this.#gone + seen + 1;
    }
    this.#followers.add(following);
    const resume = () => {
      following.resting = false;
      if (this.#followers.has(following)) this.#tell(following);
    };
    resume();
    return { resume, stop: () => void this.#followers.delete(following) };
  }

  /**
   * What it has not taken yet, as much as it takes. So an event waits here for all slow followers, instead of waiting for each of them.
   * @param {Following} following
   */
  #tell(following) {
    if (following.next < this.#gone) {
      this.#followers.delete(following);
      following.follower.onLost();
      return;
    }
    while (!following.resting && following.next < this.#gone + this.#kept.length) {
      const event = this.#kept[following.next - this.#gone];
      following.next += 1;
      following.resting = !following.follower.onEvent(event, following.next === this.#gone + this.#kept.length);
    }
  }

  /** @param {ClaimEvent} event */
  #keep(event) {
    this.#kept.push(event);
    this.#bytes += sizeOf(event.view);
    while (this.#kept.length > EVENTS_KEPT || this.#bytes > EVENTS) {
      const oldest = this.#kept.shift();
      this.#gone += 1;
      if (oldest) this.#bytes -= sizeOf(oldest.view);
    }
  }
}
