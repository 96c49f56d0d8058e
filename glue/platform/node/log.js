/**
 * A context's part in the log of one manager where the journal makes the order. It is the log of docs/protocol.md without a leader: an
 * operation has its place as soon as it is written, and this context reads on up to it at once, so what it asked for is known when the
 * write returns. A hand-over takes one hop: whoever releases rings for the next.
 *
 * @typedef {import('../../core/types.js').Core} Core
 * @typedef {import('../../core/types.js').LockEvent} LockEvent
 * @typedef {import('../../core/types.js').Operation} Operation
 * @typedef {import('../../core/types.js').ClientOperation} ClientOperation
 * @typedef {import('../../log/types.js').LogRequest} LogRequest
 * @typedef {import('../../log/types.js').RequestDescription} RequestDescription
 * @typedef {import('../../log/types.js').RequestListener} RequestListener
 * @typedef {{ref(): void, unref(): void, close(): void}} Hold
 * @typedef {ReturnType<typeof import('./journal.js').createJournal>} Journal
 * @typedef {Omit<Parameters<typeof import('./journal.js').createJournal>[0], 'directory'>} JournalParts
 *
 * @typedef {object} Life who lives; see ./sockets.js
 * @property {(client: string) => Promise<Hold>} hold
 * @property {(client: string, onDeath: () => void) => () => void} watch
 * @property {(client: string) => Promise<boolean>} isAlive
 * @property {(client: string) => void} bury removes what a dead client has left
 *
 * @typedef {object} Surroundings
 * @property {() => void} prepare makes sure that the place where the journal and the signs of life are is there
 * @property {(parts: JournalParts) => Journal} createJournal
 * @property {Life} life
 * @property {import('./bell.js').Bell} bell
 * @property {() => number} now milliseconds of a clock that all contexts share
 * @property {() => number} wallClock
 * @property {() => string} randomId
 * @property {(callback: () => void, milliseconds: number, keepsAlive?: boolean) => () => void} setTimer
 * @property {(callback: () => void) => void} afterTask runs [callback] before the thread waits for anything
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask
 * @property {(text: string) => void} warn
 * @property {boolean} keepAlive whether what is held or asked for keeps the thread alive
 */
import { LONGEST_TIMER } from '../../log/clock.js';
import { createOwnRequests } from '../../log/own-requests.js';
import { blockersOf, holdersBefore } from '../../log/blockers.js';
import { createCopy } from './copy.js';
import { createGuard } from '../../log/guard.js';

/** After what can be granted at once has been, so that only those who wait look for the deaths of others. */
const SETTLE = 1;
/** So much later for each request there is, since looking at a large state takes a while. */
const SETTLE_PER_REQUEST = 0.01;
/** And no sooner after the last time: those who hand a lock to and fro all the time would look all the time. */
const LOOK_AGAIN = 8;
/** How often a busy context looks whether the journal was removed. */
const LOOK = 1000;
/** A joining context looks whether so many members still live, so that the dead do not gather. */
const VISITS = 3;
const RETRY = 500;
/** Fences of a new journal start at the time in milliseconds times this, so above those of one that was removed. */
const FENCES_PER_MILLISECOND = 1000;

const none = () => {};

/** @param {number} [duration] */
const isLimited = (duration = Infinity) => duration < Infinity;

/** @param {Operation} operation */
const isTimed = (operation) => operation.type === 'request' && (isLimited(operation.wait) || isLimited(operation.hold));

/** @param {Operation} operation */
const takesAway = (operation) => operation.type === 'force-release' || (operation.type === 'request' && !!operation.steal);

/**
 * @param {Surroundings} surroundings
 * @param {(options: {fence: number}) => Core} createCore
 * @returns {import('../../log/types.js').LockLog}
 */
