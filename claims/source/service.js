/** The claims: what the HTTP routes ask for, over one log. */
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

/** @typedef {import('./claim.js').View} View */
/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {import('./operations.js').CreateOperation} CreateOperation */
/** @typedef {import('./operations.js').UpdateOperation} UpdateOperation */
/** @typedef {import('./operations.js').AnySessionOperation} AnySessionOperation */
/** @typedef {import('./orderer.js').Watcher} Watcher */

/** What an operation takes, about. */
const UPDATE = 300;
/** Who asks for a waiting claim is answered when at least so much of its time is left. */
const LEFT = 2 / 3;
/** While a request waits its claim is looked after, at most every so many milliseconds. */
const MOST_OFTEN = 50;

export class Service {
  hub = new Hub();
  /** What the claims take that are being made. */
  #making = new Usage();
  /** What is being done so that claims may wait longer. @type {Map<number, Promise<unknown>>} */
  #keeping = new Map();

  /**
   * @param {object} options
   * @param {import('./log.js').Log} options.log
   * @param {Omit<Watcher, 'reloaded'>} options.watcher
   * @param {Clock} [options.clock]
   * @param {number} [options.keep] how many final claims are remembered
   * @param {number} [options.keepBytes] and how much they may take, where they are in memory alone
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
    // A server of an older version would let it wait for ever; so it does, and the answer says so.
    if (!await this.#isKnown(operation)) operation = { ...operation, waitingTtl: null };
    const { owner, key } = operation;
    const isRepeated = key !== undefined && this.machine.keys.has(owner, key);
    if (!isRepeated) this.#checkRoom(operation);
    this.#making.add(operation);
    try {
      return await this.orderer.submit(operation, sizeOf(operation));
    } finally {
      this.#making.add(operation, -1);
    }
  }

  /** After a copy was restored: ids and fences go on far above all that were given since it was made. */
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
    if (operation.type === 'session') {
      this.#checkRoom({ owner: operation.owner, resources: [], userData: null });
    }
    await this.#isKnown(operation);
    return this.orderer.submit(operation, UPDATE);
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
    // One that did not may have gone.
    if (levelOf(operation) > log.level()) await this.orderer.sync();
    return levelOf(operation) <= log.level();
  }

  /** @param {number} id */
  async session(id) {
    await this.orderer.sync();
    return this.machine.session(id, this.clock.now());
  }

  /**
   * Somebody asks for a claim: where it waits for so long only, its time begins anew. Resolves when it has, or when enough is left.
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
   * Resolves with the claim, as it is then, when its status is another than [status] (than at the call, if it is not given), when it is
   * final, when the time is over or when the service stops.
   * @param {number} id
   * @param {number} seconds
   * @param {string | undefined} status
   * @param {AbortSignal} signal gives up
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
      const finish = () => {
        clearTimeout(timer);
        clearInterval(keeper);
        stop();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, seconds * 1000);
      const keep = () => void this.#keepWaiting(id, by).catch(() => {});
      const keeper = view.waitingTtl === null ? undefined : setInterval(keep, Math.max(MOST_OFTEN, (view.waitingTtl * 1000) / 6));
      const stop = this.hub.watch(id, finish);
      signal.addEventListener('abort', finish);
      // It may have changed before anybody watched it.
      if (signal.aborted || this.machine.open.get(id)?.status !== left) finish();
    }));
    // What this server knows may have become old while it waited: it may have been cut off, or stopped.
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
