/**
 * How a claims service is asked: again and again as long as it cannot be reached, or cannot say whether it has acted.
 *
 * @typedef {import('./answers.js').Answer} Answer
 * @typedef {object} Kind
 * @property {() => boolean} [isWanted] whether the claim is still wanted. If not, it ends with its session, and the service is not asked
 *   any longer
 * @property {boolean} [mayBeBusy] whether a 429 is an answer, too
 * @property {boolean} [isList] whether it asks for a list
 * @property {string} [short] where to ask if the first attempt fails, which may take long: a gateway may cut only such requests
 *
 * @typedef {import('./attempt.js').How & Kind} Asked
 *
 * @callback OnEnd calls [listener] when [signal] aborts, or when everything ends
 * @param {AbortSignal | undefined} signal
 * @param {() => void} listener
 * @param {boolean} [isLast] whether [signal] alone counts
 * @returns {() => void} removes it
 */
import { LONGEST_TIMER } from '../log/clock.js';
import { isWhole, looksOwn, shows } from './answers.js';
import { createAttempts, LONGEST_ATTEMPT, unref } from './attempt.js';
import { createClock } from './clock.js';

/** Milliseconds between two attempts, unless the service asks for more. */
const PAUSE = 500;
/** It is granted this many at most, and a part of the ttl: a session is renewed in time. */
const LONGEST_PAUSE = 30_000;
const PART = 1 / 6;

/**
 * @param {typeof globalThis} global
 * @param {{url: string | URL, ttl: number, patience: number, headers: import('./service.js').ClaimsOptions['headers']}} options
 */
