/**
 * How a context learns that the journal has news for it. Whoever wrote an entry rings for those whom it concerns. A thread's end is always
 * noticed, so for threads that is enough. A process may be stopped between writing and ringing; so a process that waits has others
 * promise to ring before they write (./notices.js), and where nobody has promised, the kernel rings: the process watches the file.
 *
 * @typedef {(message?: any) => void} Answer
 *
 * @typedef {object} Kernel what rings for processes whatever others do
 * @property {(path: string) => void} heed this context wants to know, from now on, when [path] is touched
 * @property {(path: string) => void} attend so it does of every entry in the file [path]
 * @property {() => void} unattend of entries no more
 * @property {() => void} rest of nothing any more
 *
 * @typedef {object} Ears what a context does when it is told
 * @property {(message: any, answer: Answer) => void} rung
 * @property {() => void} alarmed the kernel tells that the file heeded was touched
 * @property {() => void} stirred and that the file attended to was
 * @property {(client: string) => void} cut what [client] said last may be lost
 *
 * @typedef {object} Bell
 * @property {(client: string, ears: Ears) => void} listen to what is rung for [client], this context
 * @property {(client: string, message?: any) => void} ring
 * @property {(clients: string[], message: any, path: string) => void} ringAll everybody, that is, [clients]; processes ring by touching
 *   the file [path]
 * @property {(look: () => boolean) => void} stayAwake this context has rung, and waits: it may [look] for an answer now and a
 *   little later, which tells whether there was one
 * @property {(client: string) => void} forget it has gone
 * @property {Kernel} [kernel] for processes
 * @property {() => void} close
 */
import { utimesSync, watch } from 'node:fs';
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
  /**
   * A channel that was opened just while the last one of its name was given up takes nothing, in Node: then another one does.
   * @param {string} client
   * @param {any} message
   */
  const post = (client, message) => {
    try {
      find(client).channel.postMessage(message);
    } catch {
      forget(client);
      find(client).channel.postMessage(message);
    }
  };
  const bell = {
    /** @param {string} client @param {Ears} ears */
    listen(client, { rung }) {
      name = client;
      own = open(client);
      own.onmessage = (/** @type {any} */ { data }) => {
        if (data && data.word) introduced(data);
        else rung(data, () => {});
      };
      // A listener added later may have made it hold the process.
      own.unref?.();
    },
    /** @param {string} client @param {any} [message] */
    ring(client, message = 0) {
      const other = find(client);
      if (!message && other.word && ringAwake(other.word)) return;
      post(client, message);
      if (++other.rings === ACQUAINTED) post(client, { from: name, word: vigil.word });
    },
    /** @param {string[]} clients @param {any} message */
    ringAll: (clients, message) => clients.forEach((client) => bell.ring(client, message)),
    stayAwake: vigil.keep,
    forget,
    close() {
      own?.close();
      [...others.keys()].forEach(forget);
    },
  };
  return bell;
};

/** @param {string} path @param {() => void} onChange @param {string} platform @returns {() => void} stops */
const watchFile = (path, onChange, platform) => {
  const poll = () => {
    const timer = setInterval(onChange, LOOK).unref();
    return () => clearInterval(timer);
  };
  if (platform === 'win32') return poll();
  let stop = () => {};
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => {
      watcher.close();
      stop = poll();
    });
    stop = () => watcher.close();
  } catch {
    stop = poll();
  }
  return () => stop();
};

/** @param {string} platform @param {ReturnType<typeof import('./lines.js').createLines>} lines @returns {Bell} */
export const createProcessBell = (platform, lines) => {
  let /** @type {Ears} */ ears;
  /** By what is watched for, the file and what stops the watch. @type {Map<'alarmed' | 'stirred', {path: string, stop: () => void}>} */
  const watches = new Map();

  /** @param {'alarmed' | 'stirred'} what */
  const stop = (what) => {
    watches.get(what)?.stop();
    watches.delete(what);
  };
  /** @param {'alarmed' | 'stirred'} what @param {string} path */
  const start = (what, path) => {
    if (watches.get(what)?.path === path) return;
    stop(what);
    watches.set(what, { path, stop: watchFile(path, () => ears[what](), platform) });
    // What came between the last reading and the watch.
    ears.rung(undefined, () => {});
  };
  const rest = () => {
    stop('stirred');
    stop('alarmed');
  };
  return {
    listen(client, given) {
      ears = given;
      lines.listen(client, ears.rung, ears.cut);
    },
    ring: lines.say,
    ringAll(clients, message, path) {
      const now = new Date();
      try {
        utimesSync(path, now, now);
      } catch {
        // The journal was removed: those who write find out.
      }
    },
    stayAwake() {},
    forget: lines.forget,
    kernel: {
      heed: (path) => start('alarmed', path),
      attend(path) {
        if (watches.get('alarmed')?.path !== path) start('stirred', path);
      },
      unattend: () => stop('stirred'),
      rest,
    },
    close() {
      rest();
      lines.close();
    },
  };
};
