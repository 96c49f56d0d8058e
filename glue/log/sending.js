import { useByOthers } from './uses.js';

/** An operation that is not delivered within this many milliseconds is sent again. */
const OVERDUE = 500;
/** How often a lock is kept at most between two deliveries (R20). Until the next delivery, this context sees no requests of others. */
const KEEPS = 10;
/** If a lock is requested again within this many milliseconds of its release, the next release expects the same (R20). */
const AT_ONCE = 1;
/**
 * How many promise jobs a request waits for further operations of its task (R5). What a grant sets off, such as the release of another
 * lock, may take several.
 */
const JOBS = 8;
/** With this many requests, R21 is off: the time to foresee grants grows with each request. */
const SHORT = 32;
/** With more operations than this, none of them sent yet, leave out those of dropped requests. */
const UNSENT = 64;

/**
 * Sends this context's operations. The operations of one task travel in one message. Operations that are not delivered are sent again.
 *
 * @typedef {import('./types.js').LogRequest} LogRequest
 *
 * @param {import('./log.js').Context} context
 */
export const createSending = (context) => {
  const { place, replica, own, clock } = context;
  /** The number of the last operation that was sent. */
  let sent = 0;
  let scheduled = false;
  /** See UNSENT. Twice as many as were left the last time: otherwise every request would do that again. */
  let unsentLimit = UNSENT;
  /** How often a lock may still be kept before the next message. */
  let keeps = 0;
  /** The lock that was requested again right after its last release, if any (R20). @type {string | undefined} */
  let expected;
  let releasedAt = 0;
  /** Whether the last release waits for such a request. */
  let heldBack = false;
  /** The connection whose timer checks for overdue operations. @type {import('./connection.js').Connection | undefined} */
  let overdueTimer;

  const maySend = () => replica.current ? !context.suspended : context.phase === 'begun';

  const unsent = () => own.outstanding().filter((operation) => operation.number > sent);

  /** @param {import('./types.js').ClientOperation[]} operations */
  const post = (operations) => {
    // The message names the client once.
    const without = operations.map((operation) => Object.assign({}, operation, { client: undefined }));
    // Always name the time: an operation may grant a request with a lease of which this context has not heard yet.
    context.post('operations', replica.log, replica.count, replica.hash(), clock.now(), context.generation, without);
  };

  /** Whether this context may take over a lock that it releases (R20, R21). */
  const mayTakeOver = () => {
    if (!context.mayAct() || place.sharesEventLoop()) return false;
    // A missed message may be a steal.
    context.order.look();
    return context.mayAct();
  };

  /**
   * R21: a release is a fact before its entry is delivered. Enters the locks that the outstanding operations will grant to this context.
   */
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

  /** A context that waits long until it can join may request and abort again and again. */
  const leaveOutDropped = () => {
    if (sent || own.lastDelivered() || own.underway() <= unsentLimit) return;
    own.begin(own.id());
    unsentLimit = Math.max(UNSENT, 2 * own.underway());
  };

  /** R20: whether a released lock may be kept. It may have been stolen, or others may wait. @param {LogRequest} released */
  const mayBeKept = ({ number }) => keeps > 0 && mayTakeOver() && replica.core.isUndisputed(own.id(), number);

  /** @param {LogRequest} request */
  const isUsedByOthers = ({ description }) => useByOthers(replica.core, own.id(), description.names) !== 'unused';

  /** Plans the check for overdue operations, once for each connection: the timers of earlier connections have ended. */
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
    /** There is something new to send. It waits some promise jobs for further operations of this task. */
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

    /** Sends all unsent operations at once. */
    now: send,

    /**
     * A request was made. It is sent at once if another context holds such a lock, or waits for it. This task may go on to ask that
     * context, over another channel, to release it; the next request of that context must then come after this one, as with native locks.
     * @param {LogRequest} request
     */
    asked(request) {
      if (maySend() && isUsedByOthers(request)) sendNow();
      // Even if it was sent, this context may still enter early (R21).
      sending.soon();
    },

    /**
     * A request was released or aborted. That is sent at once: this task may go on to compute for long while others wait. Exception (R20):
     * if the lock was requested again right after its last release, this release waits for the same to happen again.
     * @param {LogRequest} dropped
     */
    dropped(dropped) {
      heldBack = expected === dropped.description.names[0] && mayBeKept(dropped);
      expected = undefined;
      releasedAt = place.now();
      if (!heldBack && maySend()) sendNow();
      // As with native locks, the next callback runs after the code that the release sets off here.
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

    /** Posts an empty message with count and hash, so that a context whose state differs learns of it. */
    compare: () => post([]),

    /** Posts that [client] has ended, and when. @param {string} client */
    gone(client) {
      context.post('gone', replica.log, client, replica.stateful ? clock.now() : 0);
    },

    /** A message was delivered: this context has seen all requests posted before it. */
    delivered() {
      keeps = KEEPS;
    },

    /** R20: the lock that was released last is requested again. Keeps it if allowed. @param {LogRequest} released @returns {boolean} */
    keep(released) {
      if (place.now() - releasedAt < AT_ONCE) [expected] = released.description.names;
      if (!heldBack || !mayBeKept(released)) return false;
      keeps--;
      return true;
    },
  };
  return sending;
};
