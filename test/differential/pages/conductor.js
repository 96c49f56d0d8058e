/** In the first page: performs whole programs, step by step, by telling the contexts what to do. */
'use strict';
(() => {
  const channel = new BroadcastChannel('programs');
  const waiting = new Map();
  let calls = 0;
  channel.onmessage = ({ data }) => {
    if (!waiting.has(data.answered)) return;
    waiting.get(data.answered)(data.value);
    waiting.delete(data.answered);
  };
  const tell = (to, command, parameters) => new Promise((resolve) => {
    const call = ++calls;
    waiting.set(call, resolve);
    channel.postMessage({ to, call, command, parameters });
  });

  self.conductor = {
    /** Resolves when the worker listens. */
    addWorker(id) {
      const worker = new Worker(`/differential/worker.js?id=${id}`);
      self.workers = [...(self.workers || []), worker];
      return new Promise((resolve) => {
        worker.onmessage = () => resolve(true);
      });
    },

    /** Each step is followed by a report of every context, the acting one first; twice, so that consequences are seen. */
    async perform(program, contexts) {
      const transcript = [];
      // Asked anew: a worker that had nothing to do for long takes part under a new client id.
      const names = {};
      for (const each of contexts) names[await tell(each, 'clientId')] = each;
      for (const { context, command, parameters } of program) {
        await tell(context, command, parameters);
        const events = Object.fromEntries(contexts.map((each) => [each, []]));
        let last;
        for (const each of [context, ...contexts, ...contexts]) {
          last = await tell(each, 'report');
          events[each].push(...last.events);
        }
        const part = (locks) => locks.map(({ name, mode, clientId }) => `${name} ${mode} ${names[clientId]}`);
        // The standard has an order within one name alone.
        last.pending.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
        const step = `${context} ${command} ${JSON.stringify(parameters)}`;
        transcript.push({ step, events, held: part(last.held).sort(), pending: part(last.pending) });
      }
      for (const each of contexts) await tell(each, 'finish');
      for (const each of contexts) await tell(each, 'report');
      return transcript;
    },
  };
})();
