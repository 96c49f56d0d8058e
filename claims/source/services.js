/**
 * The servers that append to one log. This is a deterministic state: all servers that read the log have the same, and each checkpoint has
 * it, too.
 *
 * A server that joins gets an id that is never used again. It numbers its batches from 1. A batch counts only if its server is a member and
 * its number is the next one. So a batch that arrives late, or twice, changes nothing, even after the entry itself was dropped. A server
 * that was silent for long is no longer a member. It can join again, with another id.
 */
import { DataError } from './log.js';
import { FIRST_LEVEL } from './operations.js';

/** Milliseconds of log time. */
const LIFE = 10 * 60 * 1000;
/** A server that has appended within this many milliseconds probably lives. */
const FRESH = 5000;
/** A transaction in etcd reads every member's entries, and has at most 128 parts. */
const MOST_SERVICES = 64;

/**
 * @typedef {object} Member
 * @property {number} id
 * @property {number} number of its last batch; 0 if it has only joined
 * @property {number} revision of that batch, in etcd
 * @property {number} at the log time of that batch
 * @property {number} [level] see operations.js
 *
 * @typedef {{last: number, clock: number, members: Member[]}} ServicesSnapshot
 */

export class Services {
  /** The greatest id so far. */
  last = 0;
  clock = 0;
  /** @type {Map<number, Member>} by id */
  members = new Map();

  /** @param {ServicesSnapshot} [snapshot] */
  constructor(snapshot) {
    if (!snapshot) return;
    this.last = snapshot.last;
    this.clock = snapshot.clock;
    this.members = new Map(snapshot.members.map((member) => [member.id, { ...member }]));
  }

  /** @returns {ServicesSnapshot} */
  snapshot() {
    return { last: this.last, clock: this.clock, members: [...this.members.values()].map((member) => ({ ...member })) };
  }

  /**
   * @param {number} id
   * @param {number} revision
   * @param {number} now
   * @param {number} [level] see operations.js
   */
  join(id, revision, now, level) {
    if (id !== this.last + 1) throw new DataError(`server ${this.last + 1} is missing in the log, and server ${id} is there`);
    this.last = id;
    this.clock = Math.max(this.clock, now);
    this.members.set(id, { id, number: 0, revision, at: this.clock, level });
    this.#retire();
    if (this.members.size > MOST_SERVICES) {
      const silent = [...this.members.values()].reduce((one, other) => (other.at < one.at ? other : one));
      this.members.delete(silent.id);
    }
  }

  /**
   * @param {number} id
   * @param {number} number
   * @param {number} revision
   * @param {import('./log.js').Batch} batch
   * @returns {boolean} whether the batch counts
   */
  accept(id, number, revision, { now, leaving }) {
    const member = this.members.get(id);
    if (!member || number <= member.number) return false;
    if (number > member.number + 1) throw new DataError(`batch ${member.number + 1} of server ${id} is missing in the log`);
    this.clock = Math.max(this.clock, now);
    Object.assign(member, { number, revision, at: this.clock });
    if (leaving) this.members.delete(id);
    this.#retire();
    return true;
  }

  /** The level that all members have. */
  level() {
    return Math.min(...[...this.members.values()].map(({ level = FIRST_LEVEL }) => level));
  }

  /**
   * The order in which members do what one of them has to do. Those that appended lately come first.
   * @param {number | undefined} id
   */
  rank(id) {
    const order = [...this.members.values()]
      .sort((one, other) => Number(this.#isFresh(other)) - Number(this.#isFresh(one)) || one.id - other.id);
    const place = order.findIndex((member) => member.id === id);
    return place < 0 ? order.length : place;
  }

  /**
   * Whether that server has to append something to be one of the members, or to remain one. Others use what all members know.
   * @param {number | undefined} id
   */
  isSilent(id) {
    const member = this.members.get(id ?? 0);
    // Else more servers than there can be members would supplant each other for ever.
    return member ? this.clock - member.at > LIFE / 2 : this.members.size < MOST_SERVICES;
  }

  /** @param {Member} member */
  #isFresh(member) {
    return this.clock - member.at < FRESH;
  }

  #retire() {
    for (const { id, at } of this.members.values()) if (at + LIFE <= this.clock) this.members.delete(id);
  }
}
