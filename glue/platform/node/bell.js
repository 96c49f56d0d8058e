/**
 * How a context learns that the journal has news for it. Threads ring for each other: whoever wrote an entry rings for those whom it
 * concerns. Processes cannot be relied upon to (one may be stopped between writing and ringing), so there the kernel rings: a waiting
 * process watches the file itself, and is woken by every entry.
 *
 * @typedef {object} Bell
 * @property {(client: string, onRing: (message: any) => void) => void} listen to what is rung for [client]
 * @property {(client: string, message?: any) => void} ring
 * @property {(look: () => boolean) => void} stayAwake this context has rung, and waits: it may [look] for an answer now and a
 *   little later, which tells whether there was one
 * @property {(client: string) => void} forget it has gone
 * @property {(path: string) => void} attend this context waits, so it must hear, from now on, of every entry in the file [path]
 * @property {() => void} rest it does not wait any more
 * @property {() => void} close
 */
import { watch } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { BroadcastChannel } from 'node:worker_threads';
import { createVigil, ringAwake } from './vigil.js';

/** Where the system cannot watch files dependably, or has no watch left, a waiting process looks so often. */
const LOOK = 20;

/** Two threads that ring so often for each other let each other see when they are awake. */
const ACQUAINTED = 16;

/** @param {string} title @returns {Bell} */
export const createThreadBell = (title) => {
  const vigil = createVigil();
  let name = '';
  /** @type {any} */
  let own;
  /** @type {Map<string, {channel: any, rings: number, word?: Int32Array}>} */
  const others = new Map();
  /** @param {string} client */
  const open = (client) => {
    const channel = /** @type {any} */ (new BroadcastChannel(`${title}:${client}`));
    channel.unref?.();
    return channel;
  };
  /** @param {string} client */
  const find = (client) => {
    let other = others.get(client);
    if (!other) others.set(client, (other = { channel: open(client), rings: 0 }));
    return other;
  };
  /** @param {{from: string, word: Int32Array}} introduction */
  const introduced = ({ from, word }) => {
    const other = others.get(from);
    if (other) other.word = word;
  };
  /** @param {string} client */
  const forget = (client) => {
    others.get(client)?.channel.close();
    others.delete(client);
  };
  return {
    listen(client, onRing) {
      name = client;
      own = open(client);
      own.onmessage = (/** @type {any} */ { data }) => {
        if (data && data.word) introduced(data);
        else onRing(data);
      };
      // A listener added later may have made it hold the process.
      own.unref?.();
    },
    ring(client, message = 0) {
      const other = find(client);
      if (!message && other.word && ringAwake(other.word)) return;
      other.channel.postMessage(message);
      if (++other.rings === ACQUAINTED) other.channel.postMessage({ from: name, word: vigil.word });
    },
    stayAwake: vigil.keep,
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
    stayAwake() {},
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
