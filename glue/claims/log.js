/**
 * A claims service with the interface of a log. The LockManager and the drafts of glue/api use it like any other log, so conversions,
 * refusals and errors are the same. Each request is a claim in the manager's session. If the session cannot be renewed, or the claim is
 * revoked, the lock is lost.
 */
import { ending, lockOn } from '../api/wording.js';
import { LONGEST_TIMER } from '../log/clock.js';
import { clientOf, createService } from './service.js';
import { createSessions } from './session.js';

/**
 * @typedef {import('./service.js').Claim} Claim
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 *
 * @typedef {object} ClaimRequest
 * @property {AbortController} loss its signal aborts when the lock is lost
 * @property {AbortController} end its signal aborts when the request is over
 * @property {Promise<unknown>} released settles when the claim is over at the service
 * @property {(error: unknown) => void} lose ends the request with an error
 * @property {() => void} close ends the request because its manager is closed
 */

/** The outcome of a request that ends at its deadline. */
const EXPIRED = 'expired';

/** How long rest() waits at most, in milliseconds. */
const LONGEST_REST = 1000;
/** Milliseconds to wait before another session after one that did not last. */
const PAUSE = 500;
/** After so many sessions in a row that did not last, the console says so. */
const MANY = 10;
const NO_SESSION_LASTS = 'Either the option ttl is too short, or several services without common data share the address';

/**
 * @param {typeof globalThis} global
 * @param {import('./clock.js').Time} time
 * @param {import('./service.js').ClaimsOptions} options
 * @param {() => string} randomId
 */
