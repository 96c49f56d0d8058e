/**
 * A LockManager whose locks are claims, and so reach across machines. A lock has two more members, `fence` and `signal`, and a request
 * settles when its claim is over at the service.
 */
import { reportOf } from '../api/inspect.js';
import { createLockManager, LockManager } from '../api/lock-manager.js';
import { checkDebug } from '../api/manager-options.js';
import { withDebug } from '../api/debug.js';
import { makeOwn } from '../api/own-manager.js';
import { show } from '../api/wording.js';
import { createClaimsLog } from './log.js';
import { faultOfHeaders } from './attempt.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').LogRequest & import('./log.js').ClaimRequest} ClaimRequest
 * @typedef {Omit<LockLog, 'request'> & {request: (...given: Parameters<LockLog['request']>) => ClaimRequest}} ClaimsLog
 * @typedef {import('../core/types.js').RequestState & {since: number}} DatedRequest
 */

/** @template {object} T @param {T} object @param {Record<string, unknown>} members @returns {T} */
const define = (object, members) => Object.defineProperties(object, Object.fromEntries(Object.entries(members).map(([name, value]) => (
  [name, { value, configurable: true, writable: typeof value === 'function' }]))));

/**
 * @param {import('./service.js').ClaimsOptions & {debug?: unknown}} options
 * @param {typeof globalThis} global
 */
const check = ({ url, ttl, clientId, headers, patience, debug }, global) => {
  checkDebug(debug);
  /** @param {string} text @returns {never} */
  const refuse = (text) => {
    throw new TypeError(text);
  };
  let address;
  try {
    address = new global.URL(String(url));
    if (!/^https?:$/.test(address.protocol)) throw url;
  } catch {
    return refuse(`The option url must be the http or https address of a claims service, such as "http://localhost:8470", not ${
      show(String(url))}.`);
  }
  // No message shows the address, since a password is secret.
  if (address.username || address.password || address.search || address.hash) {
    refuse('The option url must not have a user or a password, a query or a fragment. The option headers can have an Authorization.');
  }
  if (ttl !== undefined && !(typeof ttl === 'number' && ttl > 0 && ttl <= 1e9)) {
    refuse(`The option ttl must be a number of seconds above 0, at most 1e9, not ${show(ttl)}.`);
  }
  if (patience !== undefined && !(typeof patience === 'number' && patience >= 0)) {
    refuse(`The option patience must be a number of seconds, or Infinity, not ${show(patience)}.`);
  }
  if (clientId !== undefined && (typeof clientId !== 'string' || clientId === '')) {
    refuse(`The option clientId must be a string that is not empty, not ${show(clientId)}.`);
  }
  const fault = typeof headers === 'function' ? '' : faultOfHeaders(global, headers);
  if (fault) refuse(fault);
};

/**
 * @param {typeof globalThis} global
 * @param {import('./clock.js').Time} time
 * @param {import('./service.js').ClaimsOptions} options
 * @param {() => string} randomId
 * @param {() => ((line: string) => void) | undefined} choosePrinter see ../api/debug.js
 * @returns {{manager: object, openLog: () => LockLog}} the manager, and its log for the drafts
 */
export const createClaimsLockManager = (global, time, options, randomId, choosePrinter) => {
  check(options, global);
  const { log, open, endSession, stop } = createClaimsLog(global, time, options, randomId);
  // This log has only the part of the interface that the manager and the drafts use.
  const openInner = /** @type {() => ClaimsLog} */ (withDebug(() => /** @type {ClaimsLog} */ (/** @type {unknown} */ (log)),
    { label: String(options.url), now: time.readWallClock, choosePrinter }));
  let closed = false;
  const openLog = () => {
    if (closed) throw new global.DOMException('This lock manager is closed.', 'InvalidStateError');
    return openInner();
  };

  /**
   * The request that the manager has just made, or that the log is granting.
   * @type {{request: ClaimRequest, fence: number} | undefined}
   */
  let current;
  const observe = () => {
    const inner = openLog();
    return {
      ...inner,
      /** @type {ClaimsLog['request']} */
      request(description, listener) {
        const request = inner.request(description, (outcome, fence, reason) => {
          current = { request, fence };
          listener(outcome, fence, reason);
        });
        current = { request, fence: 0 };
        return request;
      },
    };
  };

  const manager = makeOwn(createLockManager(global, observe), {
    inspect: async () => {
      const inspection = await openLog().inspect();
      const { held, pending } = inspection.state;
      const since = new Map(/** @type {DatedRequest[]} */ ([...held, ...pending]).map((request) => [request.number, request.since]));
      return reportOf(inspection, (client, number) => /** @type {number} */ (since.get(number)));
    },
    close() {
      closed = true;
      log.leave();
      const released = Promise.all([...open].map((request) => request.released)).then(endSession);
      return log.rest({ released }).then(stop);
    },
  });

  define(manager, {
    /** @param {unknown} name @param {unknown} callback */
    // eslint-disable-next-line no-unused-vars -- the parameters are there to be counted
    request(name, callback) {
      const parameters = [...arguments];
      const place = parameters.length > 2 ? 2 : 1;
      const called = parameters[place];
      if (typeof called === 'function') {
        parameters[place] = (/** @type {object | null} */ lock) => {
          const { request, fence } = /** @type {NonNullable<typeof current>} */ (current);
          return called(lock && define(lock, { fence, signal: request.loss.signal }));
        };
      }
      current = undefined;
      const result = LockManager.prototype.request.apply(this, /** @type {[]} */ (/** @type {unknown} */ (parameters)));
      const made = /** @type {{request: ClaimRequest} | undefined} */ (/** @type {unknown} */ (current));
      // When the promise settles, others can get the lock. But do not wait for a service that cannot be reached.
      return made ? result.finally(() => log.rest(made.request)) : result;
    },
  });
  return { manager, openLog };
};
