/**
 * The order that the keys of one IndexedDB store make. It is for browsers without BroadcastChannel (Safari before 15.4, Edge before 79), or
 * whose BroadcastChannel does not deliver in one order (WebKit). A message has its place when the transaction that adds it is complete.
 * Then its sender tells the others its key and the message, by a BroadcastChannel or a storage event. So a context reads the store only if
 * something is missing. Contexts that neither reaches poll the store. Keys have no holes: a context that finds one was stopped for so long
 * that messages were deleted.
 */
import { IDBKeyRange, clearTimeout, readWallClock, setTimeout } from '../platform/browser-realm.js';
import { createEntries, openDatabase, readAll } from './database.js';
import { openNews } from './news.js';
import { takeTurn } from './turns.js';

/**
 * @typedef {import('../platform/place.js').Message} Message
 * @typedef {{key: number, message?: Message}} StoredMessage [message] is absent in the first entry of a database
 */

/** How many messages are kept for contexts that were stopped. */
const KEPT = 4096;
/** After how many own messages a context deletes older ones. */
const SWEEP = 256;
/** How often a context polls, in milliseconds: OFTEN within BUSY of the last message, and SELDOM later. */
const OFTEN = 10;
const BUSY = 1000;
const SELDOM = 250;
/**
 * It polls this many times less often if others can tell it: it would only miss a sender that was stopped before it could tell. And in
 * WebKit others wait for it if it computes during a poll.
 */
const TOLD = 25;

/** How many promise jobs after its first message a task's messages are sent. */
const JOBS = 10;

/** The first key is above all keys of an earlier database, unless the clock has gone back. @param {IDBDatabase} database */
const createMessages = (database) => void createEntries(database).add({ key: readWallClock() * 1000 });

/**
 * @param {string} name the database's name
 * @param {(message: Message) => void} onMessage
 * @param {() => void} onGap
 * @returns {import('../platform/place.js').Order}
 */
