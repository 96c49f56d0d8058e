/**
 * The one place where operations become entries of the log and entries become state. Operations that come while an append is under way
 * go together into the next one. Whatever the log, only what it has made durable is applied, by the same code.
 */
import { randomUUID } from 'node:crypto';
import { Behind, DataError, Unavailable } from './log.js';

/** @typedef {import('./log.js').Log} Log */
/** @typedef {import('./log.js').Entry} Entry */
/** @typedef {import('./machine.js').ClaimOperation} ClaimOperation */
/** @typedef {import('./machine.js').Result} Result */
/** @typedef {import('./machine.js').Transition} Transition */
/** @typedef {{operation: ClaimOperation, size: number, resolve: (result: Result) => void, reject: (error: Error) => void}} Submitted */

/**
 * @typedef {object} Watcher what the orderer tells
 * @property {(place: number, transitions: Transition[]) => void} applied
 * @property {() => void} reloaded the state was loaded anew; transitions may have been missed
 * @property {(measure: {operations: number, seconds: number}) => void} appended
 * @property {(error: Error) => void} failed the log cannot be written; it will be tried again
 * @property {() => void} recovered
 * @property {(error: Error) => void} fatal this process must not go on
 */

const LONGEST_QUEUE = 10_000;
const BATCH_OPERATIONS = 500;
const BATCH_BYTES = 512 * 1024;
const LONGEST_TIMER = 2 ** 30;
const RETRY = 500;

export class Orderer {
  /** @type {Submitted[]} */
  #queue = [];
  #pumping = false;
  #stopped = false;
  /** @type {Error | undefined} */
  #failure;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Map<string, Result[] | undefined>} results of the batches that this server is appending, by token */
  #mine = new Map();
  /** @type {Promise<void> | undefined} */
  #reading;
  /** @type {Promise<void> | undefined} */
  #nextReading;
  /** @type {Promise<void> | undefined} */
  #keeping;
  /** @type {Promise<void> | undefined} */
  #loading;
  #sinceCheckpoint = 0;
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
   * @param {number} [parts.heartbeat] while claims are active log time is logged so often, in milliseconds
   */
  constructor({ log, machine, register, clock, watcher, checkpointEvery = 2000, heartbeat = 5000 }) {
    this.log = log;
    this.machine = machine;
    this.register = register;
    this.clock = clock;
    this.watcher = watcher;
    this.checkpointEvery = checkpointEvery;
    this.heartbeat = heartbeat;
  }

  async start() {
    await this.#load();
    await this.log.keepClock(this.clock.record());
    this.log.watch(() => void this.sync().catch(() => {}));
    this.#schedule();
  }

  /** Why operations are refused at present. */
  get failure() {
    return this.#failure;
  }

  /**
   * @param {ClaimOperation} operation
   * @param {number} size about how many bytes it takes
   * @returns {Promise<Result>}
   */
  submit(operation, size) {
    if (this.#stopped) return Promise.reject(new Unavailable('the service is shutting down'));
    if (this.#failure) return Promise.reject(new Unavailable(this.#failure.message));
    if (this.#queue.length >= LONGEST_QUEUE) return Promise.reject(new Unavailable('too many operations are waiting'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ operation, size, resolve, reject });
      void this.#pump();
    });
  }

  /**
   * Resolves when all that others had appended before the call is applied here.
   * @returns {Promise<void>}
   */
  sync() {
    if (!this.log.read) return Promise.resolve();
    // One that has begun may have looked too early for this call; one that waits its turn has not.
    if (!this.#reading) return (this.#reading = this.#read().finally(() => (this.#reading = undefined)));
    this.#nextReading ??= this.#reading.catch(() => {}).then(() => {
      this.#nextReading = undefined;
      return this.sync();
    });
    return this.#nextReading;
  }

