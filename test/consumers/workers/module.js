import { locks } from './node_modules/lockkeeper/dist/lockkeeper.mjs';

self.onmessage = ({ ports: [port] }) => {
  locks.request('shared', { ifAvailable: true }, (lock) => port.postMessage(lock ? 'held' : 'kept out'));
};
