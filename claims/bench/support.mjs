/** What the benches share: the service as a process, a client that takes little of the machine, and figures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../source/cli.js', import.meta.url));

/** @param {string[]} options */
export async function startProcess(options) {
  const began = performance.now();
  const child = spawn(process.execPath, [COMMAND, '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('"msg":"ready"') && resolve(JSON.parse(line).url));
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    url,
    seconds: (performance.now() - began) / 1000,
    /** Megabytes that it has in memory. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    /** Seconds of processor time that it has used. */
    processor: () => processorOf(child.pid),
    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

/**
 * Seconds of processor time that a process has used.
 * @param {number} pid
 */
export function processorOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Connections that stay open, each with one request at a time. Node's own client takes as much of the processor as the service.
 * @param {string} url
 */
export function createClient(url) {
  const { hostname, port, host } = new URL(url);
  /** @type {ReturnType<typeof connect>[]} those that have nothing to do */
  const idle = [];
  const all = new Set();

  function connect() {
    const socket = net.connect(Number(port), hostname).setNoDelay();
    /** @type {{began: number, resolve: (answer: any) => void, reject: (error: Error) => void} | undefined} */
    let asked;
    let bytes = Buffer.alloc(0);
    const lose = (/** @type {Error} */ error) => {
      all.delete(socket);
      if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
      asked?.reject(error);
      asked = undefined;
    };
    socket.on('error', lose);
    socket.on('close', () => lose(new Error('the connection has ended')));
    socket.on('data', (data) => {
      bytes = bytes.length > 0 ? Buffer.concat([bytes, data]) : data;
      const answer = asked && parse(bytes);
      if (!asked || !answer) return;
      const { began, resolve } = asked;
      asked = undefined;
      bytes = Buffer.alloc(0);
      idle.push(connection);
      resolve({ ...answer, milliseconds: performance.now() - began });
    });
    all.add(socket);
    const connection = {
      /** @param {string} text */
      ask: (text) => new Promise((resolve, reject) => {
        asked = { began: performance.now(), resolve, reject };
        socket.write(text);
      }),
    };
    return connection;
  }

  return {
    /**
     * @param {string} method
     * @param {string} path
     * @param {object} [body]
     * @returns {Promise<{status: number, text: string, milliseconds: number}>}
     */
    ask(method, path, body) {
      const text = body ? JSON.stringify(body) : '';
      const more = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : '';
      return (idle.pop() ?? connect()).ask(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n${text}`);
    },
    close() {
      for (const socket of all) socket.destroy();
    },
  };
}

/**
 * @param {Buffer} bytes
 * @returns {{status: number, text: string} | undefined} undefined while they are no whole answer
 */
function parse(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const body = bytes.subarray(end + 4);
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    let text = '';
    for (let place = 0; ;) {
      const line = body.indexOf('\r\n', place);
      const size = line < 0 ? NaN : parseInt(body.toString('latin1', place, line), 16);
      if (size === 0) return { status, text };
      if (!(line + 4 + size <= body.length)) return undefined;
      text += body.toString('utf8', line + 2, line + 2 + size);
      place = line + 4 + size;
    }
  }
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return body.length < length ? undefined : { status, text: body.toString('utf8') };
}

/** @param {number[]} values */
export function figures(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
