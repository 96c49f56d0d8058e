import { MARK } from './answers.js';

/** A connection may die silently, and headers() may never return. Each step of an attempt is given up after this many milliseconds. */
const LONGEST = 12_000;

/** How many milliseconds an attempt takes at most, unless the machine is suspended: its steps are headers(), the answer, and its body. */
export const LONGEST_ATTEMPT = 3 * LONGEST;

/** Lets the process end before the timer fires. Browsers' timers are numbers. @param {any} timer */
export const unref = (timer) => {
  if (timer && timer.unref) timer.unref();
};

/**
 * One attempt to send a request to the service.
 *
 * @typedef {object} How
 * @property {string} [method]
 * @property {object} [body]
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {number} [wait] how many more milliseconds the service may take
 * @property {boolean} [isLast] whether it goes on after all else has ended. It keeps a process alive no longer than it may take
 * @property {number} [longest] how many milliseconds each step may take, if fewer than LONGEST
 * @property {number} [grace] how many milliseconds to wait for its answer after all else has ended, if it was sent
 *
 * @typedef {import('./service.js').ClaimsOptions} ClaimsOptions
 *
 * @param {typeof globalThis} global
 * @param {{base: URL, headers: ClaimsOptions['headers']}} service
 * @param {import('./lifetime.js').OnEnd} onEnd
 * @param {() => number} now
 * @param {import('./clock.js').Time} time
 */
export const createAttempts = (global, { base, headers }, onEnd, now, { setTimeout, clearTimeout, readWallClock }) => {
  /**
   * @param {string} to
   * @param {How} how
   * @returns {Promise<{status: number, text: string, asked: number, isMarked: boolean, isRedirect: boolean, retryAfter: number}>} [asked]:
   *   when the request was sent, or a little earlier. [isMarked]: the answer has the service's mark. [retryAfter]: after how many
   *   milliseconds to retry; NaN if the answer does not say. Rejects with a TypeError if the network has failed, or no answer comes
   */
  return async (to, { body, headers: more, signal, wait = 0, isLast, longest = LONGEST, grace = 0, ...how }) => {
    const ending = new global.AbortController();
    let isSent = false;
    let missing = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let last;
    const stopListening = onEnd(signal, () => {
      if (!isSent || !grace) return ending.abort();
      last = setTimeout(() => ending.abort(), grace);
      return unref(last);
    }, isLast);
    const limit = (/** @type {string} */ what, extra = 0) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        missing = what;
        ending.abort();
      }, Math.min(longest, LONGEST) + extra);
      if (isLast) unref(timer);
    };
    try {
      const isMade = typeof headers === 'function';
      if (isMade) limit('the function headers gives none');
      const given = isMade ? await unlessAborted(global, ending.signal, headers) : headers;
      const fault = faultOfHeaders(global, given);
      // Not a TypeError, which would look like a failure of the network.
      if (fault) throw new global.DOMException(fault, 'DataError');
      const all = new global.Headers(/** @type {Record<string, string>} */ (given));
      if (body) all.set('content-type', 'application/json');
      for (const [name, value] of Object.entries(more || {})) all.set(name, value);
      limit('it does not answer', wait);
      const asked = now();
      isSent = true;
      const response = await global.fetch(new global.URL(to, base), {
        // Follow no redirect, since the headers may be secret.
        ...how, redirect: 'manual', signal: ending.signal, headers: all,
        body: body && JSON.stringify(body),
      });
      const { status, type } = response;
      limit('it does not answer');
      return {
        status, text: await response.text(), asked, isMarked: response.headers.has(MARK),
        retryAfter: retryAfterOf(response.headers, readWallClock),
        isRedirect: type === 'opaqueredirect' || (status >= 300 && status < 400),
      };
    } catch (error) {
      throw missing ? new TypeError(missing) : error;
    } finally {
      clearTimeout(timer);
      clearTimeout(last);
      stopListening();
    }
  };
};

/**
 * The header has seconds, or a date. This machine's clock may be wrong, so compare with the date of the answer, if this client may read
 * that.
 * @param {Headers} headers
 * @param {() => number} readWallClock
 */
const retryAfterOf = (headers, readWallClock) => {
  const text = headers.get('retry-after') || '';
  const seconds = Number(text || NaN);
  return Number.isNaN(seconds) ? Date.parse(text) - (Date.parse(headers.get('date') || '') || readWallClock()) : seconds * 1000;
};

/**
 * The result of [give], or an AbortError as soon as [signal] aborts.
 * @template T
 * @param {typeof globalThis} global
 * @param {AbortSignal} signal
 * @param {() => T | Promise<T>} give
 * @returns {Promise<T>}
 */
const unlessAborted = (global, signal, give) => new Promise((resolve, reject) => {
  const end = () => reject(new global.DOMException('Nobody waits for the headers any more.', 'AbortError'));
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  // An error that [give] throws rejects, too.
  else Promise.resolve().then(give).then(resolve, reject);
});

const NO_HEADERS = 'The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.';

/**
 * Why no request can have these headers; empty if it can. With them, fetch() would reject as if the network had failed, and the client
 * would retry again and again. A value may be secret, so the message does not show it.
 * @param {typeof globalThis} global
 * @param {unknown} headers
 */
export const faultOfHeaders = (global, headers) => {
  if (headers === undefined) return '';
  if (typeof headers !== 'object' || headers === null) return NO_HEADERS;
  // A promise has no headers of its own, and an iterator has them only once: requests would be sent without an Authorization.
  const { then, next } = /** @type {Record<string, unknown>} */ (headers);
  if (typeof then === 'function' || typeof next === 'function') return NO_HEADERS;
  const entries = Symbol.iterator in headers ? Array.from(/** @type {Iterable<unknown>} */ (headers)) : Object.entries(headers);
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return NO_HEADERS;
    const [name, value] = entry;
    try {
      new global.Headers().append(name, value);
    } catch {
      return `The option headers: ${JSON.stringify(name)} or its value has characters that no header can have.`;
    }
  }
  return '';
};
