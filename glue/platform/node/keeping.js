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

/** Requests exclude each other unless they are of one kind, and that is not exclusive. @param {RequestState} request */
const kindOf = ({ mode, limit }) => (mode === 'exclusive' ? '' : `${limit || 0}`);

/**
 * The numbers of the requests of [client] that wait for its own locks, and of these locks.
 * @param {Iterable<RequestState>} requests all, held and then pending
 * @param {string} client
 * @returns {Set<number>}
 */
const stuckRequests = (requests, client) => {
  /**
   * The client's own requests that are held, or wait for such a request, by name and kind: how many, and those not yet known to be
   * stuck. One name may have thousands.
   * @type {Map<string, Map<string, {count: number, fresh: number[]}>>}
   */
  const before = new Map();
  /** @type {Set<number>} */
  const stuck = new Set();
  for (const request of requests) {
    // A request with a deadline ends by itself, whether it waits or is held.
    if (request.client !== client || request.deadline < Infinity) continue;
    const kind = kindOf(request);
    let blocked = !!request.fence;
    for (const name of request.fence ? [] : request.names) {
      const kinds = before.get(name) || new Map();
      const others = [...kinds].filter(([each]) => !kind || each !== kind).map(([, each]) => each);
      const same = kinds.get(kind);
      const blocking = others.length ? others : request.limit && same && same.count >= request.limit ? [same] : [];
      if (!blocking.length) continue;
      blocked = true;
      stuck.add(request.number);
      for (const { fresh } of blocking) fresh.splice(0).forEach((/** @type {number} */ number) => stuck.add(number));
    }
    for (const name of blocked ? request.names : []) {
      const kinds = before.get(name) || new Map();
      const same = kinds.get(kind) || { count: 0, fresh: [] };
      same.count++;
      same.fresh.push(request.number);
      before.set(name, kinds.set(kind, same));
    }
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
