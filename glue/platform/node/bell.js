/**
 * The bell tells a context that the journal has news for it. A context that has written an entry rings for the contexts that the entry
 * concerns. Between threads that is enough, since the end of a thread is always noticed. But a process may be stopped between writing and
 * ringing. So a process that waits makes others promise to ring before they write (./notices.js). Without such a promise it watches the
 * file, and the kernel rings.
 *
 * @typedef {{client: string, number: number}} Warning between threads: [client] is about to write its operation [number], a steal or a
 *   force-release
 * @typedef {import('./notices.js').Notice | Warning} Message
 * @typedef {(message?: Message) => void} Answer
 *
 * @typedef {object} Kernel the kernel's bell, which rings for a process even if the others are stopped
 * @property {(path: string) => void} heed calls Ears.alarmed from now on when [path] is touched
 * @property {(path: string) => void} attend calls Ears.stirred from now on for every entry in the file [path]
 * @property {() => void} unattend ends attend
 * @property {() => void} rest ends both
 *
 * @typedef {object} Ears a context's reactions to the bell
 * @property {(message: Message | undefined, answer: Answer) => void} rung another context rings
 * @property {() => void} alarmed the kernel rings: the file of heed() was touched
 * @property {() => void} stirred the kernel rings: the file of attend() has a new entry
 * @property {(client: string) => void} cut the connection with [client] has ended, so its last message may be lost
 *
 * @typedef {object} Bell
 * @property {(client: string, ears: Ears) => void} listen receives the rings for [client], this context
 * @property {(client: string, message?: Message) => void} ring
 * @property {(clients: string[], message: Message | undefined, path: string) => void} ringAll rings for all other contexts, [clients].
 *   Processes do so by touching the file [path]
 * @property {(look: () => boolean) => void} stayAwake called when this context has rung and waits. The bell calls [look] at once, and
 *   perhaps once more a little later. [look] returns whether there was news
 * @property {(client: string) => void} forget [client] has ended
 * @property {Kernel} [kernel] between processes only
 * @property {() => void} close
 */
import { utimesSync, watch } from 'node:fs';
import { openChannel, post } from './channel.js';
import { clearInterval, setInterval } from './timers.js';
import { createVigil, ringAwake } from './vigil.js';

/** Milliseconds between two checks of a waiting process, if the system cannot watch files reliably or has no watch left. */
const LOOK = 20;

/** After this many rings for another thread, a thread sends it the shared word that shows whether the sender is awake (./vigil.js). */
const ACQUAINTED = 16;

/** @typedef {import('node:worker_threads').BroadcastChannel} BroadcastChannel */
/** @typedef {{from: string, word: Int32Array}} Introduction shares the word of [from] */

/** @param {() => string} title of the manager @returns {Bell} */
export const createThreadBell = (title) => {
  const vigil = createVigil();
  let name = '';
  /** @type {BroadcastChannel | undefined} */
  let own;
  /** @type {Map<string, {channel: BroadcastChannel, rings: number, word: Int32Array | undefined}>} */
  const others = new Map();
  /** @param {string} client @param {(event: {data: any}) => void} [hear] */
  const open = (client, hear) => openChannel(`${title()}:${client}`, hear);
  /** @param {string} client */
  const find = (client) => {
    let other = others.get(client);
    if (!other) others.set(client, (other = { channel: open(client), rings: 0, word: undefined }));
    return other;
  };
  /** @param {Introduction} introduction */
  const introduced = ({ from, word }) => {
    const other = others.get(from);
    if (other) other.word = word;
  };
  /** @param {string} client */
  const forget = (client) => {
    others.get(client)?.channel.close();
    others.delete(client);
  };
  /** @param {string} client @param {Message | Introduction | 0} message */
  const send = (client, message) => post(() => find(client).channel, () => forget(client), message);
  const bell = {
    kernel: undefined,
    /** @param {string} client @param {Ears} ears */
    listen(client, { rung }) {
      name = client;
      own = open(client, ({ data }) => {
        if (data && data.word instanceof Int32Array) introduced(data);
        else rung(data, () => {});
      });
    },
    /** @param {string} client @param {Message} [message] */
    ring(client, message) {
      const other = find(client);
      if (!message && other.word && ringAwake(other.word)) return;
      send(client, message || 0);
      if (++other.rings === ACQUAINTED) send(client, { from: name, word: vigil.word });
    },
    /** @param {string[]} clients @param {Message} [message] */
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
  /** By reaction: its file, and what stops its watch. @type {Map<'alarmed' | 'stirred', {path: string, stop: () => void}>} */
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
    // Something may have been written between the last read and the start of the watch.
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
        // The journal was removed. Contexts that write notice that by themselves.
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
