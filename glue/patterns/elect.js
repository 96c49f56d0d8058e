/**
 * Leader election: the context that holds the lock leads. When it ends, or the lock is lost, the next candidate in line leads.
 */
import { hold } from './hold.js';
import { checkName, toPatternOptions } from './options.js';

/**
 * @typedef {import('./options.js').Manager} Manager
 * @typedef {import('./options.js').PatternOptions & {onLeader?: (term: {signal: AbortSignal}) => unknown}} ElectOptions
 *
 * @typedef {object} Election
 * @property {boolean} isLeader
 * @property {Promise<void>} ended fulfilled after resign(); rejects if onLeader failed, or if the manager refuses
 * @property {() => Promise<void>} resign
 */

/** A leader's term: from the grant until it resigns, fails or loses the lock. */
const createTerm = () => {
  const controller = new AbortController();
  /** @type {(value?: unknown) => void} */
  let resolve = () => {};
  const over = new Promise((resolveOver) => {
    resolve = resolveOver;
  });
  return {
    signal: controller.signal,
    over,
    /** @param {unknown} [reason] */
    end(reason) {
      controller.abort(reason);
      resolve();
    },
  };
};

/** @param {Manager} byDefault */
export const createElect = (byDefault) =>
  /**
   * @param {string} name
   * @param {ElectOptions} [given]
   * @returns {Election}
   */
  (name, given) => {
    checkName('elect', name);
    const { locks, signal, onLeader, onLost } = toPatternOptions('elect', given, ['locks', 'onLeader', 'onLost', 'signal'], byDefault);
    const candidacy = new AbortController();
    /** @type {ReturnType<typeof createTerm> | undefined} */
    let term;

    const lead = async () => {
      if (candidacy.signal.aborted) return;
      const mine = term = createTerm();
      // The term may be over before onLeader is called.
      const work = Promise.resolve().then(() => (onLeader && !mine.signal.aborted ? onLeader({ signal: mine.signal }) : undefined));
      try {
        await Promise.race([mine.over, work.then(() => mine.over)]);
        // The work needs the lock until it has noticed that the term is over.
        await work.catch(() => {});
      } finally {
        mine.end();
        // After a loss, the next term may already have begun.
        if (term === mine) term = undefined;
      }
    };

    /** The manager was closed, or the document is no longer active. @param {unknown} error */
    const isRefused = (error) => /** @type {Error} */ (error) && /** @type {Error} */ (error).name === 'InvalidStateError';
    /** @param {unknown} error */
    const isLoss = (error) => /** @type {Error} */ (error) && /** @type {Error} */ (error).name === 'AbortError';

    const stand = async () => {
      let hasWaited = false;
      while (!candidacy.signal.aborted) {
        let failure;
        try {
          await hold(locks, name, { signal: candidacy.signal }, () => lead().catch((error) => {
            failure = { error };
          }));
        } catch (error) {
          const lost = term;
          term = undefined;
          if (lost) {
            lost.end(error);
            if (onLost && !candidacy.signal.aborted) void Promise.resolve(error).then(onLost);
          } else if (hasWaited && isRefused(error)) return;
          else if (!candidacy.signal.aborted && !isLoss(error)) throw error;
          hasWaited = true;
          continue;
        }
        if (failure) throw /** @type {{error: unknown}} */ (failure).error;
      }
    };

    const stop = () => {
      candidacy.abort();
      if (term) term.end();
    };
    if (signal && signal.aborted) stop();
    else if (signal) signal.addEventListener('abort', stop);
    const candidate = async () => {
      try {
        await stand();
      } finally {
        if (signal) signal.removeEventListener('abort', stop);
      }
    };
    const ended = candidate();

    const election = {
      get isLeader() {
        return !!term && !candidacy.signal.aborted;
      },
      ended,
      async resign() {
        stop();
        await ended.catch(() => {});
      },
    };
    return Symbol.asyncDispose ? Object.assign(election, { [Symbol.asyncDispose]: election.resign }) : election;
  };
