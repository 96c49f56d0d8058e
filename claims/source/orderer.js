/**
 * Here operations become entries of the log, and entries become state. Operations that arrive during an append go together into the next
 * one. With any kind of log, only durable entries are applied, by the same code.
 */
import { randomUUID } from 'node:crypto';
import { Checkpointing } from './checkpointing.js';
import { Deadlines } from './deadlines.js';
import { Lineage } from './lineage.js';
import { Behind, Changed, Unavailable } from './log.js';
import { FIRST_LEVEL, checkLevel, levelOf } from './operations.js';
import { Reading } from './reading.js';
import { Submissions } from './submissions.js';

/** @typedef {import('./log.js').Log} Log */
/** @typedef {import('./log.js').Entry} Entry */
/** @typedef {import('./operations.js').ClaimOperation} ClaimOperation */
/** @typedef {import('./operations.js').Result} Result */
/** @typedef {import('./operations.js').Transition} Transition */
/** @typedef {import('./submissions.js').Submitted} Submitted */

/**
 * @typedef {object} Watcher is told by the orderer
 * @property {(place: number, transitions: Transition[]) => void} applied
 * @property {(id: number) => void} touched a claim has changed, but not its status
 * @property {() => void} reloaded the state was loaded again; transitions may have been missed
 * @property {(measure: {operations: number, seconds: number}) => void} appended
 * @property {(error: Error) => void} failed the log cannot be written; the orderer tries again
 * @property {() => void} recovered
 * @property {(error: Error) => void} fatal this process must not continue
 */

const RETRY = 500;

export class Orderer {
  #submissions = new Submissions();
  #pumping = false;
  #stopped = false;
  /** @type {Error | undefined} */
  #failure;
  /** For the next attempt after a failure. @type {NodeJS.Timeout | undefined} */
  #retry;
  #deadlines;
  /** The batch that is being appended. @type {{token: string, results?: Result[]} | undefined} */
  #mine;
  #reading = new Reading({ read: () => this.#read(), place: () => this.place, isAppending: () => this.#pumping });
  /** @type {Promise<void> | undefined} */
  #loading;
  #lineage = new Lineage();
  /** The duration of the last append, in milliseconds. */
  #lastDuration = 0;
  #tokens = 0;
  #name = randomUUID();
  place = 0;

  /**
   * @param {object} parts
   * @param {Log} parts.log
   * @param {import('./machine.js').Machine} parts.machine
   * @param {import('./register.js').Register} parts.register
   * @param {import('./clock.js').Clock} parts.clock
   * @param {Watcher} parts.watcher
   * @param {number} [parts.checkpointEvery] operations
   * @param {number} [parts.heartbeat] how often log time is logged while claims are active, in milliseconds
   */
  constructor({ log, machine, register, clock, watcher, checkpointEvery = 2000, heartbeat = 5000 }) {
    this.log = log;
    this.machine = machine;
    this.register = register;
    this.clock = clock;
    this.watcher = watcher;
    this.#deadlines = new Deadlines({ log, machine, register, clock, heartbeat }, () => void this.#pump());
    this.checkpointing = new Checkpointing({ log, machine, register, every: checkpointEvery, failed: watcher.failed });
  }

