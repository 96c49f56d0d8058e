/**
 * Connections ("lines") between the processes of a host. A process watches another one's life by a connection, which also carries messages
 * in both directions. A message is a line of JSON, or an empty line, which only rings. The first line names the client that opened the
 * connection.
 *
 * A message can be lost only together with its connection, and both ends learn of that loss. ./notices.js relies on this.
 *
 * @typedef {import('node:net').Socket} Socket
 * @typedef {import('./bell.js').Message} Message
 * @typedef {import('./bell.js').Answer} Answer sends a message over the connection by which another one came
 * @typedef {{socket?: Socket, onDeath: () => void, onFailure: (error: Error) => void, isWatched: boolean,
 *   stop: (gently?: boolean) => void}} Line
 */
import { setTimeout } from './timers.js';

/** How many connections may stay open although they watch no life. */
const KEEP = 64;
/**
 * A busy or stopped process reads nothing. The system buffers some hundred messages for it. If more messages wait for this many
 * milliseconds, or this many bytes wait, the connection is closed, and that process must read the journal by itself later. Waiting messages
 * keep the thread alive.
 */
const PATIENCE = 100;
const MOST_WAITING = 64 * 1024;

const ignore = () => {};

/** The sockets with waiting messages. @type {WeakSet<Socket>} */
const slow = new WeakSet();

/** @param {Socket} socket @param {Message} [message] */
const write = (socket, message) => {
  if (socket.destroyed) return;
  if (socket.writableLength > MOST_WAITING) socket.destroy();
  else socket.write(message ? `${JSON.stringify(message)}\n` : '\n');
  if (!socket.writableLength || slow.has(socket)) return;
  slow.add(socket);
  setTimeout(() => {
    slow.delete(socket);
    if (socket.writableLength) socket.destroy();
  }, PATIENCE).unref();
};

/** @param {string} line @returns {Message | undefined} undefined for a line that only rings, or is no message */
const parse = (line) => {
  if (!line) return undefined;
  try {
    const message = JSON.parse(line);
    return Object(message) === message ? message : undefined;
  } catch {
    return undefined;
  }
};

/** @param {Socket} socket @param {(line: string) => void} take */
const readLines = (socket, take) => {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() || '';
    lines.forEach(take);
  });
};

/** @param {Pick<typeof import('./sockets.js').sockets, 'holdAlive' | 'watchAlive'>} sockets @param {(client: string) => string} pathOf */
export const createLines = ({ holdAlive, watchAlive }, pathOf) => {
  let name = '';
  let onMessage = /** @type {(message: Message | undefined, answer: Answer) => void} */ (ignore);
  let onCut = /** @type {(client: string) => void} */ (ignore);
  /** Connections that others have opened. @type {Map<string, Socket>} */
  const incoming = new Map();
  /** Connections that this context has opened. @type {Map<string, Line>} */
  const outgoing = new Map();

  /** @param {Socket} socket @param {string} line */
  const take = (socket, line) => onMessage(parse(line), (message) => write(socket, message));

  /** @param {string} client @param {Line} line */
  const end = (client, line) => {
    if (outgoing.get(client) === line) outgoing.delete(client);
    line.stop();
  };

  /** Ends the connection although [client] lives. @param {string} client @param {Line} line */
  const cut = (client, line) => {
    end(client, line);
    onCut(client);
  };

  /** Closes the oldest unneeded connection, if there are too many. */
  const tidy = () => {
    if (outgoing.size <= KEEP) return;
    for (const [client, line] of outgoing) {
      if (line.isWatched) continue;
      cut(client, line);
      return;
    }
  };

  /** @param {string} client */
  const open = (client) => {
    /** @type {Line} */
    const line = { onDeath: ignore, onFailure: ignore, isWatched: false, stop: ignore };
    outgoing.set(client, line);
    const onDeath = () => {
      end(client, line);
      line.onDeath();
    };
    const onFailure = (/** @type {Error} */ error) => {
      cut(client, line);
      line.onFailure(error);
    };
    line.stop = watchAlive(pathOf(client), onDeath, onFailure, (socket) => {
      line.socket = socket;
      socket.write(`${name}\n`);
      readLines(socket, (text) => take(socket, text));
      socket.on('close', () => outgoing.get(client) === line && onCut(client));
    });
    tidy();
    return line;
  };

  return {
    /** Shows that [client], this context, lives. Others may then connect. @param {string} client */
    hold: (client) => holdAlive(pathOf(client), (socket) => {
      let from = '';
      readLines(socket, (text) => {
        if (from) take(socket, text);
        else incoming.set((from = text), socket);
      });
      socket.on('close', () => {
        // The other end may have connected again before this process noticed the end of this connection.
        if (incoming.get(from) === socket) incoming.delete(from);
        if (from) onCut(from);
      });
    }),

    /**
     * @param {string} client
     * @param {() => void} onDeath
     * @param {(error: Error) => void} onFailure
     * @returns {() => void} stops the watch
     */
    watch(client, onDeath, onFailure) {
      const line = outgoing.get(client) || open(client);
      Object.assign(line, { onDeath, onFailure, isWatched: true });
      return () => void Object.assign(line, { onDeath: ignore, onFailure: ignore, isWatched: false });
    },

    /**
     * Receives the messages of others from now on.
     * @param {string} client this context
     * @param {(message: Message | undefined, answer: Answer) => void} hear
     * @param {(client: string) => void} cut the connection with [client] has ended, so its last message may be lost
     */
    listen(client, hear, cut) {
      name = client;
      onMessage = hear;
      onCut = cut;
    },

    /** @param {string} client @param {Message} [message] */
    say(client, message) {
      const socket = incoming.get(client) || (outgoing.get(client) || open(client)).socket;
      if (socket) write(socket, message);
    },

    /** [client] has ended. @param {string} client */
    forget(client) {
      const line = outgoing.get(client);
      if (line) end(client, line);
      incoming.get(client)?.destroy();
    },

    /** Earlier messages are still sent. */
    close() {
      onMessage = onCut = ignore;
      outgoing.forEach((line) => line.stop(true));
      outgoing.clear();
    },
  };
};
