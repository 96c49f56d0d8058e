/** Requests the lock that it is told, says so once it has it, and holds it for good. */
importScripts('/library.js');

onmessage = ({ data }) => {
  navigator.locks.request(data, () => {
    postMessage('granted');
    return new Promise(() => {});
  });
};
