/** The contexts that a page makes: frames and workers. Commands reach them through it. */
(function () {
  const children = new Map();
  let calls = 0;

  function ask(port) {
    const waiting = new Map();
    port.onmessage = ({ data }) => {
      const { resolve, reject } = waiting.get(data.call);
      waiting.delete(data.call);
      if (data.error) reject(new Error(data.error));
      else resolve(data.value);
    };
    return (command, args) => new Promise((resolve, reject) => {
      calls++;
      waiting.set(calls, { resolve, reject });
      port.postMessage({ call: calls, command, args });
    });
  }

  const kinds = {
    frame(id) {
      const frame = document.createElement('iframe');
      frame.src = `/pages/context.html?id=${id}`;
      return new Promise((resolve) => {
        frame.onload = () => resolve({ tell: frame.contentWindow.actor, end: () => frame.remove() });
        document.body.append(frame);
      });
    },
    worker(id) {
      const worker = new Worker(`/pages/worker.js?id=${id}`);
      return { tell: ask(worker), end: () => worker.terminate() };
    },
    shared(id) {
      const worker = new SharedWorker(`/pages/worker.js?id=${id}`, id);
      return { tell: ask(worker.port), end: () => { throw new Error('a shared worker ends with its last page'); } };
    },
  };

  self.family = {
    add: (kind, id) => Promise.resolve(kinds[kind](id)).then((child) => { children.set(id, child); }),
    tell: (id, command, args) => (id === null ? self.actor(command, args) : children.get(id).tell(command, args)),
    end: (id) => {
      children.get(id).end();
      children.delete(id);
    },
  };
})();
