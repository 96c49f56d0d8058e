import { ownMember } from '../core/own-member.js';
import { createOutcomes } from './outcomes.js';

/** With this many operations on their way, further ones travel together instead of one by one. */
const MANY = 64;

/**
 * This context's own operations and requests. It numbers the operations (rule R1), and keeps each until it is delivered as an entry (rule
 * R2). Listeners are told the outcomes once a whole message has been applied (rule R5).
 *
 * @typedef {import('./types.js').ClientOperation} ClientOperation
 * @typedef {import('./types.js').LogRequest} LogRequest
 * @typedef {ReturnType<typeof createOwnRequests>} OwnRequests
 *
 * @param {(request?: LogRequest) => void} operationAdded called when there is something to send or to tell. [request]: it was just made
 *   (status open), or released or aborted (ended), and must not wait for the rest of this task
 * @param {(dropped: LogRequest) => boolean} keep keeps its lock for a new request like it, if allowed (rule R20)
 */
export const createOwnRequests = (operationAdded, keep) => {
  let client = '';
  let last = 0;
  /** @type {Map<number, LogRequest>} by number; the requests that have not ended and were not dropped */
  let open = new Map();
  /** The number of the last operation that was delivered. */
  let lastDelivered = 0;
  /**
   * The latest operations, up to the number [last]: all that are not delivered yet, and maybe some before. An array, since a Map gets a new
   * table whenever it becomes empty. An operation that a promise waits for has a [resolve], which messages lack: JSON leaves out functions.
   * @type {(ClientOperation & {resolve?: () => void})[]}
   */
  let operations = [];
  /** The last request that was dropped. @type {LogRequest} */
  let dropped = /** @type {any} */ ({});
  const outcomes = createOutcomes();

  /** Whether the listener has been told of the grant, or will be. @param {LogRequest} request */
  const isEntered = ({ status, news }) => status === 'held' || news === 'granted';
  /** The function to call when an operation is delivered. @param {ClientOperation} operation */
  const resolverOf = (operation) => /** @type {(() => void) | undefined} */ (ownMember(operation, 'resolve'));
  const isAwaited = (/** @type {ClientOperation} */ operation) => !!resolverOf(operation);

  /** @param {number} number of an own operation */
  const isDelivered = (number) => number <= lastDelivered;
  /** How many operations are not delivered yet. */
  const underway = () => last - lastDelivered;

  /** For operationAdded(). With many operations on their way, a request travels with the others. @param {LogRequest} request */
  const urgent = (request) => underway() < MANY ? request : undefined;

  /** Whether any delivered request has that status. @param {LogRequest['status']} wanted */
  const isAny = (wanted) => {
    for (const { status, number } of open.values()) if (status === wanted && isDelivered(number)) return true;
    return false;
  };

  /** @param {any} operation */
  const add = (operation) => {
    operation.client = client;
    operation.number = last + 1;
    operations.push(operation);
    // Not before: if the stack ends at push(), nothing has happened.
    return ++last;
  };

  /** @param {LogRequest} request */
  const ask = (request) => {
    // The request may have a fence from a life that was lost.
    request.fence = 0;
    request.number = add(Object.assign({ type: 'request' }, request.description));
    open.set(request.number, request);
  };

  /** @param {LogRequest} request @param {import('./types.js').Outcome} news @param {boolean} [stolenByOwn] */
  const tell = (request, news, stolenByOwn = false) => {
    outcomes.add(request, news, stolenByOwn);
    if (news !== 'granted') open.delete(request.number);
  };

  /** @param {any} operation @param {LogRequest} [urgent] see operationAdded */
  const send = (operation, urgent) => {
    add(operation);
    operationAdded(urgent);
  };

  /** @param {{number: number}} request @param {LogRequest} [urgent] */
  const sendDrop = ({ number }, urgent) => send({ type: 'drop', request: number }, urgent);

  /**
   * Whether the only operation on its way drops a request like this one (R20). Locks of the drafts are not kept, since they show their
   * fence and may expire; their requests leave out [steal].
   * @param {import('./types.js').RequestDescription} description
   */
  const isDroppedLast = (description) => {
    const last = operations[operations.length - 1];
    return underway() === 1 && last.type === 'drop' && last.request === dropped.number && description.steal === false
      && JSON.stringify(description) === JSON.stringify(dropped.description);
  };

  const own = {
    /**
     * Becomes [id], a client that has done nothing yet. Its first operation is its join. Requests that still wait are sent again.
     * @param {string} id
     */
    begin(id) {
      const again = [...open.values(), ...own.outstanding().filter(isAwaited)].sort((one, other) => one.number - other.number);
      client = id;
      operations = [];
      dropped = /** @type {any} */ ({});
      last = lastDelivered = 0;
      open = new Map();
      add({ type: 'join' });
      for (const each of again) {
        if ('description' in each) ask(each);
        else add(each);
      }
    },

    /** Which client this context is. */
    id: () => client,
    /** Whether this context holds or waits for more than that many requests, or waits for a mark. @param {number} count */
    busyBesides: (count) => open.size > count || own.outstanding().some(isAwaited),
    /** The operations that are not delivered yet, in order. */
    outstanding: () => operations.slice(operations.length - underway()),
    underway,
    lastDelivered: () => lastDelivered,
    /** The number of the last operation. */
    last: () => last,
    /** Whether a request of this context was delivered and waits for its lock. */
    waits: () => isAny('open'),
    /** Whether there is something to tell a listener. */
    hasNews: outcomes.any,
    /** Whether this context holds a lock that a listener was told of. */
    holds: () => isAny('held'),
    /** Whether that request is delivered, has not ended and was not dropped. @param {number} number */
    isOpen: (number) => open.has(number) && isDelivered(number),
    /** Whether this context holds or waits for anything. */
    busy: () => own.busyBesides(0),

    /** @param {import('./types.js').RequestDescription} description @param {import('./types.js').RequestListener} listener */
    request(description, listener) {
      /** @type {LogRequest} */
      const request = { number: 0, description, listener, status: 'open', news: '', entersFirst: false, fence: 0, askedAgain: false };
      const isKept = isDroppedLast(description) && keep(dropped);
      if (isKept) {
        operations.pop();
        last--;
        open.set(request.number = dropped.number, request);
        request.fence = dropped.fence;
        tell(request, 'granted');
      } else ask(request);
      // If the lock is kept, there is nothing to send.
      operationAdded(isKept ? undefined : urgent(request));
      return request;
    },

    /** @param {LogRequest} request */
    drop(request) {
      request.news = '';
      request.status = 'ended';
      // The request may have been lost with an earlier client. Then its number may belong to another request now.
      if (open.get(request.number) !== request) return;
      open.delete(request.number);
      dropped = request;
      sendDrop(request, urgent(request));
    },

    /**
     * Resolves when every earlier operation of this context has been delivered. The default operation changes nothing: it drops a request
     * that never existed.
     * @template [T=void]
     * @param {{type: 'force-release', names: string[]} | {type: 'drop', request: number}} [operation]
     * @param {() => T} [look] called at that moment, before anything that is asked for later is applied
     * @returns {Promise<T>} what [look] has returned
     */
    mark: (operation = { type: 'drop', request: 0 }, look = () => /** @type {any} */ (undefined)) =>
      new Promise((resolve) => send(Object.assign({ resolve: () => resolve(look()) }, operation))),

    /** This client's operations up to and including [number] have been delivered. @param {number} number */
    operationDelivered(number) {
      const first = last - operations.length + 1;
      while (lastDelivered < Math.min(number, last)) {
        lastDelivered++;
        const resolve = resolverOf(operations[lastDelivered - first]);
        if (resolve) resolve();
      }
      // Not after each delivery, since this copies all that are left.
      if (underway() <= operations.length / 2) operations = own.outstanding();
    },

    /**
     * Sends a refused if-available request once more. A holder may release a lock and then tell this context so. The holder posts the
     * release first, but this context's request may still precede it in the order.
     * @param {import('../core/types.js').LockEvent} event of any client
     * @returns {boolean} whether the request was sent again
     */
    asksAgain({ type, client: whose, number }) {
      const request = type === 'unavailable' && whose === client && open.get(number);
      if (!request || request.askedAgain) return false;
      request.askedAgain = true;
      open.delete(number);
      ask(request);
      operationAdded();
      return true;
    },

    /** @param {import('../core/types.js').LockEvent} event of any client @param {import('./types.js').Operation} operation its cause */
    eventHappened(event, operation) {
      const { type, number, fence } = event;
      const isRequest = operation.type === 'request';
      // A lock that was entered early (R21) has no fence yet. A steal of its name ends it like any other.
      if (type === 'granted' && isRequest && operation.steal) {
        open.forEach((each) => {
          if (!isEntered(each) || each.fence || !operation.names.includes(each.description.names[0])) return;
          tell(each, 'broken');
          sendDrop(each);
        });
      }
      // A removed request was dropped by its user, or its client is gone. If that client is this context, lose() or compare() tells the
      // listener.
      const request = event.client === client && open.get(number);
      if (!request || type === 'removed' || type === 'joined') return;
      request.fence = fence || request.fence;
      if (type !== 'granted' || request.status === 'open') tell(request, type, isRequest && operation.client === client);
    },

    /**
     * R21: enters the locks that the outstanding operations will grant to delivered requests. Locks of the drafts are left out, since they
     * show their fence and may expire.
     * @param {import('../core/types.js').LockEvent[]} foreseen what the outstanding operations will cause, for any client
     */
    enterEarly(foreseen) {
      for (const { client: whose, number } of foreseen) {
        const request = open.get(number);
        const isNext = whose === client && isDelivered(number) && request && request.status === 'open'
          && request.description.steal === false;
        if (isNext) tell(request, 'granted');
      }
    },

    /**
     * Rule R7: the state was replaced by a snapshot. Compares the open requests with the new state. Call operationDelivered() first.
     * @param {import('./types.js').State} state
     * @param {import('../core/types.js').LockEvent[]} foreseen what the outstanding operations will cause (rule R21)
     */
    compare({ held, pending }, foreseen) {
      open.forEach((request) => {
        const { number, status, description } = request;
        const isThis = (/** @type {{client: string, number: number}} */ each) => each.number === number && each.client === client;
        const now = held.find(isThis);
        if (now) {
          request.fence = now.fence;
          if (status === 'open') tell(request, 'granted');
        } else if (isEntered(request) && !foreseen.some(isThis)) {
          // Another client may hold the lock by now. The drop makes sure that no replica keeps the request.
          tell(request, 'broken');
          sendDrop(request);
        } else if (isDelivered(number) && !pending.some(isThis)) tell(request, description.ifAvailable ? 'unavailable' : 'broken');
      });
      // These requests ended here in entries that were given up (D10), so nobody else drops them. A second drop changes nothing.
      for (const each of [...held, ...pending]) if (each.client === client && !open.has(each.number)) sendDrop(each);
    },

    /**
     * This life ends. A force-release that was sent is probably before its `gone` in the order. The next life must not repeat it: that
     * would break the next holder's lock.
     * @param {number} sent the number of the last operation that was sent
     */
    forgetForced(sent) {
      for (const operation of own.outstanding()) {
        if (operation.type !== 'force-release' || operation.number > sent) continue;
        Object.assign(operation, { type: 'drop', request: 0, names: undefined });
      }
    },

    /** This context was declared dead, or leaves: ends its held requests, and with [all] also the pending ones. @param {boolean} all */
    lose(all) {
      outcomes.forgetGrants();
      open.forEach((request) => {
        if (all || request.status === 'held') tell(request, 'lost');
        else if (request.news === 'granted') {
          // Its listener does not know of the grant, so the request can wait for its lock again.
          request.news = '';
        }
      });
    },

    tellListeners: outcomes.tell,
  };
  return own;
};