export const createStoreOrder = (name, onMessage, onGap) => {
  /** @type {import('./database.js').Connection | undefined} */
  let connection;
  /** The key up to which everything was delivered; 0 before the first read. */
  let last = 0;
  /** When a message was delivered last, or the connection was lost. For BUSY after that, it polls often. */
  let newsAt = 0;
  /** The last key that others have told; [again]: since the last read. */
  let heard = 0;
  let again = false;
  /** @type {Message[]} */
  let outgoing = [];
  /** Messages from others that were not delivered yet, by key. @type {Map<number, Message>} */
  const told = new Map();
  let unswept = SWEEP;
  let working = false;
  /** How many exchanges have begun, and how many are under way: flush() may begin one while that of work() runs. */
  let begun = 0;
  let underway = 0;
  /** The number of the last exchange that sends something. */
  let sender = 0;
  let failed = false;
  let away = false;
  let closed = false;
  /** How often it still retries after a failure once it is closed. */
  let attempts = 10;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Runs [callback]. An error in it is reported, and does not stop the order. @param {() => void} callback */
  const call = (callback) => {
    try {
      callback();
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  };

  /** @param {number} key @param {Message} [message] */
  const deliver = (key, message) => {
    told.delete(key);
    if (closed || key <= last) return;
    if (key > last + 1) call(onGap);
    last = key;
    newsAt = readWallClock();
    if (message !== undefined) call(() => onMessage(message));
  };

  const deliverTold = () => {
    while (last && told.has(last + 1)) deliver(last + 1, told.get(last + 1));
  };

  const news = openNews(name, (said) => {
    if (!Array.isArray(said)) return;
    const [first, ...messages] = /** @type {import('./news.js').News} */ (said);
    messages.forEach((message, index) => first + index > last && told.set(first + index, message));
    deliverTold();
    if (!(first > last)) return;
    heard = first;
    again = true;
    void work();
  });

  const lose = () => {
    connection = undefined;
    last = 0;
    // Others lose theirs, too, so there will soon be something to read.
    newsAt = readWallClock();
    told.clear();
    if (!closed) call(onGap);
    void work();
  };

  /** Adds the outgoing messages and reads the new ones, in one transaction. */
  const exchange = async () => {
    // An exchange that flush() began has lost the connection.
    if (!connection) return;
    const { transact } = connection;
    const number = ++begun;
    underway++;
    // A context that cannot write can still read.
    const sending = failed ? [] : outgoing;
    outgoing = outgoing.slice(sending.length);
    if (sending.length) sender = number;
    const sweeps = last > 0 && unswept >= SWEEP && sending.length > 0;
    const isNew = !last;
    const { read, added } = await transact(sending.length ? 'readwrite' : 'readonly', (entries) => {
      const reading = isNew ? entries.openCursor(null, 'prev') : readAll(entries, IDBKeyRange.lowerBound(last, true));
      const adding = sending.map((message) => entries.add({ message }));
      if (sweeps) entries.delete(IDBKeyRange.upperBound(last - KEPT));
      return { read: reading, added: adding };
    }).catch((error) => {
      underway--;
      // Messages that were appended later may already have their places.
      if (connection && sending.length && sender > number) {
        if (!closed) call(onGap);
      // If the connection was closed from outside, they may have been added nevertheless, and this context has been told of a gap. A closed
      // order sends them again: its last message must tell others that its client has ended.
      } else if (connection || away || closed) outgoing = [...sending, ...outgoing];
      throw error;
    });
    underway--;
    failed = false;
    unswept = (sweeps ? 0 : unswept) + sending.length;
    if (sending.length) news.tell([/** @type {number} */ (added[0].result), ...sending]);
    // The connection was lost meanwhile, so these keys mean nothing.
    if (!connection) return;
    if (isNew) last = /** @type {StoredMessage} */ (read.result).key;
    else for (const { key, message } of /** @type {StoredMessage[]} */ (read.result)) deliver(key, message);
    added.forEach(({ result }, index) => deliver(/** @type {number} */ (result), sending[index]));
    told.forEach((_, key) => key <= last && told.delete(key));
    deliverTold();
  };

  /** Runs until nothing is left to send and nothing is missing. */
  const work = async () => {
    if (working || away) return;
    working = true;
    clearTimeout(timer);
    try {
      if (!connection) connection = await openDatabase(name, lose, () => true, createMessages);
      if (away) disconnect(true);
      else {
        do {
          again = false;
          // The messages of one task share a transaction. A release and the request after it are some promise jobs apart.
          for (let job = 0; job < JOBS; job++) await undefined;
          await exchange();
        } while (connection && (outgoing.length || (again && heard > last)));
      }
    } catch {
      // Storage failed, or the connection was closed. The next poll tries again.
      failed = true;
    }
    working = false;
    if (closed && failed) attempts--;
    if (closed && (away || !outgoing.length || (failed && (connection || !attempts)))) {
      if (away || !underway) end();
    } else if (!away) timer = setTimeout(work, (readWallClock() - newsAt < BUSY ? OFTEN : SELDOM) * (news.reaches ? TOLD : 1));
  };

  /** Sends at once: another context of this thread is about to append. */
  const flush = () => {
    if (connection && last && outgoing.length) {
      void exchange().catch(() => {
        failed = true;
      }).then(work);
    }
  };

  /** @param {boolean} [hurried] */
  const disconnect = (hurried) => {
    if (connection) connection.close(hurried);
    connection = undefined;
  };

  /** The page ends, or enters the back-forward cache. A `pagehide` that a library dispatches does not say which. */
  const leave = (/** @type {Partial<PageTransitionEvent>} */ { persisted }) => {
    if (persisted === undefined) return;
    away = true;
    clearTimeout(timer);
    disconnect(true);
    // The last messages of this life must not be sent when the page comes back.
    if (closed) end();
  };

  const comeBack = () => {
    away = false;
    void work();
  };

  const end = () => {
    disconnect();
    news.close();
    self.removeEventListener('pagehide', leave);
    self.removeEventListener('pageshow', comeBack);
  };

  self.addEventListener('pagehide', leave);
  self.addEventListener('pageshow', comeBack);
  void work();

  return {
    append(message) {
      if (closed) return;
      takeTurn(flush);
      outgoing.push(message);
      void work();
    },
    // The store keeps all messages.
    look() {},
    close() {
      closed = true;
      clearTimeout(timer);
      if (away) end();
      else void work();
    },
  };
};
