/** The claims over one log, as the HTTP routes use them. */
import { remainingWait } from './claim.js';
import { Clock } from './clock.js';
import { createCore } from './core.js';
import { Hub } from './hub.js';
import { Full } from './log.js';
import { Machine } from './machine.js';
import { levelOf } from './operations.js';
import { Orderer } from './orderer.js';
import { Register } from './register.js';
import { DEFAULT_LIMITS, Usage, checkRoom, sizeOf } from './usage.js';

/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {import('./operations.js').CreateOperation} CreateOperation */
/** @typedef {import('./operations.js').UpdateOperation} UpdateOperation */
/** @typedef {import('./operations.js').AnySessionOperation} AnySessionOperation */
/** @typedef {import('./orderer.js').Watcher} Watcher */

/** The size of an operation, in bytes, roughly. */
const UPDATE = 300;
/** A poll of a waiting claim is answered at once if at least this part of its time is left. */
const LEFT = 2 / 3;
/** While a poll waits, it renews the claim's waiting time at most this often, in milliseconds. */
const MOST_OFTEN = 50;

export class Service {
  hub = new Hub();
  /** The memory of the claims that are being made. */
  #making = new Usage();
  /** Renewals of waiting times that are under way. @type {Map<number, Promise<unknown>>} */
  #keeping = new Map();