  /** Finishes what was submitted and keeps a checkpoint, and the time, for the next process. */
  async stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    while (this.#pumping) await new Promise((resolve) => setImmediate(resolve));
    clearTimeout(this.#timer);
    await this.#keeping;
    if (!this.#failure && !this.log.read) {
      if (this.register.counts.active > 0) await this.#commit([]).catch((error) => this.watcher.failed(error));
      if (this.#sinceCheckpoint > 0) await this.#keep();
    }
    await this.log.close();
  }

  async #pump() {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#queue.length > 0 || (this.#due() && !this.#failure)) {
        const batch = this.#take();
        try {
          await this.#commit(batch);
        } catch (error) {
          const reason = /** @type {Error} */ (error);
          for (const { reject } of batch) reject(reason);
          if (!(reason instanceof Unavailable)) return this.watcher.fatal(reason);
          this.#fail(reason);
          for (const { reject } of this.#queue.splice(0)) reject(new Unavailable(reason.message));
        }
        if (this.#sinceCheckpoint >= Math.max(this.checkpointEvery, this.machine.open.size / 10)) this.#keepInBackground();
      }
    } finally {
      this.#pumping = false;
      this.#schedule();
    }
  }

  #take() {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(this.#queue.length, BATCH_OPERATIONS) && (count === 0 || bytes + this.#queue[count].size <= BATCH_BYTES)) {
      bytes += this.#queue[count].size;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  /** @param {Submitted[]} batch empty: time has moved */
  async #commit(batch) {
    const token = `${this.#name}-${(this.#tokens += 1)}`;
    const operations = batch.map(({ operation }) => operation);
    this.#mine.set(token, undefined);
    try {
      for (;;) {
        const text = JSON.stringify({ token, now: this.clock.now(), wall: Date.now(), hash: this.machine.hash(), operations });
        const began = performance.now();
        const place = this.place + 1;
        try {
          this.#applyAll(await this.log.append(place, text));
        } catch (error) {
          if (!(error instanceof Behind)) throw error;
          await this.#reload();
          // An append whose answer was lost may be among what has been dropped.
          if (batch.length > 0) throw new Unavailable(error.message);
        }
        const results = this.#mine.get(token);
        if (results) {
          this.watcher.appended({ operations: batch.length, seconds: (performance.now() - began) / 1000 });
          batch.forEach(({ resolve }, index) => resolve(results[index]));
          return;
        }
        if (batch.length === 0 && !this.#due()) return;
      }
    } finally {
      this.#mine.delete(token);
    }
  }

  async #read() {
    if (this.#failure) throw new Unavailable(this.#failure.message);
    try {
      this.#applyAll(await /** @type {NonNullable<Log['read']>} */ (this.log.read)(this.place + 1));
    } catch (error) {
      if (error instanceof DataError) this.watcher.fatal(error);
      if (!(error instanceof Behind)) throw error;
      await this.#reload();
    }
    this.#schedule();
  }

  /** @param {Entry[]} entries */
  #applyAll(entries) {
    for (const entry of entries) {
      if (entry.place <= this.place) continue;
      if (entry.place > this.place + 1) throw new DataError(`entry ${this.place + 1} of the log is missing`);
      const { token, results, transitions } = this.#apply(entry);
      if (this.#mine.has(token)) this.#mine.set(token, results);
      this.watcher.applied(entry.place, transitions);
    }
  }

  /** @param {Entry} entry */
  #apply({ place, text }) {
    const { token, hash, ...batch } = JSON.parse(text);
    if (hash !== this.machine.hash()) {
      throw new DataError(`entry ${place} of the log was made in another state than this server's; that is a defect of the service`);
    }
    const { results, transitions } = this.machine.apply(batch);
    for (const transition of transitions) this.register.record(transition);
    for (const { type, id } of batch.operations) if (type === 'update' && this.machine.open.has(id)) this.register.touch(id);
    this.place = place;
    this.clock.observe(batch.now);
    this.#sinceCheckpoint += 1 + batch.operations.length;
    return { token, results, transitions };
  }

  async #load() {
    /** @type {import('./claim.js').Claim[]} */
    const open = [];
    const clock = await this.log.load({
      begin: () => this.register.clear(),
      record: (id, bytes) => {
        const claim = this.register.load(id, bytes);
        if (claim) open.push(claim);
      },
      restore: ({ place, machine }) => {
        this.machine.restore(machine, open);
        this.place = place;
        this.clock.observe(machine.now);
      },
      entry: (entry) => this.#apply(entry),
    });
    this.clock.resume(clock);
  }

  #reload() {
    this.#loading ??= this.#load().then(() => this.watcher.reloaded()).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  #due() {
    const now = this.clock.now();
    if (Math.floor(now) >= this.machine.nextDeadline()) return true;
    return this.register.counts.active > 0 && now - this.machine.now >= this.heartbeat;
  }

  #schedule() {
    if (this.#stopped || this.#failure) return;
    clearTimeout(this.#timer);
    const beat = this.register.counts.active > 0 ? this.machine.now + this.heartbeat : Infinity;
    const delay = Math.min(this.machine.nextDeadline(), beat) - this.clock.now();
    if (delay < Infinity) this.#timer = setTimeout(() => void this.#pump(), Math.min(Math.max(0, Math.ceil(delay)), LONGEST_TIMER));
  }

  /** @param {Error} reason */
  #fail(reason) {
    if (this.#failure) return;
    this.#failure = reason;
    this.watcher.failed(reason);
    clearTimeout(this.#timer);
    const retry = async () => {
      if (this.#stopped) return;
      try {
        await this.log.recover();
        await this.#commit([]);
        this.#failure = undefined;
        this.watcher.recovered();
        void this.#pump();
      } catch (error) {
        if (error instanceof DataError || error instanceof Unavailable) this.#failure = error;
        this.#timer = setTimeout(retry, RETRY);
      }
    };
    this.#timer = setTimeout(retry, RETRY);
  }

  #keepInBackground() {
    this.#keeping ??= this.#keep().finally(() => (this.#keeping = undefined));
  }

  async #keep() {
    const since = this.#sinceCheckpoint;
    this.#sinceCheckpoint = 0;
    try {
      await this.log.keep({ place: this.place, machine: this.machine.snapshot() }, this.register);
    } catch (error) {
      // The entries are all there, so nothing is lost; the next append will show whether the log still works.
      this.#sinceCheckpoint += since;
      this.watcher.failed(/** @type {Error} */ (error));
    }
  }
}
