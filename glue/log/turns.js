/** At least so many outcomes in a row are told in promise jobs. */
const JOBS = 100;
/** And for so many milliseconds. Then the next one waits for a task. */
const LONG = 4;

/**
 * Decides when outcomes are told. A context may get what it asks for without waiting for a message: alone (D7), or in Node. If it told all
 * outcomes in promise jobs, a loop of requests would keep out its own timers, events and messages, even a newcomer's hello.
 *
 * @param {(callback: () => void) => void} inJob runs [callback] in a promise job
 * @param {(callback: () => void) => void} afterTask runs [callback] in a task
 * @param {() => number} now milliseconds
 * @returns {(callback: () => void) => void}
 */
export const createTurns = (inJob, afterTask, now) => {
  let jobs = 0;
  let lastTask = -Infinity;
  return (callback) => {
    jobs = (jobs + 1) % JOBS;
    if (jobs || now() - lastTask < LONG) {
      inJob(callback);
      return;
    }
    afterTask(() => {
      lastTask = now();
      callback();
    });
  };
};
