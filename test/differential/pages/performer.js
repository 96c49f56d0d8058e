/**
 * One context of a differential program: a window or a worker. It does as the conductor's messages say, on a channel of the test's own, and
 * remembers what became of its requests.
 */
'use strict';
(() => {
  const id = new URLSearchParams(location.search).get('id');
  const channel = new BroadcastChannel('programs');
  let requests = new Map();
  let events = [];

  const settle = (tag) => [
    (value) => events.push(`${tag} resolved ${value}`),
    (error) => events.push(`${tag} rejected ${error && error.name ? error.name : error}`),
  ];

  const commands = {
    request({ tag, name, options, signalled }) {
      const controller = new AbortController();
      let release;
      const released = new Promise((resolve, reject) => { release = { resolve, reject }; });
      released.catch(() => {});
      requests.set(tag, { controller, release });
      const all = signalled ? Object.assign({ signal: controller.signal }, options) : options;
      navigator.locks.request(name, all, (lock) => {
        events.push(lock ? `${tag} granted ${lock.name} ${lock.mode}` : `${tag} unavailable`);
        return lock ? released : 'nothing';
      }).then(...settle(tag));
    },
    release: ({ tag }) => requests.get(tag).release.resolve('released'),
    fail: ({ tag }) => requests.get(tag).release.reject(new RangeError('failed')),
    abort: ({ tag, reason }) => requests.get(tag).controller.abort(reason),
    /** After a query, everything asked for before has been done, here and by its consequences. */
    async report() {
      const { held, pending } = await navigator.locks.query();
      await new Promise((resolve) => setTimeout(resolve));
      const reported = events;
      events = [];
      return { events: reported, held, pending };
    },
    async finish() {
      for (const { controller, release } of requests.values()) {
        controller.abort();
        release.resolve();
      }
      requests = new Map();
      await navigator.locks.query();
      await new Promise((resolve) => setTimeout(resolve, 5));
      events = [];
    },
    clientId: () => navigator.locks.request(`id of ${id}`, async () =>
      (await navigator.locks.query()).held.find(({ name }) => name === `id of ${id}`).clientId),
  };

  channel.onmessage = async ({ data: { to, call, command, parameters } }) => {
    if (to !== id) return;
    channel.postMessage({ answered: call, value: await commands[command](parameters || {}) });
  };
  if (!self.document) self.postMessage('listening');
})();
