/**
 * A claims service in the place of a log, for the LockManager of glue/api: so its conversions, refusals and errors are the same. Each
 * request is a claim with a time to live, which is prolonged as long as the lock is held. If that cannot be done, or if the claim was
 * revoked, the lock is lost. Its lease counts from when it was asked for, so it ends here before it ends at the service.
 */
import { createService, randomId } from './service.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 * @typedef {import('./service.js').Claim} Claim
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
  const whole = service.ttl * 1000;
  /** @type {Set<ClaimRequest>} */
  const open = new Set();

  /** @param {string} text @param {string} name */
  const exception = (text, name) => new global.DOMException(text, name);

  /**
   * Prolongs the claim until the request is over; gives the reason when it is lost.
   * @param {ClaimRequest} request
   * @param {string} id
   * @param {number} end of the lease, by this clock
   */
  const prolong = async ({ end: { signal } }, id, end) => {
    for (;;) {
      await service.pause(Math.max(0, end - global.performance.now() - (whole * 2) / 3), signal);
      if (signal.aborted) return undefined;
      // A little before its end the lock counts as lost, for then it may be another's.
      const late = new global.AbortController();
      const give = () => late.abort();
      const timer = global.setTimeout(give, end - global.performance.now() - whole / 10);
      signal.addEventListener('abort', give);
      try {
        const { status, body, asked } = await service.update(id, { ttl: service.ttl }, late.signal);
        if (status !== 200) return `the claim has ended (${status}: ${(body && (body.ttl || body.error)) || 'no reason given'})`;
        end = asked + whole;
      } catch (error) {
        if (signal.aborted) return undefined;
        return late.signal.aborted ? 'the service cannot be reached' : String(error);
      } finally {
        global.clearTimeout(timer);
        signal.removeEventListener('abort', give);
      }
    }
  };

  /**
   * @param {ClaimRequest} request
   * @param {RequestDescription} description
   * @param {(outcome: any, fence: number) => void} listener
   */
  const run = async (request, { names: [name], mode, ifAvailable }, listener) => {
    const { signal } = request.end;
    let { claim, asked } = await service.make(name, mode);
    const finish = (/** @type {string} */ status) => service.update(claim.id, { status });
    if (signal.aborted) return finish('aborted');
    if (claim.status === 'waiting' && ifAvailable) {
      await finish('withdrawn');
      return listener('unavailable', 0);
    }
    try {
      if (claim.status === 'waiting') ({ claim, asked } = await service.whenNotWaiting(claim.id, signal));
      if (claim.status !== 'active') throw exception(`The lock was not granted: the claim is ${claim.status}.`, 'AbortError');
    } catch (error) {
      // Where the service is away the claim ends by its ttl.
      const ending = finish('aborted').catch(() => {});
      if (signal.aborted) return ending;
      throw error;
    }
    const losing = prolong(request, claim.id, asked + /** @type {number} */ (claim.ttl) * 1000);
    listener('granted', /** @type {number} */ (claim.fence));
    const reason = await losing;
    if (reason === undefined) return finish('released');
    const error = exception(`The lock was lost: ${reason}.`, 'AbortError');
    request.loss.abort(error);
    throw error;
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
