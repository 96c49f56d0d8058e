/**
 * Who lives, shown by sockets. A context listens on one of its own for as long as it runs; the kernel closes it when the thread or the
 * process has ended, however it ended, and keeps it open, taking connections, while the thread is merely busy or stopped.
 */
import { connect, createServer } from 'node:net';
import { Buffer } from 'node:buffer';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { codeOf } from './directory.js';

/** The longest path that a socket can have on every system. */
const LONGEST_PATH = 103;
/** A connection that ends tells that its other end may have died; these many times it is looked up at once, then every so often. */
const AT_ONCE = 5;
const LOOK_AGAIN = 50;

/** Nobody listens any more. Anything else (too many connections, no descriptors left) says nothing about the other side. */
const DEAD = ['ECONNREFUSED', 'ENOENT'];

const ignore = () => {};

/** @param {string} directory @param {string} client */
export const pathOf = (directory, client) => {
  // 48 random bits are enough within one manager, and leave room for the directory.
  const name = client.replace(/-/g, '').slice(0, 12);
  if (process.platform === 'win32') return `\\\\.\\pipe\\lockkeeper\\${resolve(directory).replace(/[\\:]/g, '-')}\\${name}`;
  const path = join(directory, name);
  if (Buffer.byteLength(path) > LONGEST_PATH) throw new Error(`Lockkeeper: ${directory} is too long a path for a socket`);
  return path;
};

/** @param {string} path @returns {import('node:net').Socket} */
const reach = (path) => {
  const socket = connect(path);
  socket.unref();
  socket.on('error', ignore);
  socket.resume();
  return socket;
};

/**
 * Shows that this context lives, until it ends or closes.
 * @param {string} path
 * @returns {Promise<{ref(): void, unref(): void, close(): void}>} once others can see it
 */
export const holdAlive = (path) => new Promise((resolve, reject) => {
  const server = createServer((socket) => {
    socket.unref();
    socket.on('error', ignore);
    socket.resume();
  });
  server.on('error', reject);
  // In a cluster the primary would listen, and live, in this one's stead.
  server.listen({ path, exclusive: true }, () => resolve({
    ref: () => void server.ref(),
    unref: () => void server.unref(),
    close: () => void server.close(),
  }));
  server.unref();
});

/** @param {string} path @param {() => void} onDeath @returns {() => void} stops caring */
export const watchAlive = (path, onDeath) => {
  let wanted = true;
  let attempts = 0;
  let /** @type {import('node:net').Socket} */ socket;
  const attempt = () => {
    if (!wanted) return;
    let code = '';
    socket = reach(path);
    socket.on('error', (error) => {
      code = codeOf(error);
    });
    socket.on('close', () => {
      if (!wanted) return;
      if (DEAD.includes(code)) onDeath();
      else if (attempts++ < AT_ONCE) attempt();
      else setTimeout(attempt, LOOK_AGAIN).unref();
    });
  };
  attempt();
  return () => {
    wanted = false;
    socket.destroy();
  };
};

/** @param {string} path @returns {Promise<boolean>} */
export const isAlive = (path) => new Promise((resolve) => {
  const socket = reach(path);
  // Somebody waits for the answer.
  socket.ref();
  socket.on('error', (error) => resolve(!DEAD.includes(codeOf(error))));
  socket.on('connect', () => {
    socket.destroy();
    resolve(true);
  });
});