export const createClaimsLog = (global, time, options, randomId) => {
  const clientId = options.clientId === undefined ? randomId() : options.clientId;
  const service = createService(global, time, options, clientId, randomId);
  const sessions = createSessions(global, service);
  /** @type {Set<ClaimRequest>} */
  const open = new Set();

  /** @param {string} text @param {string} name */
  const exception = (text, name) => new global.DOMException(text, name);

  const { setTimeout, clearTimeout } = time;
  const { now } = service;

  /** @param {number} time by now(); Infinity: never @param {AbortSignal} signal calls [listener], too @param {() => void} listener */
  const onTime = (time, signal, listener) => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const wait = () => {
      const left = Math.max(0, time - now());
      timer = setTimeout(left > LONGEST_TIMER ? wait : listener, Math.min(left, LONGEST_TIMER));
    };
    if (time < Infinity) wait();
    signal.addEventListener('abort', listener);
    return () => {
      if (timer !== undefined) clearTimeout(timer);
      signal.removeEventListener('abort', listener);
    };
  };

  /**
   * @param {ClaimRequest} request
   * @param {RequestDescription} description
   * @param {import('../log/types.js').RequestListener} listener
   */
  const run = async (request, description, listener) => {
    const { signal } = request.end;
    const latest = now() + (description.wait === undefined ? Infinity : description.wait);
    /** How many sessions in a row have not lasted. A session that ends while the machine is suspended says nothing about the service. */
    let fruitless = 0;
    while (!signal.aborted) {
      const began = now();
      const session = await sessions.enter(signal);
      try {
        if (await attempt(request, session, description, latest, listener)) return;
      } finally {
        sessions.leave(session);
      }
      fruitless = session.wasAsleep || (session.hasLasted && now() - began > PAUSE) ? 0 : fruitless + 1;
      if (fruitless < 2) continue;
      if (fruitless * PAUSE > service.patience * 1000) {
        throw service.networkError(`has ended every session within ${service.patience} s. ${NO_SESSION_LASTS}`);
      }
      if (fruitless === MANY) {
        global.console.warn(`lockkeeper: the claims service at ${service.address} ends each session at once, and is asked for another one `
          + `again and again. ${NO_SESSION_LASTS}.`);
      }
      await service.pause(PAUSE, signal);
    }
  };

  /**
   * Waits until the claim is no longer waiting. If [signal] aborts first, or [latest] has passed, the result is the unchanged claim.
   * @param {Claim} claim
   * @param {number} latest
   * @param {AbortSignal} signal
   */
  const whenNotWaiting = async (claim, latest, signal) => {
    const patience = new global.AbortController();
    const stopWaiting = onTime(latest, signal, () => patience.abort());
    try {
      // A claim that the service no longer knows ended long ago.
      return latest > now() ? await service.whenNotWaiting(claim, patience.signal) || { ...claim, status: 'forgotten' } : claim;
    } catch (error) {
      if (patience.signal.aborted) return claim;
      throw error;
    } finally {
      stopWaiting();
    }
  };

  /**
   * @param {ClaimRequest} request
   * @param {import('./session.js').Session} session
   * @param {RequestDescription} description
   * @param {number} latest when it must have been granted, by now()
   * @param {import('../log/types.js').RequestListener} listener
   * @returns {Promise<boolean>} false: the session ended before the lock was granted; another one is needed
   */
  const attempt = async ({ end, loss }, session, { names, mode, ifAvailable, hold = Infinity }, latest, listener) => {
    const { signal } = end;
    if (signal.aborted) return true;
    const key = service.key();
    const make = (/** @type {Parameters<typeof service.make>[4]} */ how) => (
      service.make(names.length === 1 ? names[0] : names, mode, session, key, how));
    /** Ends a claim that may have been made, and resolves with whether it has ended. Only a repetition of the request tells. */
    const withdraw = async (/** @type {import('./session.js').Last} */ last) => {
      const made = await make({ isWanted: () => false, ...last }).catch((error) => {
        if (error && error.isFinal) return undefined;
        throw error;
      });
      return !made || service.finish(made, 'aborted', last);
    };
    const first = await make({ isWanted: () => !signal.aborted }).catch((error) => {
      if (!(error && error.isSure)) void sessions.repeat(session, withdraw);
      throw error;
    });
    if (!first) {
      sessions.end(session, 'its session has ended');
      return false;
    }
    let claim = first;
    const finishLater = (/** @type {'released' | 'aborted' | 'withdrawn'} */ status) => (
      void sessions.repeat(session, (last) => service.finish(claim, status, last)));
    const finish = async (/** @type {'released' | 'aborted' | 'withdrawn'} */ status) => {
      if (!await service.finish(claim, status).catch(() => false)) finishLater(status);
    };
    /** Ends a request that will not be granted, without waiting until its claim has ended. */
    const refuse = (/** @type {import('../log/types.js').Outcome} */ outcome) => {
      end.abort();
      listener(outcome, 0);
    };
    if (claim.status === 'waiting' && ifAvailable && !signal.aborted) {
      refuse('unavailable');
      await finish('withdrawn');
      return true;
    }
    try {
      if (claim.status === 'waiting' && !signal.aborted) claim = await whenNotWaiting(claim, latest, signal);
      if (signal.aborted) throw signal;
      if (claim.status === 'waiting') {
        refuse(EXPIRED);
        await finish('aborted');
        return true;
      }
      // A service that no longer knows the claim has lost its data.
      if (sessions.isOver(session) || claim.status === 'expired' || claim.status === 'forgotten') {
        void finish('aborted');
        return false;
      }
      if (claim.status !== 'active') throw exception(`The ${lockOn(names)} was not granted: its claim is ${claim.status}.`, 'AbortError');
    } catch (error) {
      const finished = finish('aborted');
      if (!signal.aborted) throw error;
      await finished;
      return true;
    }
    const held = new global.AbortController();
    const stopLease = onTime(now() + hold, signal, () => held.abort());
    const losing = sessions.hold(session, claim.id, held.signal);
    listener('granted', /** @type {number} */ (claim.fence));
    const reason = await losing;
    stopLease();
    if (reason !== undefined) {
      // Release it, so that others need not wait until the session ends at the service.
      if (session.over) finishLater('released');
      throw exception(`The ${lockOn(names)} was lost: ${reason}.`, 'AbortError');
    }
    if (!signal.aborted) {
      const [name, text] = ending(EXPIRED, names, true);
      loss.abort(exception(text, name));
      listener(EXPIRED, 0);
    }
    await finish('released');
    return true;
  };

  /** Lists the waiting claims first: a claim that is granted meanwhile is then in both lists instead of in none. */
  const listAll = async () => {
    const waiting = await service.list('waiting');
    const held = await service.list('active');
    const active = new Set(held.map(({ id }) => id));
    return { held, pending: waiting.filter(({ id }) => !active.has(id)) };
  };

  const log = {
    clientId: () => clientId,
    join() {},

    /** @param {RequestDescription} description @param {import('../log/types.js').RequestListener} listener */
    request(description, listener) {
      if (description.steal) {
        throw exception('A claim cannot be stolen. Someone who may revoke claims can end it at the service.', 'NotSupportedError');
      }
      /** @type {ClaimRequest} */
      const request = {
        loss: new global.AbortController(), end: new global.AbortController(), released: Promise.resolve(),
        lose(error) {
          if (request.end.signal.aborted) return;
          request.end.abort();
          request.loss.abort(error);
          listener('lost', 0, /** @type {Error} */ (error));
        },
        close() {
          const [name, text] = ending('closed', description.names, false);
          request.lose(exception(text, name));
        },
      };
      open.add(request);
      request.released = Promise.resolve().then(() => run(request, description, listener)).catch(request.lose)
        .finally(() => open.delete(request));
      return request;
    },

    /** @param {ClaimRequest} request */
    drop: (request) => request.end.abort(),

    /** Resolves when a claim is over at the service, or after a second at the latest. @param {Pick<ClaimRequest, 'released'>} request */
    rest({ released }) {
      const over = new global.AbortController();
      return Promise.race([released.finally(() => over.abort()), service.pause(LONGEST_REST, over.signal)]);
    },

    async query() {
      const show = (/** @type {Claim} */ claim) => (
        { client: clientOf(claim, ''), mode: claim.mode, names: [claim.resource].flat() });
      const { held, pending } = await listAll();
      return { held: held.map(show), pending: pending.map(show) };
    },

    /** Revokes the claims one by one, so a waiting request may be granted before the last one is revoked. @param {string[]} names */
    async forceRelease(names) {
      for (const claim of await service.list('active')) {
        if (names.some((name) => [claim.resource].flat().includes(name))) await service.revoke(claim);
      }
    },

    async inspect() {
      const show = (/** @type {Claim} */ claim) => ({
        client: clientOf(claim, `claim ${claim.id}`), number: Number(claim.id), mode: claim.mode, names: [claim.resource].flat(),
        fence: claim.fence || 0, since: Date.parse(claim.status_history[claim.status_history.length - 1].timestamp),
      });
      const all = await listAll();
      const [held, pending] = [all.held.map(show), all.pending.map(show)];
      const clients = new Set([...held, ...pending].sort((one, other) => one.number - other.number).map(({ client }) => client));
      return { client: clientId, leader: '', log: '', count: 0, state: {
        members: [...clients].map((client) => ({ client })), held, pending,
      } };
    },

    leave() {
      for (const request of open) request.close();
    },
  };
  return { log, open, endSession: sessions.close, stop: service.stop };
};