export const createSharedLog = (surroundings, createCore) => {
  const { life, bell, now, setTimer, defer, warn, randomId } = surroundings;
  /** @type {'idle' | 'joining' | 'member' | 'left'} */
  let phase = 'idle';
  let client = '';
  /** The state was replaced, and own requests have not been compared with it yet. */
  let restored = false;
  let busy = false;
  let /** @type {Hold | undefined} */ hold;
  /** Whom this context's last entries concern. @type {Set<string>} */
  const concerned = new Set();
  let concernsAll = false;
  /** Whether it has rung for somebody in this task. */
  let rang = false;
  /** If-available requests, and what stands for them since they were asked again. @type {WeakMap<LogRequest, LogRequest>} */
  const current = new WeakMap();
  const scheduled = { flush: false, tell: false, watch: false, taskEnd: false };
  let dropping = false;
  /** Whether there may be something to tell the listeners. */
  let news = false;
  /** The highest own operation in the record that is being applied. */
  let delivered = 0;
  /** How often this context has left. */
  let departures = 0;
  let watchedAt = '';
  let watchedTime = 0;
  let lookedAt = 0;
  let cancelTick = none;
  let cancelRetry = none;

  const own = createOwnRequests(() => {
    if (phase === 'idle' || phase === 'left') void start();
    else if (!dropping) flushSoon();
  }, () => false);

  const guard = createGuard(life.watch, (dead) => bury([dead]));

  const copy = createCopy(createCore, {
    applied(operation, events, by) {
      if (operation.type === 'gone') forget(operation.client);
      else if (operation.type !== 'tick' && operation.client === client) delivered = operation.number;
      // Where this client has gone, see compare().
      const gone = operation.type === 'gone' && operation.client === client;
      for (const event of events) {
        if (event.client === client && !restored && !gone && event.type !== 'joined') {
          own.eventHappened(event, operation);
          news = news || event.type !== 'removed';
        }
        if (by !== client) continue;
        if (event.client !== client) concerned.add(event.client);
        // Somebody's place in a queue has changed without news for those behind.
        if (event.type === 'expired') concernsAll = true;
      }
    },
    replaced() {
      restored = news = true;
    },
  });
  const { core, members } = copy;

  /** @param {import('./copy.js').Record} record */
  const take = (record) => {
    delivered = 0;
    copy.take(record);
    if (delivered && !restored) own.operationDelivered(delivered);
  };

  /** @param {string} gone */
  const forget = (gone) => {
    bell.forget(gone);
    guard.remove(gone);
  };

  const journal = surroundings.createJournal({
    randomId,
    snapshot: () => core.snapshot(),
    begin: () => copy.begin(surroundings.wallClock() * FENCES_PER_MILLISECOND),
    restore: copy.restore,
    apply: take,
  });

  /** Rule R7: the state was replaced, or this client has gone. */
  const compare = () => {
    const [first] = own.outstanding();
    const last = core.last(client);
    if (last >= 0 && restored) {
      own.operationDelivered(last);
      own.compare(core.state(), []);
    }
    restored = false;
    if (last < 0 && !(first && first.type === 'join')) lost();
  };

  const read = () => {
    journal.read();
    if (restored || !members().has(client)) compare();
  };

  /** @param {Operation[]} operations */
  const write = (operations) => {
    if (core.nextDeadline() < Infinity || operations.some(isTimed)) operations = [{ type: 'tick', now: Math.floor(now()) }, ...operations];
    journal.append({ by: client, operations });
    if (phase === 'member') read();
  };

  /** Before the thread waits for anything: others find everything, and this context hears of what it waits for. */
  const endTask = () => {
    scheduled.taskEnd = false;
    if (phase !== 'member') return;
    settle();
    if (rang && busy) bell.stayAwake(lookForNews);
    rang = false;
  };

  /** @param {() => void} action that reads or writes */
  const attempt = (action) => {
    if (phase !== 'member') return;
    try {
      action();
      if (phase !== 'member') return;
      journal.tidy();
      if (restored) compare();
    } catch (error) {
      failed(error);
    }
    if (concernsAll) ringAll();
    else if (concerned.size) concerned.forEach((each) => bell.ring(each));
    rang = rang || concerned.size > 0;
    concerned.clear();
    concernsAll = false;
    if (!scheduled.taskEnd) surroundings.afterTask(endTask);
    scheduled.taskEnd = true;
  };

  /** @param {unknown} error */
  const failed = (error) => {
    warn(`Lockkeeper: ${error}; trying again`);
    // Where storage fails nothing is lost yet; anything else has left this context's state somewhere in between.
    cancelRetry();
    if (/** @type {any} */ (error).syscall) cancelRetry = setTimer(flushSoon, RETRY, surroundings.keepAlive);
    else lost();
  };

  /** Writes what has not been written yet, and once more what came behind the end of a file. */
  const writeAll = () => {
    scheduled.flush = false;
    look();
    for (;;) {
      if (phase !== 'member') return;
      const operations = own.outstanding();
      if (!operations.length) return;
      announce(operations);
      write(operations);
    }
  };

  /** In a promise job, so that what one task asks for is one record; somewhat later where a release may come that takes it along. */
  const flushSoon = () => {
    if (scheduled.flush) return;
    scheduled.flush = true;
    if (busy) defer(() => defer(() => defer(flush)));
    else defer(flush);
  };

  const flush = () => {
    // A release may have taken along what was to be written.
    const wanted = scheduled.flush;
    scheduled.flush = false;
    if (wanted) attempt(writeAll);
    tell();
  };

  const tell = () => {
    if (!news) return;
    news = false;
    own.tellListeners(() => {
      news = true;
      tellSoon();
    });
  };

  /** Where the caller is not to be called back from inside its call. */
  const tellSoon = () => {
    if (!news || scheduled.tell) return;
    scheduled.tell = true;
    defer(() => {
      scheduled.tell = false;
      tell();
    });
  };

  const look = () => {
    const time = now();
    if (time - lookedAt < LOOK) return;
    lookedAt = time;
    if (!journal.isRemoved()) return;
    warn('Lockkeeper: the journal was removed; this context starts anew');
    lost();
  };

  /** @param {unknown} [message] */
  const ringAll = (message) => members().forEach((member) => member !== client && bell.ring(member, message));

  /**
   * What takes a lock from others concerns contexts that do not know yet that they depend on this one, which may end before it rings.
   * @param {ClientOperation[]} operations
   */
  const announce = (operations) => {
    if (members().size < 2 || !operations.some(takesAway)) return;
    concernsAll = true;
    ringAll({ client, number: operations[operations.length - 1].number });
  };

  /** Sees to what this context waits for now. */
  const settle = () => {
    cancelTick();
    if (own.busy() !== busy) {
      busy = !busy;
      if (surroundings.keepAlive && busy) hold?.ref();
      else hold?.unref();
      if (!busy) bell.rest();
    }
    if (!busy) return;
    const due = core.nextDeadline();
    if (due < Infinity) {
      const delay = Math.min(Math.max(1, due - now()), LONGEST_TIMER);
      cancelTick = setTimer(() => (attempt(() => write([])), tellSoon()), delay);
    }
    watchAfter(SETTLE + core.requestCount() * SETTLE_PER_REQUEST);
  };

  /** @param {number} milliseconds */
  const watchAfter = (milliseconds) => {
    if (scheduled.watch) return;
    scheduled.watch = true;
    setTimer(watch, milliseconds);
  };

  /** Some time after this context has begun to hold or to wait, where it still does. */
  const watch = () => {
    scheduled.watch = false;
    if (!busy || phase !== 'member') return;
    bell.attend(journal.path());
    const at = `${journal.path()} ${journal.position()}`;
    if (at === watchedAt) return;
    const time = now();
    if (time < watchedTime + LOOK_AGAIN) {
      watchAfter(watchedTime + LOOK_AGAIN - time);
      return;
    }
    watchedAt = at;
    watchedTime = time;
    if (members().size > 1) {
      const state = core.state();
      guard.turnTo(blockersOf(state, client), core.last);
      // Nobody else tells a holder that somebody waits for it, and it may want to know.
      holdersBefore(state, client).forEach((holder) => bell.ring(holder));
    }
  };

  /** @param {any} [message] */
  const rung = (message) => {
    attempt(read);
    if (phase === 'member' && message && message.client && core.last(message.client) < message.number) {
      guard.expect(message.client, message.number);
    }
    tell();
  };

  /** @returns {boolean} whether there was something for this context */
  const lookForNews = () => {
    attempt(read);
    const found = news;
    tell();
    return found;
  };

  /** @param {string[]} dead */
  const bury = (dead) => {
    attempt(() => {
      read();
      // What was read may be that this client has gone itself.
      const gone = phase === 'member' ? dead.filter((each) => members().has(each)) : [];
      if (!gone.length) return;
      write(gone.map((each) => ({ type: 'gone', client: each })));
      concernsAll = true;
      gone.forEach(life.bury);
    });
    tellSoon();
  };

  /** @param {Iterable<string>} clients @returns {Promise<boolean>} whether one of them had died */
  const buryDead = async (clients) => {
    const others = [...clients].filter((each) => each !== client);
    const alive = await Promise.all(others.map(life.isAlive));
    const dead = others.filter((_, index) => !alive[index]);
    if (dead.length) bury(dead);
    return dead.length > 0;
  };

  /** Whose requests there are. @param {string[]} [names] under these names alone */
  const clientsOf = (names) => {
    if (members().size < 2) return new Set();
    const { held, pending } = core.state();
    const requests = [...held, ...pending].filter((request) => !names || request.names.some((name) => names.includes(name)));
    return new Set(requests.map((request) => request.client));
  };

  /**
   * The dead may not have been missed yet: where nobody waits for them, nobody watches them.
   * @param {RequestDescription} description
   * @param {RequestListener} listener
   */
  const requestIfAvailable = (description, listener) => {
    const ask = () => own.request(description, (outcome, fence) => {
      if (outcome === 'granted') request.fence = fence;
      if (outcome === 'unavailable') void unavailable();
      else listener(outcome, fence);
    });
    const unavailable = async () => {
      const others = clientsOf(description.names);
      others.delete(client);
      const before = departures;
      const again = others.size > 0 && await buryDead(others);
      if (!current.delete(request)) return;
      if (before !== departures) {
        listener('lost', 0);
        return;
      }
      if (!again) {
        listener('unavailable', 0);
        return;
      }
      const next = ask();
      current.set(request, next);
      request.number = next.number;
    };
    const request = ask();
    current.set(request, request);
    return request;
  };

  const start = async () => {
    phase = 'joining';
    const mine = client = randomId();
    own.begin(mine);
    try {
      surroundings.prepare();
      const held = await life.hold(mine);
      if (client !== mine || phase !== 'joining') {
        held.close();
        return;
      }
      hold = held;
      journal.open();
      restored = false;
      bell.listen(mine, rung);
      phase = 'member';
      lookedAt = now();
    } catch (error) {
      hold?.close();
      warn(`Lockkeeper: ${error}; trying again`);
      setTimer(() => client === mine && phase === 'joining' && start(), RETRY, surroundings.keepAlive);
      return;
    }
    const others = [...members()];
    flushSoon();
    const first = Math.floor(now()) % (others.length || 1);
    void buryDead([...others, ...others].slice(first, first + Math.min(VISITS, others.length)));
  };

  const stop = () => {
    cancelTick();
    cancelRetry();
    guard.stop();
    bell.close();
    journal.close();
    hold?.close();
    hold = undefined;
    busy = false;
  };

  /** This client has gone, for the others: what it held is lost, and it comes again as another. */
  const lost = () => {
    own.lose(false);
    news = true;
    stop();
    void start();
    tellSoon();
  };

  return {
    clientId: () => client,

    request: (description, listener) => description.ifAvailable
      ? requestIfAvailable(description, listener)
      : own.request(description, listener),

    drop(request) {
      const asked = current.get(request) || request;
      current.delete(request);
      // Those behind a request that only waited do not hear of it otherwise, and may have relied on its being watched.
      if (!asked.fence && members().size > 1) concernsAll = true;
      // At once: what comes next in this task may take long.
      dropping = phase === 'member';
      own.drop(asked);
      dropping = false;
      if (phase !== 'member') return;
      attempt(writeAll);
      tellSoon();
    },

    join() {
      if (phase === 'idle' || phase === 'left') void start();
    },

    forceRelease: (names) => own.mark({ type: 'force-release', names }),

    async query() {
      await own.mark();
      await buryDead(clientsOf());
      return core.state();
    },

    async inspect() {
      await own.mark();
      await buryDead(members());
      const alone = members().size < 2;
      return { client, leader: '', log: String(journal.number()), count: journal.position(), alone, state: core.state() };
    },

    leave() {
      if (phase === 'idle' || phase === 'left') return;
      own.lose(true);
      news = true;
      attempt(() => write([{ type: 'gone', client }]));
      phase = 'left';
      departures++;
      stop();
      tellSoon();
      // Somebody still waits for the answer to a query.
      if (own.busy()) void start();
    },
  };
};