  /**
   * @param {object} options
   * @param {import('./log.js').Log} options.log
   * @param {Omit<Watcher, 'reloaded' | 'touched'>} options.watcher
   * @param {Clock} [options.clock]
   * @param {number} [options.keep] how many final claims are remembered
   * @param {number} [options.keepBytes] how many bytes they may take, if they are only in memory
   * @param {number} [options.checkpointEvery]
   * @param {number} [options.heartbeat]
   * @param {Partial<import('./usage.js').Limits>} [options.limits]
   */
  constructor({ log, watcher, clock = new Clock(), keep, keepBytes, checkpointEvery, heartbeat, limits }) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.clock = clock;
    this.machine = new Machine(createCore());
    this.register = new Register({ read: log.readClaims, readColumns: log.readColumns, keep, keepBytes });
    this.orderer = new Orderer({
      log, machine: this.machine, register: this.register, clock, checkpointEvery, heartbeat,
      watcher: {
        ...watcher,
        applied: (place, transitions) => {
          watcher.applied(place, transitions);
          this.hub.publish(place, transitions.map(({ view }) => view));
        },
        touched: (id) => this.hub.touch(id),
        reloaded: () => this.hub.reset(),
      },
    });
  }

  start() {
    return this.orderer.start();
  }

  stop() {
    this.hub.wakeAll();
    return this.orderer.stop();
  }

  /** @param {CreateOperation} operation */
  async create(operation) {
    const { owner, key } = operation;
    if (key !== undefined) {
      const keeping = /** @type {CreateOperation} */ ({ ...operation, keepsKey: true });
      if (await this.#isKnown(keeping)) operation = keeping;
    }
    // A server of an older version knows no limit. So this claim waits for ever, and the answer shows that.
    if (!await this.#isKnown(operation)) operation = { ...operation, waitingTtl: null };
    const isRepeated = key !== undefined && this.machine.keys.peek(owner, key) !== undefined;
    if (!isRepeated) this.#checkRoom(operation);
    return this.#make(operation, operation);
  }

  /**
   * It counts from here on, since many may be made at once.
   * @param {CreateOperation | AnySessionOperation} operation
   * @param {import('./usage.js').Measured} made
   */
  async #make(operation, made) {
    this.#making.add(made);
    try {
      return await this.orderer.submit(operation, sizeOf(made));
    } finally {
      this.#making.add(made, -1);
    }
  }

  /** After a copy was restored: ids and fences continue far above all that were given since the copy. */
  incarnate() {
    return this.orderer.submit({ type: 'incarnate' }, UPDATE);
  }

  /** @param {UpdateOperation} operation */
  update(operation) {
    return this.orderer.submit(operation, UPDATE);
  }

  /**
   * @param {number} id
   * @param {string} [by]
   */
  async activate(id, by) {
    await this.orderer.sync();
    await this.#keepWaiting(id, by);
    return this.machine.activate(id, by, this.clock.now());
  }

  /** @param {AnySessionOperation} operation */
  async changeSession(operation) {
    await this.#isKnown(operation);
    if (operation.type !== 'session') return this.orderer.submit(operation, UPDATE);
    const made = { owner: operation.owner, resources: [], userData: null };
    this.#checkRoom(made);
    return this.#make(operation, made);
  }

  /** @param {import('./usage.js').Measured} made */
  #checkRoom(made) {
    checkRoom(made, [this.machine.usage, this.#making], this.limits);
    if (!this.orderer.log.isFull?.(this.machine.usage.bytes)) return;
    throw new Full('There is hardly any room left in etcd. Claims can be ended and prolonged; no more are taken.');
  }

  /**
   * Whether all servers know such operations.
   * @param {import('./operations.js').ClaimOperation} operation
   */
  async #isKnown(operation) {
    const { log } = this.orderer;
    // A server that did not know them may have left.
    if (levelOf(operation) > log.level()) await this.orderer.sync();
    return levelOf(operation) <= log.level();
  }

  /** @param {number} id */
  async session(id) {
    await this.orderer.sync();
    return this.machine.session(id, this.clock.now());
  }

  /**
   * A claim was polled. If its waiting time is limited, that begins again. Resolves when it has, or if enough is left.
   * @param {number} id
   * @param {string} [by]
   */
  async #keepWaiting(id, by) {
    const claim = this.machine.open.get(id);
    const left = claim && remainingWait(claim, this.clock.now());
    const waitingTtl = claim?.waitingTtl ?? 0;
    if (!claim || left === null || left === undefined || left >= waitingTtl * LEFT || (by !== undefined && by !== claim.owner)) return;
    const keeping = this.#keeping.get(id) ?? this.update({ type: 'update', id, waitingTtl }).finally(() => this.#keeping.delete(id));
    this.#keeping.set(id, keeping);
    await keeping;
  }

  /** @param {number} id */
  async get(id) {
    await this.orderer.sync();
    return this.register.lists.get(id, this.clock.now());
  }

  /**
   * Resolves with the current claim when its status is no longer [status] (by default, its status at the call), when it is final, when the
   * time is over, or when the service stops.
   * @param {number} id
   * @param {number} seconds
   * @param {string | undefined} status
   * @param {AbortSignal} signal ends the wait
   * @param {string} [by]
   */
  async wait(id, seconds, status, signal, by) {
    await this.orderer.sync();
    await this.#keepWaiting(id, by);
    const view = await this.register.lists.get(id, this.clock.now());
    if (!view) return undefined;
    const left = status ?? view.status;
    if (view.status !== left || (view.status !== 'waiting' && view.status !== 'active')) return view;
    await /** @type {Promise<void>} */ (new Promise((resolve) => {
      /** @type {NodeJS.Timeout | undefined} */
      let keeper;
      const finish = () => {
        clearTimeout(timer);
        clearTimeout(keeper);
        stop();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const keep = () => {
        clearTimeout(keeper);
        void this.#keepWaiting(id, by).catch(() => {});
        const { waitingTtl = null } = this.machine.open.get(id) ?? {};
        // The longest waiting_ttl is too long for a timer, but the poll is not.
        if (waitingTtl !== null) keeper = setTimeout(keep, Math.max(MOST_OFTEN, Math.min(waitingTtl / 6, seconds) * 1000));
      };
      const timer = setTimeout(finish, seconds * 1000);
      const stop = this.hub.watch(id, { changed: finish, touched: keep });
      signal.addEventListener('abort', finish);
      keep();
      // It may have changed before it was watched.
      if (signal.aborted || this.machine.open.get(id)?.status !== left) finish();
    }));
    // This server may have been cut off or stopped while it waited, so its state may be old.
    if (signal.aborted) return undefined;
    await this.orderer.sync();
    await this.#keepWaiting(id, by);
    return this.register.lists.get(id, this.clock.now());
  }

  /**
   * @param {Filters} filters
   * @param {number} [offset]
   * @param {number} [limit]
   */
  async list(filters, offset = 0, limit = Infinity) {
    await this.orderer.sync();
    return this.register.lists.find(filters, () => this.clock.now(), offset, limit);
  }
}
