/** Whether a worker, of whatever kind, is kept out while the page holds the lock, and let in afterwards. */
const ask = (port) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  port.postMessage('', [port2]);
});

const turns = async (port) => {
  const during = await navigator.locks.request('shared', () => ask(port));
  return [during, await ask(port)];
};

self.kinds = {
  classic: () => turns(new Worker('classic.js')),
  module: () => turns(new Worker('module.js', { type: 'module' })),
  async service() {
    const registration = await navigator.serviceWorker.register('classic.js');
    const worker = registration.installing || registration.waiting || registration.active;
    const result = await turns(worker);
    await registration.unregister();
    return result;
  },
};
