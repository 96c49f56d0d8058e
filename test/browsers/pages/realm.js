/** A window, frame or worker that runs what it is sent; see ../realms.js. In the syntax of 2018, for old browsers. */
(function () {
  const run = (code) => Promise.resolve((0, eval)(code));
  const listen = (port) => (port.onmessage = ({ data: [call, code] }) => {
    run(code).then((outcome) => port.postMessage([call, outcome]));
  });
  if (self.document === undefined) {
    importScripts('/library.js');
    if ('SharedWorkerGlobalScope' in self) self.onconnect = ({ ports }) => listen(ports[0]);
    else if ('ServiceWorkerGlobalScope' in self) {
      self.onmessage = (event) => {
        const { data: [call, code], ports } = event;
        event.waitUntil(run(code).then((outcome) => ports[0].postMessage([call, outcome])));
      };
    } else listen(self);
    return;
  }

  const children = new Map();
  let calls = 0;

  function asker(port) {
    const waiting = new Map();
    port.onmessage = ({ data: [call, outcome] }) => waiting.get(call)(outcome);
    return (code) => new Promise((resolve) => {
      calls++;
      waiting.set(calls, resolve);
      port.postMessage([calls, code]);
    });
  }

  const kinds = {
    frame() {
      const frame = document.createElement('iframe');
      frame.src = '/pages/realm.html';
      return new Promise((resolve) => {
        frame.onload = () => resolve((code) => frame.contentWindow.realms.run(null, code));
        document.body.append(frame);
      });
    },
    worker: () => asker(new Worker('/pages/realm.js')),
    shared: (name) => asker(new SharedWorker('/pages/realm.js', name).port),
    async service() {
      const registration = await navigator.serviceWorker.register('/pages/realm.js');
      const worker = registration.installing || registration.waiting || registration.active;
      if (worker.state !== 'activated') {
        await new Promise((resolve) => {
          worker.onstatechange = () => worker.state === 'activated' && resolve();
        });
      }
      return (code) => new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data[1]);
        worker.postMessage([0, code], [port2]);
      });
    },
  };

  self.realms = {
    add: async (kind, name) => void children.set(name, await kinds[kind](name)),
    run: (name, code) => (name === null ? run(code) : children.get(name)(code)),
  };
})();
