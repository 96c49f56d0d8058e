self.LOCKKEEPER = { force: true };
importScripts('node_modules/lockkeeper/dist/lockkeeper.js');

self.onmessage = ({ ports: [port] }) => {
  navigator.locks.request('shared', { ifAvailable: true }, (lock) => port.postMessage(lock ? 'held' : 'kept out'));
};
