/**
 * Asks a claims service. It retries as long as the service cannot be reached, or cannot say whether it has acted.
 *
 * @typedef {import('./answers.js').Answer} Answer
 * @typedef {object} Kind
 * @property {() => boolean} [isWanted] whether the claim is still wanted. If not, retries stop when its session must have ended
 * @property {boolean} [mayBeBusy] whether a 429 is an answer, too
 * @property {boolean} [isList] whether the request is for a list
 * @property {string} [short] the address for retries, if the first attempt may take long: a gateway may cut only such requests
 *
 * @typedef {import('./attempt.js').How & Kind} Asked
 */
import { looksOwn } from './answers.js';
import { createAttempts, LONGEST_ATTEMPT } from './attempt.js';
import { createClock } from './clock.js';
import { createLifetime } from './lifetime.js';
import { createRecognition, QUESTION } from './recognition.js';

/** Milliseconds between two attempts, unless the service asks for more. */
const PAUSE = 500;
/** What OpenSSL says: `…:error:…:SSL routines:<a function>:<the reason>:<a file>:<a line>:`, and a line feed. */
const OPENSSL = /^\w+:error:\w+:([^:]*):[^:]*:([^:]*):[^]*$/;
/** The longest pause that the service can ask for, in milliseconds, and as a part of the ttl, so that a session is renewed in time. */
const LONGEST_PAUSE = 30_000;
const PART = 1 / 6;

/**
 * The text of an error. If several addresses were tried, Node's error has no text of its own.
 * @param {(Error & {errors?: Error[]}) | undefined} error
 * @returns {string}
 */
const textOf = (error) => (!error ? ''
  : error.message ? error.message.replace(OPENSSL, '$1: $2') : (error.errors || []).map(textOf).join(', '));

/**
 * @param {typeof globalThis} global
 * @param {import('./clock.js').Time} time
 * @param {{url: string | URL, ttl: number, patience: number, headers: import('./service.js').ClaimsOptions['headers']}} options
 */
export const createConnection = (global, time, { url, ttl, patience, headers }) => {
  const address = String(url);
  // Without what URLs may have around them: spaces, an empty query or fragment.
  const { origin, pathname } = new global.URL(address);
  const base = new global.URL(`${origin}${pathname.replace(/\/?$/, '/v1/')}`);
  const now = createClock(time);
  const { isOver, isStopped, onEnd, pause, stop } = createLifetime(time);
  const { isKnown, isOwn, learn, hasMarks } = createRecognition();
  const ask = createAttempts(global, { base, headers }, onEnd, now, time);
  let warned = false;

  /** @param {string} reason */
  const warn = (reason) => {
    if (!warned) global.console.warn(`lockkeeper: the claims service at ${address} cannot be reached (${reason}); it is asked again.`);
    warned = true;
  };

  /**
   * Judges the result of an attempt. Throws if a retry would be useless.
   * @param {Awaited<ReturnType<typeof ask>>} seen
   * @param {Asked} how
   * @returns {{answer?: Answer & {asked: number}, reason: string, rest: number, isDoubtful: boolean}} without an answer, the reason, and
   *   the milliseconds until the next attempt. [isDoubtful]: it may be the answer of an older service
   */
  const judge = ({ status, text, asked, isMarked, isRedirect, retryAfter }, { mayBeBusy = false, isList = false }) => {
    const answer = { status, body: parse(text) };
    const own = !isRedirect && isOwn(answer, isMarked, isList);
    const isBusy = status >= 500 || (status === 429 && !mayBeBusy);
    // Until the service has answered once, the address may be wrong.
    if (!isKnown() && !isBusy) throw wrongAddress(isRedirect, status, text);
    return {
      ...(own && !isBusy && { answer: { ...answer, asked } }),
      reason: isRedirect ? 'it redirects' : `it answers ${status}${own ? `, ${JSON.stringify(answer.body)}` : ''}`,
      rest: retryAfter > PAUSE ? Math.max(PAUSE, Math.min(retryAfter, LONGEST_PAUSE, ttl * 1000 * PART)) : PAUSE,
      isDoubtful: !own && !isRedirect && looksOwn(answer, isList),
    };
  };

  /** Why an attempt has failed. Throws if a retry would be useless. @param {unknown} error @param {Asked} how */
  const reasonOf = (error, { signal, isLast }) => {
    const failure = /** @type {Error & {cause?: Error}} */ (Object(error) === error ? error
      : new Error(`The option headers: its function failed with ${String(error)}.`));
    // fetch rejects with a TypeError if the network fails. Other errors are not temporary.
    if (isOver(signal, isLast) || failure.name !== 'TypeError') throw failure;
    const text = textOf(failure.cause) || textOf(failure);
    // What Node's fetch() says of a port on the list of the Fetch standard. Browsers do not say why they refuse it.
    if (text === 'bad port') throw networkError('cannot be asked: fetch() refuses its port');
    return text;
  };

  /**
   * @param {string} to
   * @param {Asked} how
   * @returns {Promise<Answer & {asked: number, isFirst: boolean}>} [asked]: when the last attempt was sent; times in the answer count from
   *   then. [isFirst]: no earlier attempt can have had an effect. Only the service's own answers count. After an answer of a gateway it
   *   retries
   */
  const askUntilAnswered = async (to, { isWanted = () => true, mayBeBusy, isList, short = to, ...how }) => {
    const { signal, isLast } = how;
    /** Milliseconds spent without success. Time in which the machine is suspended does not count, since nothing can be tried then. */
    let spent = 0;
    for (let isFirst = true; ; isFirst = false) {
      const began = time.readClock();
      let reason;
      let rest;
      try {
        const result = judge(await ask(isFirst ? to : short, isFirst ? how : { ...how, wait: 0 }), { mayBeBusy, isList });
        if (result.answer) {
          warned = false;
          return { ...result.answer, isFirst };
        }
        ({ reason, rest } = result);
        if (result.isDoubtful) {
          // An older service does not mark its answers, so it would be asked for ever. Find out which one it is.
          const seen = await ask(QUESTION, { signal, isLast, longest: how.longest });
          learn({ status: seen.status, body: parse(seen.text) }, seen.isMarked);
        }
      } catch (error) {
        reason = reasonOf(error, how);
        rest = PAUSE;
      }
      /** How much longer it may retry. If a gateway has cut an attempt that may take long, the service may still be reachable. */
      let left = Infinity;
      if (!isFirst || short === to) {
        const took = time.readClock() - began;
        if (took <= LONGEST_ATTEMPT) spent += took;
        const longest = isWanted() ? patience : Math.min(patience, ttl);
        left = longest * 1000 - spent;
        if (left <= 0) throw networkError(`could not be reached for ${longest} s: ${reason}`);
        warn(reason);
        spent += Math.min(rest, left);
      }
      await pause(Math.min(rest, left), signal, isLast);
      if (isOver(signal, isLast)) throw new global.DOMException('Nobody waits for the answer any more.', 'AbortError');
    }
  };

  /**
   * Like askUntilAnswered(), with one more attempt if the credentials are refused: a token may have expired on its way, and headers() may
   * return a new one. A 403 to a change says that the client lacks a right. A 403 to a query does not, since everyone may read.
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

  /** @param {string} text what the service did or did not do */
  const networkError = (text) => new global.DOMException(`The claims service at ${address} ${text}.`, 'NetworkError');

  /** @param {string} text @returns {unknown} undefined if it is empty or not JSON */
  const parse = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };

  return { address, base, now, pause, insist, networkError, isStopped, stop, hasMarks };
};