  async start() {
    await this.#load();
    await this.#enter();
    await this.log.keepClock(this.clock.record());
    this.log.watch((place = Infinity) => !this.#stopped && this.#reading.hear(place));
    this.#schedule();
  }

  /** Why operations are refused now. */
  get failure() {
    return this.#failure;
  }

  /**
   * @param {ClaimOperation} operation
   * @param {number} size in bytes, roughly
   * @returns {Promise<Result>}
   */
  submit(operation, size) {
    if (this.#stopped) return Promise.reject(new Unavailable('the service is shutting down'));
    if (this.#failure) return Promise.reject(new Unavailable(this.#failure.message));
    if (this.#submissions.isFull) return Promise.reject(new Unavailable('too many operations are waiting'));
    if (levelOf(operation) > this.log.level()) {
      return Promise.reject(new Unavailable('a server of an older version, which does not know this, shares the log'));
    }
    return new Promise((resolve, reject) => {
      this.#submissions.add({ operation, size, resolve, reject });
      void this.#pump();
    });
  }

  /**
   * Resolves when everything that others had appended before the call is applied here.
   * @returns {Promise<void>}
   */
  sync() {
    return this.log.read ? this.#reading.sync() : Promise.resolve();
  }

  /** Finishes what was submitted, and writes a checkpoint and the time for the next process. */
  async stop() {
    this.#stopped = true;
    this.#deadlines.stop();
    clearTimeout(this.#retry);
    while (this.#pumping) await new Promise((resolve) => setImmediate(resolve));
    clearTimeout(this.#retry);
    this.#reading.stop();
    await this.checkpointing.rest();
    if (!this.#failure) {
      if (this.log.read || this.register.counts.active > 0) await this.#commit([], true).catch((error) => this.watcher.failed(error));
      if (!this.log.read && this.checkpointing.missing > 0) await this.checkpointing.keep(this.place);
    }
    await this.log.close();
  }

  async #pump() {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#submissions.length > 0 || (this.#deadlines.passed && !this.#failure)) {
        if (this.log.read) await this.#submissions.gather(this.#lastDuration / 2);
        const batch = this.#submissions.take();
        try {
          await this.#commit(batch);
        } catch (error) {
          const reason = /** @type {Error} */ (error);
          for (const { reject } of batch) reject(reason);
          if (!(reason instanceof Unavailable)) return this.watcher.fatal(reason);
          this.#fail(reason);
          this.#submissions.reject(new Unavailable(reason.message));
        }
        this.#submissions.answered(batch);
        this.checkpointing.keepIfDue(this.place);
      }
    } finally {
      this.#pumping = false;
      if (!this.#stopped) this.#reading.appended();
      this.#schedule();
    }
  }

  /**
   * @param {Submitted[]} batch if empty, it only logs the time
   * @param {boolean} [leaving] whether it is the last one
   */
  async #commit(batch, leaving) {
    const operations = batch.map(({ operation }) => operation);
    const level = Math.max(FIRST_LEVEL, ...operations.map(levelOf));
    const began = performance.now();
    for (;;) {
      const token = `${this.#name}-${(this.#tokens += 1)}`;
      const mine = this.#mine = { token, results: undefined };
      try {
        const taken = await this.log.append({
          token, now: this.clock.now(), wall: this.clock.wall(), seen: this.place, hash: this.machine.hash(), operations, leaving,
          ...(level > FIRST_LEVEL && { level }),
        });
        if (!taken) continue;
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
        await this.#reload();
        // The checkpoint may contain it.
        if (batch.length > 0) throw new Unavailable(error.message);
        return;
      } finally {
        this.#mine = undefined;
      }
      const results = /** @type {Result[]} */ (/** @type {unknown} */ (mine.results));
      this.#lastDuration = performance.now() - began;
      this.watcher.appended({ operations: batch.length, seconds: this.#lastDuration / 1000 });
      batch.forEach(({ resolve }, index) => resolve(results[index]));
      return;
    }
  }

  async #read() {
    if (this.#failure) throw new Unavailable(this.#failure.message);
    try {
      await /** @type {NonNullable<Log['read']>} */ (this.log.read)().catch((error) => {
        if (!(error instanceof Behind)) throw error;
        return this.#reload();
      });
    } catch (error) {
      // Any other error may have come in the middle of an entry, and half of it is no state to answer from.
      if (!(error instanceof Unavailable)) this.watcher.fatal(/** @type {Error} */ (error));
      throw error;
    }
    this.#schedule();
  }

  /** @param {Entry} entry */
  #apply(entry) {
    const { place, batch: { token, seen, hash, level = FIRST_LEVEL, ...batch } } = entry;
    checkLevel(level, `entry ${place} of the log`);
    this.#lineage.check(place, seen ?? this.place, hash);
    const { results, transitions } = this.machine.apply(batch);
    for (const transition of transitions) this.register.record(transition);
    for (const { type, id } of /** @type {any[]} */ (batch.operations)) {
      if (type !== 'update' || !this.machine.open.has(id)) continue;
      this.register.touch(id);
      this.watcher.touched(id);
    }
    this.place = place;
    this.#lineage.add(place, this.machine.hash());
    this.clock.observe(batch.now);
    this.checkpointing.note(entry);
    if (this.#mine?.token === token) this.#mine.results = results;
    return transitions;
  }

  async #load() {
    /** @type {import('./claim.js').Claim[]} */
    const open = [];
    const clock = await this.log.load({
      begin: () => {
        this.register.clear();
        this.checkpointing.begin(0);
        this.#lineage.begin(0, this.machine.hash());
      },
      record: (id, bytes) => {
        const claim = this.register.load(id, bytes);
        if (claim) open.push(claim);
      },
      block: this.register.archives ? (number, summary) => this.register.loadBlock(number, summary) : undefined,
      restore: ({ place, machine }) => {
        checkLevel(machine.level ?? FIRST_LEVEL, 'the last checkpoint');
        this.machine.restore(machine, open);
        this.place = place;
        this.checkpointing.begin(place);
        this.clock.observe(machine.now);
        this.#lineage.begin(place, this.machine.hash());
      },
      replay: (entry) => this.#apply(entry),
      deliver: (entry) => this.watcher.applied(entry.place, this.#apply(entry)),
    });
    this.clock.resume(clock);
  }

  /** A server that only reads must be known, too: the others use only operations that it knows. */
  async #enter() {
    for (;;) {
      try {
        return await this.log.enter?.();
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
        await this.#load();
      }
    }
  }

  #reload() {
    this.#loading ??= this.#load().then(() => this.watcher.reloaded()).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  #schedule() {
    if (!this.#stopped && !this.#failure) this.#deadlines.schedule();
  }

  /** @param {Error} reason */
  #fail(reason) {
    if (this.#failure) return;
    this.#failure = reason;
    this.watcher.failed(reason);
    this.#deadlines.stop();
    const retry = async () => {
      if (this.#stopped) return;
      // A log that cannot be opened now may open later. But a different log than the one that was read stays different.
      const unusable = await this.log.recover().catch((/** @type {Error} */ error) => error);
      const error = unusable ?? await this.#commit([]).catch((/** @type {Error} */ failure) => failure);
      if (this.#stopped) return;
      if (error instanceof Changed || (error && !unusable && !(error instanceof Unavailable))) return this.watcher.fatal(error);
      this.#failure = error || undefined;
      if (error) return void (this.#retry = setTimeout(retry, RETRY));
      this.watcher.recovered();
      void this.#pump();
    };
    this.#retry = setTimeout(retry, RETRY);
  }
}
