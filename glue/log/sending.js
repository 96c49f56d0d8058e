import { useByOthers } from './uses.js';

/** An operation that is not delivered within this many milliseconds is sent again. */
const OVERDUE = 500;
/** How often a lock is kept at most between two deliveries: until the next one, requests of others are not seen here (R20). */
const KEEPS = 10;
/** If a lock is requested again within this many milliseconds of its release, the same is expected next time (R20). */
const AT_ONCE = 1;
/**
 * So many promise jobs a request waits for what else its task asks for (R5). What a grant sets off there may take several, such as the
 * release of another lock.
 */
const JOBS = 8;
/** With more requests, R21 is off: to ask the core who would be next takes time for each of them. */
const SHORT = 32;
/** With more operations of which none was sent yet, those of requests that have been dropped are left out. */
const UNSENT = 64;

/**
 * @typedef {import('./types.js').LogRequest} LogRequest
 *
 * Sends this context's operations. What one task asks for travels in one message. What was not delivered is sent again.
 *
 * @param {import('./log.js').Context} context
 */
export const createSending = (context) => {
  const { place, replica, own, clock } = context;
  /** The number of the last operation that was sent. */
  let sent = 0;
  let scheduled = false;
  /** See UNSENT. At least twice as many as were left the last time, or that would be done for every request. */
  let unsentLimit = UNSENT;
  /** How often a lock may still be kept before the next message. */
  let keeps = 0;
  /** The lock that was asked for again right after its last release, if one was (R20). @type {string | undefined} */
  let expected;
  let releasedAt = 0;
  /** Whether that release waits for such a request. */
  let heldBack = false;
  /** The connection whose timer looks after overdue operations. @type {import('./connection.js').Connection | undefined} */
  let overdueTimer;

  const maySend = () => replica.current ? !context.suspended : context.phase === 'begun';

  const unsent = () => own.outstanding().filter((operation) => operation.number > sent);

  /** @param {import('./types.js').ClientOperation[]} operations */
  const post = (operations) => {
    // The message names the client once.
    const without = operations.map((operation) => Object.assign({}, operation, { client: undefined }));
    // Always with the time: an operation may grant a request with a lease that this context has not heard of yet.
    context.post('operations', replica.log, replica.count, replica.hash(), clock.now(), context.generation, without);
  };

  /** Whether this context may take over a lock that it releases (R20, R21). */
  const mayTakeOver = () => {
    if (!context.mayAct() || place.sharesEventLoop()) return false;
    // What was lost may have been a steal.
    context.order.look();
    return context.mayAct();
  };

  /** R21: a released lock is free, wherever its entry is. Enters the locks that the outstanding operations will grant to this context. */
  const enterEarly = () => {
    const operations = own.outstanding();
    const may = operations.length && own.waits() && mayTakeOver() && replica.core.requestCount() + operations.length < SHORT
      && operations.every((operation) => operation.type === 'drop' || (operation.type === 'request' && !operation.steal));
    if (!may) return;
    own.enterEarly(replica.core.foresee(operations));
    context.tellSoon();
  };

  const send = () => {
    scheduled = false;
    if (!maySend()) return;
    if (!context.alone) enterEarly();
    sendNow();
  };

  /** @param {number} jobs */
  const sendAfter = (jobs) => {
    if (jobs) place.defer(() => sendAfter(jobs - 1));
    else send();
  };

  const sendNow = () => {
    const operations = unsent();
    const last = operations[operations.length - 1];
    if (last) {
      sent = last.number;
      heldBack = false;
      const now = clock.now();
      if (context.alone) context.applyAtOnce(now > replica.core.time() ? [{ type: 'tick', now }, ...operations] : operations);
      else post(operations);
    }
    lookAfter();
  };

  /** A context may wait for long until it can join, and ask and give up again and again. */
  const leaveOutDropped = () => {
    if (sent || own.lastDelivered() || own.underway() <= unsentLimit) return;
    own.begin(own.id());
    unsentLimit = Math.max(UNSENT, 2 * own.underway());
  };

  /** R20: whether a released lock may be kept. It may have been stolen since. @param {LogRequest} released */
  const mayBeKept = ({ number }) => keeps > 0 && mayTakeOver() && replica.core.isUndisputed(own.id(), number);

  /** @param {LogRequest} request */
  const isUsedByOthers = ({ description }) => useByOthers(replica.core, own.id(), description.names) !== 'unused';

  /** What is on its way may have been sent over an earlier connection, whose timers have ended. */
  const lookAfter = () => {
    const { connection } = context;
    const [first] = own.outstanding();
    if (!first || overdueTimer === connection) return;
    overdueTimer = connection;
    connection.later(() => {
      overdueTimer = undefined;
      if (own.outstanding()[0] === first) sending.again();
      else lookAfter();
    }, OVERDUE);
  };

  const sending = {
    /** There is something new to send. It waits some promise jobs for what else this task asks for. */
    soon() {
      leaveOutDropped();
      if (place.sharesEventLoop()) {
        // D15: the calls of contexts that share a thread keep their order.
        send();
        return;
      }
      if (scheduled) return;
      scheduled = true;
      sendAfter(JOBS);
    },

    /** Sends what there is, at once. */
    now: send,

    /**
     * A request was made. If another context has such a lock, or waits for it, that is sent at once: what runs next in this task may ask
     * that context, over another channel, to release it. Its next request must then come behind this one, as with native locks.
     * @param {LogRequest} request
     */
    asked(request) {
      if (maySend() && isUsedByOthers(request)) sendNow();
      // If it was sent, this context may enter early yet (R21).
      sending.soon();
    },

    /**
     * A request was released or aborted. That is sent at once: what runs next in this task may take long, and others may wait.
     * Exception (R20): if the lock was requested again right after its last release, the release waits for the same to happen again.
     * @param {LogRequest} dropped
     */
    dropped(dropped) {
      heldBack = expected === dropped.description.names[0] && mayBeKept(dropped);
      expected = undefined;
      releasedAt = place.now();
      if (!heldBack && maySend()) sendNow();
      // As with native locks, the next callback runs after the code that the release has set off here.
      sending.soon();
    },

    /** The number of the last operation that was sent. */
    sent: () => sent,

    /** Another life begins. */
    begin() {
      sent = 0;
    },

    /** Sends everything that was not delivered. */
    again() {
      if (!maySend()) return;
      sent = 0;
      sendNow();
    },

    /** Posts an empty message with count and hash, so that a context whose state differs finds out. */
    compare: () => post([]),

    /** Posts that [client] acts no more, and when that was. @param {string} client */
    gone(client) {
      context.post('gone', replica.log, client, replica.stateful ? clock.now() : 0);
    },

    /** A message was delivered: requests that were posted before it are known now. */
    delivered() {
      keeps = KEEPS;
    },

    /** R20: the lock that was released last is requested again. Keeps it if that may be. @param {LogRequest} released @returns {boolean} */
    keep(released) {
      if (place.now() - releasedAt < AT_ONCE) [expected] = released.description.names;
      if (!heldBack || !mayBeKept(released)) return false;
      keeps--;
      return true;
    },
  };
  return sending;
};
