/** Retries after temporary errors of the system, with growing pauses and one warning. */

/** Milliseconds before the first new attempt; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10000;

/**
 * @param {(text: string) => void} warn
 * @param {(callback: () => void, milliseconds: number) => () => void} setTimer
 */
export const createTrouble = (warn, setTimer) => {
  let pause = 0;
  /** @type {(() => void) | undefined} */
  let cancel;
  return {
    /** @param {unknown} error @param {() => void} again */
    retry(error, again) {
      if (!pause) warn(`Lockkeeper: ${/** @type {Error} */ (error).message}; trying again until it works`);
      pause = Math.min(Math.max(FIRST_PAUSE, 2 * pause), LONGEST_PAUSE);
      if (cancel) cancel();
      cancel = setTimer(again, pause);
    },

    /** Milliseconds from the last failure to the next attempt; 0 if nothing has failed. */
    pause: () => pause,

    /** An attempt has worked. */
    over() {
      pause = 0;
      if (cancel) cancel();
      cancel = undefined;
    },
  };
};
