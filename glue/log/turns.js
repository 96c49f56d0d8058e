/** So many times in a row an outcome is told in a promise job. The next one waits for a task. */
const JOBS = 200;

/**
 * Decides when outcomes are told. A context may get what it asks for without waiting for a message: alone (D7), or in Node. If it told all
 * outcomes in promise jobs, a loop of requests would keep out its own timers, events and messages, even a newcomer's hello.
 *
 * @param {(callback: () => void) => void} inJob runs [callback] in a promise job
 * @param {(callback: () => void) => void} afterTask runs [callback] in a task
 * @returns {(callback: () => void) => void}
 */
export const createTurns = (inJob, afterTask) => {
  let jobs = 0;
  /** Those that wait for the task, in their order; undefined if none does. @type {(() => void)[] | undefined} */
  let waiting;

  const goOn = () => {
    const all = waiting || [];
    waiting = undefined;
    all.forEach(inJob);
  };

  return (callback) => {
    jobs = (jobs + 1) % JOBS;
    if (waiting) waiting.push(callback);
    else if (jobs) inJob(callback);
    else {
      waiting = [callback];
      afterTask(goOn);
    }
  };
};