export const createConnection = (global, { url, ttl, patience, headers }) => {
  const address = String(url);
  const base = new global.URL('v1/', address.endsWith('/') ? address : `${address}/`);
  const now = createClock(global);
  let warned = false;
  let stopped = false;
  /** Whether the service has ever answered, and whether it marks its answers. */
  let isKnown = false;
  let marks = false;
  /**
   * Called when everything ends. They are not listeners of a signal, since Node warns of a leak if a signal has more than ten.
   * @type {Set<() => void>}
   */
  const enders = new Set();

  /** @param {AbortSignal | undefined} signal @param {boolean} [isLast] whether it alone counts */
  const isOver = (signal, isLast) => (stopped && !isLast) || (signal && signal.aborted);

  /** @type {OnEnd} */
  const onEnd = (signal, listener, isLast) => {
    if (isOver(signal, isLast)) {
      listener();
      return () => {};
    }
    if (!isLast) enders.add(listener);
    if (signal) signal.addEventListener('abort', listener);
    return () => {
      enders.delete(listener);
      if (signal) signal.removeEventListener('abort', listener);
    };
  };

  /**
   * @param {number} milliseconds
   * @param {AbortSignal} [signal] ends it
   * @param {boolean} [isLast] whether it goes on after everything has ended, and Node may end the process meanwhile
   * @returns {Promise<void>}
   */
  const pause = (milliseconds, signal, isLast) => new Promise((resolve) => {
    let stopListening = () => {};
    const finish = () => {
      global.clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = global.setTimeout(finish, Math.min(milliseconds, LONGEST_TIMER));
    if (isLast) unref(timer);
    stopListening = onEnd(signal, finish, isLast);
  });

  const ask = createAttempts(global, { base, headers }, onEnd, now);

  /** Whether the service itself has answered. @param {Answer} answer @param {boolean} isMarked @param {boolean} isList as asked for */
  const isOwn = (answer, isMarked, isList) => {
    // An older service may have taken its place, too.
    if (isMarked || shows(answer)) marks = isMarked;
    const own = isWhole(answer) && (isMarked || (!marks && looksOwn(answer, isList)));
    isKnown = isKnown || own;
    return own;
  };

  /**
   * @param {string} to
   * @param {Asked} how
   * @returns {Promise<Answer & {asked: number, isFirst: boolean}>} [asked]: when the last attempt was sent; times in the answer count from
   *   then. [isFirst]: no earlier attempt can have had an effect. Only the service's own answers count. Others are those of a gateway, and
   *   it is asked again
   */
  const askUntilAnswered = async (to, { isWanted = () => true, mayBeBusy = false, short = to, isList = false, ...how }) => {
    const { signal, isLast } = how;
    /** Milliseconds that were spent in vain. They do not count while the machine is suspended, since nothing can be tried then. */
    let spent = 0;
    for (let isFirst = true; ; isFirst = false) {
      const began = global.performance.now();
      const isLong = isFirst && short !== to;
      let reason;
      let rest = PAUSE;
      try {
        const [where, limits] = isFirst ? [to, how] : [short, { ...how, wait: 0 }];
        const { status, text, asked, isMarked, isRedirect, retryAfter } = await ask(where, limits);
        const answer = { status, body: parse(text) };
        const own = !isRedirect && isOwn(answer, isMarked, isList);
        const isBusy = status >= 500 || (status === 429 && !mayBeBusy);
        if (own && !isBusy) {
          warned = false;
          return { ...answer, asked, isFirst };
        }
        // As long as the service has never answered, the address may be wrong.
        if (!isKnown && !isBusy) throw wrongAddress(isRedirect, status, text);
        // An older service would not mark this, and would be asked for ever. What it shows tells.
        if (!own && !isRedirect && looksOwn(answer, isList)) {
          const seen = await ask('claims/?limit=1&offset=0', { signal, isLast, longest: how.longest });
          isOwn({ status: seen.status, body: parse(seen.text) }, seen.isMarked, true);
        }
        reason = isRedirect ? 'it redirects' : `it answers ${status}${own ? `, ${JSON.stringify(answer.body)}` : ''}`;
        if (retryAfter > rest) rest = Math.max(rest, Math.min(retryAfter, LONGEST_PAUSE, ttl * 1000 * PART));
      } catch (error) {
        const failure = /** @type {Error & {cause?: Error}} */ (Object(error) === error ? error
          : new Error(`The option headers: its function failed with ${String(error)}.`));
        // fetch rejects with a TypeError if the network fails. Other errors are not temporary.
        if (isOver(signal, isLast) || failure.name !== 'TypeError') throw failure;
        reason = (failure.cause && failure.cause.message) || failure.message;
      }
      // That an attempt was cut which may take long does not mean that the service cannot be reached.
      if (!isLong) {
        const took = global.performance.now() - began;
        if (took <= LONGEST_ATTEMPT) spent += took;
        const longest = isWanted() ? patience : Math.min(patience, ttl);
        const left = longest * 1000 - spent;
        if (left < PAUSE) throw networkError(`could not be reached for ${longest} s: ${reason}`);
        if (!warned) global.console.warn(`lockkeeper: the claims service at ${address} cannot be reached (${reason}); it is asked again.`);
        warned = true;
        rest = Math.min(rest, left);
        spent += rest;
      }
      await pause(rest, signal, isLast);
      if (isOver(signal, isLast)) throw new global.DOMException('Nobody waits for the answer any more.', 'AbortError');
    }
  };

  /**
   * The same, with one more attempt if the credentials are refused: a token may have expired on its way, and headers() may give another.
   * A 403 to a change says that the client lacks a right. To a question it does not: everyone may read.
   * @type {typeof askUntilAnswered}
   */
  const insist = async (to, how) => {
    const answer = await askUntilAnswered(to, how);
    const isRefused = answer.status === 401 || (answer.status === 403 && !how.method);
    if (!isRefused || typeof headers !== 'function') return answer;
    await pause(PAUSE, how.signal, how.isLast);
    const second = await askUntilAnswered(to, how);
    return { ...second, isFirst: answer.isFirst && second.isFirst };
  };

  /** @param {boolean} isRedirect @param {number} status @param {string} text */
  const wrongAddress = (isRedirect, status, text) => new Error(isRedirect
    ? `${address} redirects to another address. The option url must be the address of the service itself.`
    : `${address} is no claims service: it answered ${status} with ${JSON.stringify(text.slice(0, 80))}.`);

  /** @param {string} text what the service did, or did not */
  const networkError = (text) => new global.DOMException(`The claims service at ${address} ${text}.`, 'NetworkError');

  /** @param {string} text @returns {unknown} undefined if it is empty or no JSON */
  const parse = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };

  return {
    address, base, now, pause, insist, networkError,
    isStopped: () => stopped,
    /** Whether the service marks its answers, as far as is known. */
    hasMarks: () => marks,
    /** Ends all requests except the last ones. */
    stop() {
      stopped = true;
      for (const end of enders) end();
    },
  };
};
