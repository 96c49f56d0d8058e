/** PostgreSQL and Redis as processes of their own, and as much of a client as their locks need. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/claims/support/etcd-cluster.js';

/**
 * A connection that is answered in the order of its questions.
 * @param {number} port
 * @param {(buffer: Buffer) => {value: any, length: number} | undefined} parse one answer, where there is a whole one
 */
async function connect(port, parse) {
  for (let turn = 0; ; turn += 1) {
    const socket = net.connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.setNoDelay();
      const waiting = [];
      let buffer = Buffer.alloc(0);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        buffer = Buffer.concat([buffer, data]);
        for (let answer; (answer = parse(buffer)); ) {
          buffer = buffer.subarray(answer.length);
          waiting.shift()?.(answer.value);
        }
      });
      return (/** @type {Buffer | string} */ question) => new Promise((resolve) => {
        waiting.push(resolve);
        socket.write(question);
      });
    } catch (error) {
      if (turn > 200) throw error;
      await delay(50);
    }
  }
}

/** One thing that can be started again after it was killed. */
function createServer(launch) {
  let child;
  const server = {
    async start() {
      child = launch();
      child.exited = once(child, 'exit');
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
  return server;
}

/**
 * @param {string} folder
 * @param {{words: string[]}} options
 */
export async function startRedis(folder, { words }) {
  const command = '/usr/bin/redis-server';
  if (!existsSync(command)) return undefined;
  const port = await freePort();
  // Debian's own points of RDB snapshots.
  const all = ['--port', String(port), '--dir', folder, '--save', '3600 1 300 100 60 10000', ...words];
  const server = createServer(() => spawn(command, all, { stdio: 'ignore' }));
  await server.start();
  const parse = (buffer) => {
    const end = buffer.indexOf('\r\n');
    return end < 0 ? undefined : { value: buffer.toString('latin1', 0, end), length: end + 2 };
  };
  const release = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
  const encode = (...parts) => `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
  return {
    ...server,
    async connect() {
      const ask = await connect(port, parse);
      // While it starts it says so.
      while (/^-/.test(await ask(encode('PING')))) await delay(50);
      const token = String(Math.random());
      return {
        acquire: async (name) => (await ask(encode('SET', name, token, 'NX', 'PX', '600000'))) === '+OK',
        release: (name) => ask(encode('EVAL', release, '1', name, token)),
      };
    },
  };
}

/** @param {string} folder */
export async function startPostgres(folder) {
  const root = '/usr/lib/postgresql';
  const version = existsSync(root) && readdirSync(root).sort().at(-1);
  if (!version) return undefined;
  const program = (name) => join(root, version, 'bin', name);
  // It refuses to run as root.
  const id = (word) => Number(execFileSync('id', [word, 'postgres']));
  const who = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  if (who.uid !== undefined) {
    chownSync(folder, who.uid, who.gid);
    execFileSync('chmod', ['o+x', join(folder, '..')]);
  }
  const data = join(folder, 'data');
  execFileSync(program('initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres'], { stdio: 'ignore', cwd: folder, ...who });
  const port = await freePort();
  const words = ['-D', data, '-p', String(port), '-k', folder, '-c', 'max_connections=200'];
  const server = createServer(() => spawn(program('postgres'), words, { stdio: 'ignore', cwd: folder, ...who }));
  await server.start();
  /** All messages up to "ready for query"; the value is the first column of the first row. */
  const parse = (buffer) => {
    let value;
    for (let place = 0; place + 5 <= buffer.length;) {
      const end = place + 1 + buffer.readUInt32BE(place + 1);
      if (end > buffer.length) return undefined;
      const type = String.fromCharCode(buffer[place]);
      if (type === 'D') value = buffer.toString('utf8', place + 11, end);
      if (type === 'E') value = new Error(buffer.toString('utf8', place + 5, end));
      if (type === 'Z' || type === 'E') return { value, length: end };
      place = end;
    }
    return undefined;
  };
  const number = (name) => createHash('sha256').update(name).digest().readBigInt64BE(0);
  return {
    ...server,
    async connect() {
      for (;;) {
        const ask = await connect(port, parse);
        const parameters = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1');
        const length = Buffer.alloc(4);
        length.writeUInt32BE(parameters.length + 4);
        // While it starts it says so, and hangs up.
        if (await ask(Buffer.concat([length, parameters])) instanceof Error) {
          await delay(50);
          continue;
        }
        const query = (text) => {
          const bytes = Buffer.from(`Q\0\0\0\0${text}\0`);
          bytes.writeUInt32BE(bytes.length - 1, 1);
          return ask(bytes);
        };
        return {
          acquire: async (name) => (await query(`SELECT pg_try_advisory_lock(${number(name)})`)) === 't',
          release: (name) => query(`SELECT pg_advisory_unlock(${number(name)})`),
        };
      }
    },
  };
}
