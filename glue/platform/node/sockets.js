/**
 * Signs of life by sockets. A context listens on a socket of its own as long as it runs. However the thread or process ends, the kernel
 * closes the socket. While the thread is only busy or stopped, the socket stays open and accepts connections.
 *
 * Linux refuses a connection only if nobody listens. macOS and the BSDs also refuse it if too many connections wait to be accepted, as
 * they do while the holder is busy. So there a refusal counts only with a second sign: see ./locked-files.js.
 */
import { lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Buffer } from 'node:buffer';
import { join, resolve } from 'node:path';
import { codeOf } from './errors.js';
import * as lockedFiles from './locked-files.js';
import { process } from './process.js';
import { clearTimeout, setImmediate, setTimeout } from './timers.js';

/** The longest path that a socket can have on every system. */
const LONGEST_PATH = 103;
/**
 * When a connection ends, its other end may have died. To find out, connect again this many times at once, and then every LOOK_AGAIN
 * milliseconds.
 */
const AT_ONCE = 5;
const LOOK_AGAIN = 50;
/** Milliseconds. A death is known at once, but a busy pipe on Windows may take half a minute to answer. */
const LONGEST_ANSWER = 250;

/** Error codes of a directory that can no longer be entered. */
const FORBIDDEN = ['EACCES', 'EPERM'];

const ignore = () => {};

/** @typedef {(socket: import('node:net').Socket) => void} UseSocket gets each new connection, and may send messages over it */

/** @param {string} directory @param {string} client */
export const pathOf = (directory, client) => {
  // 48 random bits are enough within one manager, and leave room for the directory.
  const name = client.slice(0, 12);
  if (process.platform === 'win32') return `\\\\.\\pipe\\lockkeeper\\${resolve(directory).replace(/[\\:]/g, '-')}\\${name}`;
  const path = join(directory, name);
  const excess = Buffer.byteLength(path) - LONGEST_PATH;
  if (excess > 0) {
    const bytes = `${excess} byte${excess > 1 ? 's' : ''}`;
    throw new Error(`Lockkeeper: ${directory} is too long a path for the sockets in it. Use one that is shorter by ${bytes}.`);
  }
  return path;
};

/**
 * @param {string} path
 * @param {UseSocket} use
 * @returns {Promise<{server: import('node:net').Server, stop: () => void}>} [stop]: data that was written to the connections is still sent
 */
const listen = (path, use) => new Promise((resolve, reject) => {
  /** @type {Set<import('node:net').Socket>} */
  const accepted = new Set();
  const server = createServer((socket) => {
    accepted.add(socket);
    socket.on('close', () => accepted.delete(socket));
    socket.unref();
    socket.on('error', ignore);
    socket.resume();
    use(socket);
  });
  server.on('error', reject);
  const stop = () => {
    server.close();
    // Otherwise the watchers of this life would not learn of its end while this thread goes on.
    accepted.forEach((socket) => socket.destroySoon());
  };
  // Without `exclusive`, the primary process of a cluster would listen in place of this one.
  const listens = () => resolve({ server, stop });
  server.listen({ path, exclusive: true }, listens);
  // It listens already, but tells so by process.nextTick(), which tests may have replaced (fake timers).
  if (server.listening) listens();
  server.unref();
});

/** @typedef {Pick<typeof lockedFiles, 'hold' | 'isHeld' | 'pathOf'>} SecondSign */

/**
 * @param {SecondSign | undefined} second needed if a refused connection is no proof of a death
 * @param {(path: string) => import('node:net').Socket} [open]
 */
export const createSockets = (second, open = connect) => {
  /** @param {string} path */
  const reach = (path) => {
    const socket = open(path);
    socket.unref();
    socket.resume();
    return socket;
  };

  /**
   * Whether the error proves that no context listens there now. Others (too many connections, no descriptors left) do not.
   * @param {string} path
   * @param {string} code
   */
  const isDeath = (path, code) => code === 'ENOENT' || (code === 'ECONNREFUSED' && !(second && second.isHeld(path)));

  return {
    pathOf,

    /**
     * Shows that this context lives, until it ends or calls close().
     * @param {string} path
     * @param {UseSocket} [use] gets the connections of others
     * @returns {Promise<{ref(): void, unref(): void, close(): void}>} resolves once others can see it
     */
    async holdAlive(path, use = ignore) {
      const held = second && await second.hold(path);
      let stop = ignore;
      try {
        const listening = await listen(path, use);
        const { server } = listening;
        stop = listening.stop;
        // This throws if another context has taken the file for a leftover and removed it: see sweep() in ../node.js.
        if (process.platform !== 'win32') lstatSync(path);
        return {
          ref: () => void server.ref(),
          unref: () => void server.unref(),
          close() {
            stop();
            held?.close();
          },
        };
      } catch (error) {
        stop();
        held?.close();
        throw error;
      }
    },

    /**
     * @param {string} path
     * @param {() => void} onDeath
     * @param {(error: Error) => void} [onFailure] deaths can no longer be seen in that directory
     * @param {UseSocket} [use] gets the connections, one after the other
     * @returns {(gently?: boolean) => void} stops the watch; if [gently], data that was written to the connection is still sent
     */
    watchAlive(path, onDeath, onFailure = ignore, use = ignore) {
      let wanted = true;
      let attempts = 0;
      let /** @type {import('node:net').Socket} */ socket;
      const attempt = () => {
        if (!wanted) return;
        let /** @type {Error | undefined} */ failure;
        socket = reach(path);
        socket.on('error', (error) => {
          failure = error;
        });
        socket.on('close', () => {
          const code = failure ? codeOf(failure) : '';
          if (!wanted) return;
          if (isDeath(path, code)) onDeath();
          else if (failure && FORBIDDEN.includes(code)) onFailure(failure);
          else if (attempts++ < AT_ONCE) attempt();
          else setTimeout(attempt, LOOK_AGAIN).unref();
        });
        use(socket);
      };
      attempt();
      return (gently) => {
        wanted = false;
        if (gently) socket.destroySoon();
        else socket.destroy();
      };
    },

    /** @param {string} path @returns {Promise<boolean>} */
    isAlive: (path) => new Promise((resolve) => {
      const socket = reach(path);
      const answer = (/** @type {boolean} */ alive) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(alive);
      };
      // A caller waits for the answer, so the timer keeps the thread alive. After a long task timers come first, and what the kernel has
      // answered only then.
      const timer = setTimeout(() => setImmediate(answer, true), LONGEST_ANSWER);
      socket.on('error', (error) => answer(!isDeath(path, codeOf(error))));
      socket.on('connect', () => answer(true));
    }),

    /** Removes the files of a dead context. @param {string} path */
    bury(path) {
      for (const each of second ? [path, second.pathOf(path)] : [path]) {
        try {
          unlinkSync(each);
        } catch {
          // Another context has removed it.
        }
      }
    },
  };
};

/** On Linux and Windows a refused connection proves a death. */
const needsSecondSign = process.platform !== 'linux' && process.platform !== 'win32';

export const sockets = createSockets(needsSecondSign ? lockedFiles : undefined);
