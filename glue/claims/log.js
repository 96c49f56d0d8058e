/**
 * A claims service in the place of a log, for the LockManager of glue/api: so its conversions, refusals and errors are the same. Each
 * request is a claim in the manager's session. If that cannot be renewed, or if the claim was revoked, the lock is lost.
 */
import { createService, randomId } from './service.js';
import { createSessions } from './session.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 *
 * @typedef {object} ClaimRequest
 * @property {any} loss an AbortController; its signal fires when the lock is lost
 * @property {any} end another; its signal fires when the request is over
 * @property {Promise<unknown>} released settles when the claim is over at the service
 * @property {(error: unknown) => void} fail rejects the request with an error of its own
 */

/** Milliseconds. */
const LONGEST_REST = 1000;

/**
 * @param {any} global
 * @param {import('./service.js').ClaimsOptions} options
 */
export const createClaimsLog = (global, options) => {
  const clientId = options.clientId === undefined ? randomId(global) : String(options.clientId);
  const service = createService(global, options, clientId);
  const sessions = createSessions(global, service);
  /** @type {Set<ClaimRequest>} */
  const open = new Set();

  /** @param {string} text @param {string} name */
  const exception = (text, name) => new global.DOMException(text, name);

  /**
   * @param {ClaimRequest} request
   * @param {RequestDescription} description
   * @param {(outcome: any, fence: number) => void} listener
   */
  const run = async (request, description, listener) => {
    const { signal } = request.end;
    while (!signal.aborted) {
      const session = await sessions.enter();
      try {
        if (await attempt(request, session, description, listener)) return;
      } finally {
        sessions.leave(session);
      }
    }
  };

  /**
   * @param {ClaimRequest} request
   * @param {import('./session.js').Session} session
   * @param {RequestDescription} description
   * @param {(outcome: any, fence: number) => void} listener
   * @returns {Promise<boolean>} false: the session ended before the lock was granted; another one is needed
   */
  const attempt = async ({ end: { signal }, loss }, session, { names: [name], mode, ifAvailable }, listener) => {
    if (signal.aborted) return true;
    let claim = await service.make(name, mode, session.id);
    if (!claim) {
      sessions.end(session, 'its session has ended');
      return false;
    }
    const { id } = claim;
    const finish = (/** @type {string} */ status) => service.update(id, { status });
    if (claim.status === 'waiting' && ifAvailable && !signal.aborted) {
      await finish('withdrawn');
      listener('unavailable', 0);
      return true;
    }
    try {
      if (claim.status === 'waiting' && !signal.aborted) claim = await service.whenNotWaiting(id, signal);
      if (signal.aborted) throw signal;
      if (session.over || claim.status === 'expired') {
        finish('aborted').catch(() => {});
        return false;
      }
      if (claim.status !== 'active') throw exception(`The lock was not granted: the claim is ${claim.status}.`, 'AbortError');
    } catch (error) {
      // Where the service is away the claim ends with its session.
      const ending = finish('aborted').catch(() => {});
      if (!signal.aborted) throw error;
      await ending;
      return true;
    }
    const losing = sessions.hold(session, id, signal);
    listener('granted', /** @type {number} */ (claim.fence));
    const reason = await losing;
    if (reason !== undefined) {
      const error = exception(`The lock was lost: ${reason}.`, 'AbortError');
      loss.abort(error);
      throw error;
    }
    await finish('released');
    return true;
  };

  const log = {
    clientId: () => clientId,

    /** @param {RequestDescription} description @param {(outcome: any, fence: number) => void} listener */
    request(description, listener) {
      if (description.steal) {
        throw exception('A claim cannot be stolen. Someone who may revoke claims can end it at the service.', 'NotSupportedError');
      }
      /** @type {ClaimRequest} */
      const request = {
        loss: new global.AbortController(), end: new global.AbortController(), released: Promise.resolve(), fail: () => {},
      };
      open.add(request);
      request.released = Promise.resolve().then(() => run(request, description, listener)).catch((error) => {
        request.fail(error);
        // The manager's own promise is settled, too, so that it lets go of the signal.
        if (!request.end.signal.aborted) listener('lost', 0);
      }).finally(() => open.delete(request));
      return request;
    },

    /** @param {ClaimRequest} request */
    drop: (request) => request.end.abort(),

    async query() {
      const requests = async (/** @type {'active' | 'waiting'} */ status) => (await service.list(status)).map((claim) => ({
        client: (claim.user_data && claim.user_data.clientId) || '', mode: claim.mode, names: [claim.resource].flat(),
      }));
      return { held: await requests('active'), pending: await requests('waiting') };
    },

    leave() {
      for (const request of open) {
        request.fail(exception('The manager was closed.', 'AbortError'));
        request.end.abort();
      }
    },
  };
  return {
    log,
    open,
    /** @param {ClaimRequest} request resolves when it is over at the service, and after a second at the latest */
    rest: ({ released }) => Promise.race([released, service.pause(LONGEST_REST)]),
  };
};
