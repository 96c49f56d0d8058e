/**
 * How a context learns that the journal has news for it. Threads ring for each other: whoever wrote an entry rings for those whom it
 * concerns. Processes cannot be relied upon to (one may be stopped between writing and ringing), so there the kernel rings: a waiting
 * process watches the file itself, and is woken by every entry.
 *
 * @typedef {object} Bell
 * @property {(client: string, onRing: (message: any) => void) => void} listen to what is rung for [client]
 * @property {(client: string, message?: any) => void} ring
 * @property {(client: string) => void} forget it has gone
 * @property {(path: string) => void} attend this context waits, so it must hear, from now on, of every entry in the file [path]
 * @property {() => void} rest it does not wait any more
 * @property {() => void} close
 */
import { watch } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { BroadcastChannel } from 'node:worker_threads';

/** Where the system cannot watch files dependably, or has no watch left, a waiting process looks so often. */
const LOOK = 20;

/** @param {string} title @returns {Bell} */
export const createThreadBell = (title) => {
  /** @type {any} */
  let own;
  /** @type {Map<string, any>} */
  const others = new Map();
  /** @param {string} client */
  const open = (client) => {
    const channel = /** @type {any} */ (new BroadcastChannel(`${title}:${client}`));
    channel.unref?.();
    return channel;
  };
  /** @param {string} client */
  const forget = (client) => {
    others.get(client)?.close();
    others.delete(client);
  };
  return {
    listen(client, onRing) {
      own = open(client);
      own.onmessage = (/** @type {any} */ { data }) => onRing(data);
      // A listener added later may have made it hold the process.
      own.unref?.();
    },
    ring(client, message = 0) {
      let channel = others.get(client);
      if (!channel) others.set(client, (channel = open(client)));
      channel.postMessage(message);
    },
    forget,
    attend() {},
    rest() {},
    close() {
      own?.close();
      [...others.keys()].forEach(forget);
    },
  };
};

/** @param {string} platform @returns {Bell} */
export const createFileBell = (platform) => {
  let /** @type {() => void} */ onRing;
  let watched = '';
  let stop = () => {};

  const poll = () => {
    const timer = setInterval(() => onRing(), LOOK).unref();
    return () => clearInterval(timer);
  };
  /** @param {string} path */
  const start = (path) => {
    if (platform === 'win32') return poll();
    try {
      const watcher = watch(path, { persistent: false }, () => onRing());
      watcher.on('error', () => {
        watcher.close();
        stop = poll();
      });
      return () => watcher.close();
    } catch {
      return poll();
    }
  };
  const rest = () => {
    watched = '';
    stop();
    stop = () => {};
  };
  return {
    listen(client, ring) {
      onRing = () => ring(undefined);
    },
    ring() {},
    forget() {},
    attend(path) {
      if (path === watched) return;
      stop();
      watched = path;
      stop = start(path);
      // What came between the last reading and the watch.
      onRing();
    },
    rest,
    close: rest,
  };
};
