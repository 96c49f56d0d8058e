/**
 * Decides whether this thread must stay alive. Held locks and waiting requests keep it alive, with two exceptions: locks held by handles;
 * and requests that wait for this thread's own locks, together with these locks. If nothing else is left to run, nothing can release such
 * locks, so the thread ends, as with Node's own locks.
 *
 * @typedef {import('../../core/types.js').RequestState} RequestState
 * @typedef {import('../../log/types.js').LogRequest} LogRequest
 */

/** If nothing happens for this many milliseconds, a waiting thread checks whether it waits for itself. */
const SETTLE = 10;

/** @param {RequestState} one @param {RequestState} other */
const exclude = (one, other) => one.mode === 'exclusive' || other.mode === 'exclusive' || one.limit !== other.limit;

/**
 * The numbers of the requests of [client] that wait for its own locks, and of these locks.
 * @param {Iterable<RequestState>} requests all, held and then pending
 * @param {string} client
 * @returns {Set<number>}
 */
const stuckRequests = (requests, client) => {
  /** The client's requests that are held, or wait for another one of these. @type {Map<string, RequestState[]>} by name */
  const before = new Map();
  /** @type {Set<number>} */
  const stuck = new Set();
  for (const request of requests) {
    // A request with a deadline ends by itself, whether it waits or is held.
    if (request.client !== client || request.deadline < Infinity) continue;
    let blocked = !!request.fence;
    for (const name of request.fence ? [] : request.names) {
      const all = before.get(name) || [];
      const excluded = all.filter((each) => exclude(each, request));
      const blocking = excluded.length ? excluded : request.limit && all.length >= request.limit ? all : [];
      if (!blocking.length) continue;
      blocked = true;
      [...blocking, request].forEach(({ number }) => stuck.add(number));
    }
    if (blocked) request.names.forEach((name) => before.set(name, [...before.get(name) || [], request]));
  }
  return stuck;
};

/**
 * @param {object} parts
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {import('./copy.js').Core} parts.core
 * @param {import('./types.js').Journal} parts.journal
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {import('./types.js').Surroundings['setTimer']} parts.setTimer
 */
export const createKeeping = ({ own, core, journal, membership, setTimer }) => {
  /** Requests that hold locks without keeping the thread alive. @type {Set<LogRequest>} */
  const detached = new Set();
  /** @type {Set<number>} */
  let stuck = new Set();
  let scheduled = false;

  const mayBeStuck = () => own.waits() && own.holds();

  const keep = () => {
    const handles = [...detached].filter(({ number }) => !stuck.has(number));
    membership.keep(own.busyBesides(handles.length + stuck.size));
  };

  const lookLater = () => {
    if (scheduled) return;
    scheduled = true;
    const at = journal.place();
    setTimer(() => {
      scheduled = false;
      if (!membership.isMember() || !mayBeStuck()) return;
      if (at === journal.place()) {
        stuck = stuckRequests(core.requests(), membership.client());
        if (stuck.size) keep();
      } else lookLater();
    }, SETTLE);
  };

  return {
    /** From now on, the lock of [request] does not keep the thread alive. @param {LogRequest} request */
    detach(request) {
      detached.add(request);
    },

    /** Something may have changed. */
    update() {
      if (detached.size || stuck.size) {
        detached.forEach((request) => request.status === 'ended' && detached.delete(request));
        stuck = new Set();
        keep();
      }
      if (mayBeStuck()) lookLater();
    },

    /** This context is no longer a member. */
    stop() {
      stuck = new Set();
    },
  };
};
