/** An operation that was not delivered for so long is sent again, in milliseconds. */
const OVERDUE = 500;
/** So often a lock is kept at most between two messages: until the next one, nobody else's request is seen here (R20). */
const KEEPS = 10;
/** A lock that is asked for again within so many milliseconds of its release is expected to be, next time (R20). */
const AT_ONCE = 1;
/** With more requests no core is asked who waits, or who would be next: that takes as long as there are requests (R20, R21). */
const SHORT = 32;

/**
 * Sends this context's operations: what one task asks for travels in one message, and what was not delivered is sent again.
 *
 * @param {import('./log.js').Context} context
 */
export const createSending = (context) => {
  const { place, replica, own, clock } = context;
  /** The number of the last operation that was sent. */
  let sent = 0;
  let scheduled = false;
  /** How often a lock may still be kept before the next message. */
  let keeps = 0;
  /** The lock that was asked for again right after its last release; empty where none was (R20). */
  let expected = '';
  let releasedAt = 0;
  /** Whether that release waits for such a request. */
  let heldBack = false;
  /** The connection whose timer looks after overdue operations. @type {import('./connection.js').Connection | undefined} */
  let overdueTimer;

  const maySend = () => replica.current ? !context.suspended : context.phase === 'begun';

  const unsent = () => own.outstanding().filter((operation) => operation.number > sent);

  /** @param {import('./types.js').ClientOperation[]} operations */
  const post = (operations) => {
    // Whose they are stands in the message once.
    const without = operations.map((operation) => Object.assign({}, operation, { client: undefined }));
    // Always with the time: they may grant a request with a lease, of which this context may not have heard.
    context.post('operations', replica.log, replica.count, replica.hash(), clock.now(), context.generation, without);
  };

  /** R21: what was let go of is free, whatever becomes of the entry. Enters what the outstanding operations make this context's own. */
  const enterEarly = () => {
    const operations = own.outstanding();
    const { core } = replica;
    const may = operations.length && context.mayAct() && own.waits() && core.requestCount() + operations.length < SHORT
      && operations.every((operation) => operation.type === 'drop' || (operation.type === 'request' && !operation.steal));
    if (!may || place.sharesEventLoop()) return;
    own.enterEarly(core.foresee(operations));
    context.tellSoon();
  };

  const send = () => {
    scheduled = false;
    heldBack = false;
    if (!maySend()) return;
    if (!context.alone) enterEarly();
    sendNow(unsent());
  };

  /** @param {import('./types.js').ClientOperation[]} operations */
  const sendNow = (operations) => {
    if (!operations.length) return;
    sent = operations[operations.length - 1].number;
    if (context.alone) {
      const now = clock.now();
      context.applyAtOnce(now > replica.core.time() ? [{ type: 'tick', now }, ...operations] : operations);
    } else {
      post(operations);
      lookAfter();
    }
  };

  /** R20: whether a lock that was let go of may be kept. @param {string} name */
  const mayBeKept = (name) => keeps > 0 && context.mayAct() && !place.sharesEventLoop() && replica.core.requestCount() < SHORT
    && !replica.core.state().pending.some(({ names }) => names.includes(name));

  const lookAfter = () => {
    const { connection } = context;
    const [first] = own.outstanding();
    if (overdueTimer === connection) return;
    overdueTimer = connection;
    connection.later(() => {
      overdueTimer = undefined;
      const [now] = own.outstanding();
      if (now && now === first) sending.again();
      else if (now) lookAfter();
    }, OVERDUE);
  };

  const sending = {
    /** There is something new to send. What one task asks for may be some promise jobs apart. */
    soon() {
      if (place.sharesEventLoop()) {
        // D15: the calls of contexts that share a thread keep their order.
        send();
        return;
      }
      if (scheduled) return;
      scheduled = true;
      place.defer(() => place.defer(() => place.defer(send)));
    },

    /** Sends what there is, at once. */
    now: send,

    /**
     * The lock [name] was let go of. What runs next in this task may take long, and others wait for that lock: it is sent at once. Only
     * where the lock was asked for again right after its last release, that is waited for (R20).
     * @param {string} name
     */
    released(name) {
      heldBack = expected === name && mayBeKept(name);
      expected = '';
      releasedAt = place.now();
      if (!heldBack && maySend()) sendNow(unsent());
      // What becomes this context's own is entered after what the release has set off here, as with native locks.
      sending.soon();
    },

    /** Sends everything that was not delivered. */
    again() {
      sent = 0;
      if (maySend()) sendNow(own.outstanding());
    },

    /** Tells a context whose state differs from this one's, by an empty message. */
    compare: () => post([]),

    /** Says that [client] acts no more, and when. @param {string} client */
    gone(client) {
      if (replica.current) context.post('tick', replica.log, clock.now());
      context.post('gone', replica.log, client);
    },

    /** A message was delivered: whoever had asked by then is known. */
    delivered() {
      keeps = KEEPS;
    },

    /** R20: the lock that was let go of last is asked for again. Whether it may be kept. @param {string} name */
    mayKeep(name) {
      if (place.now() - releasedAt < AT_ONCE) expected = name;
      if (!heldBack || !mayBeKept(name)) return false;
      keeps--;
      return true;
    },
  };
  return sending;
};
