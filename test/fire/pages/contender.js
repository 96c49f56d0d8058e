/**
 * A context under fire: asks for locks again and again, and logs each action before and after it. Every log is waited
 * for before it goes on, and all waiting is done by the server, as a page's timers may be throttled.
 */
(function () {
  const parameters = new URLSearchParams(location.search);
  const context = parameters.get('id');
  const server = parameters.get('log');
  const NAMES = ['left', 'middle', 'right'];
  const LOOPS = 2;
  /** A log that has had no answer for so long, in milliseconds, is sent again: Chromium now and then forgets a fetch of a frozen page. */
  const LOST = 2000;
  const ATTEMPTS = 5;
  let requests = 0;
  let logs = 0;

  const random = Math.random;
  const below = (limit) => Math.floor(random() * limit);

  function log(entry, wait) {
    const serial = ++logs;
    let attempts = 0;
    const attempt = () => {
      const body = JSON.stringify(Object.assign({ context, serial, attempt: ++attempts }, entry));
      const sending = new AbortController();
      const timer = setTimeout(() => sending.abort(), LOST);
      return fetch(`${server}/log?wait=${wait || 0}`, { method: 'POST', body, signal: sending.signal }).then((response) => response.json())
        .then((answer) => {
          clearTimeout(timer);
          return answer;
        }, (error) => {
          // A fetch that fails, as a worker's does now and then while pages are stopped around it, is sent again too.
          if (error.name === 'AbortError' || attempts < ATTEMPTS) return attempt();
          throw error;
        });
    };
    return attempt();
  }

  async function once() {
    const request = `${context}#${++requests}`;
    const kind = random();
    const stealable = kind < 0.05;
    const name = stealable ? 'purse' : NAMES[below(NAMES.length)];
    const options = { mode: random() < 0.4 ? 'shared' : 'exclusive' };
    let abort = null;
    if (stealable) Object.assign(options, { mode: 'exclusive', steal: random() < 0.5 });
    else if (kind < 0.15) options.ifAvailable = true;
    else if (kind < 0.25) {
      abort = new AbortController();
      options.signal = abort.signal;
    }
    await log({ event: 'asked', request, name, mode: options.mode, stealable });
    // Some have just had the same lock, and may have kept it (rule R20).
    const before = !stealable && random() < 0.4 ? navigator.locks.request(name, options, () => {}) : Promise.resolve();
    const settled = before.then(() => navigator.locks.request(name, options, async (lock) => {
      if (!lock) return 'unavailable';
      await log({ event: 'enter', request }, below(15));
      await log({ event: 'exit', request });
      return 'done';
    })).then((outcome) => outcome, (error) => error.name);
    if (abort) log({ event: 'idle' }, below(30)).then(() => abort.abort());
    await log({ event: 'ended', request, outcome: await settled });
  }

  /** The client of this context, for reading the register after a failure. */
  async function introduce() {
    const own = `client of ${context}`;
    const snapshot = await navigator.locks.request(own, () => navigator.locks.query());
    for (const { name, clientId } of snapshot.held) if (name === own) await log({ event: 'idle', client: clientId });
  }

  async function run() {
    for (;;) {
      const { finish } = await log({ event: 'idle' }, below(10));
      if (finish) return;
      await once();
    }
  }

  const failed = (error) => log({ event: 'failed', message: `${error} ${error.stack}` });
  introduce().catch(failed);
  for (let loop = 0; loop < LOOPS; loop++) run().catch(failed);
})();
