/** What the benches share: the service as a process, a lean client, and figures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
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
    processor() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

/** @param {string} url */
export function createClient(url) {
  const { hostname, port } = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  return {
    /**
     * @param {string} method
     * @param {string} path
     * @param {object} [body]
     * @returns {Promise<{status: number, text: string, milliseconds: number}>}
     */
    ask: (method, path, body) => new Promise((resolve, reject) => {
      const began = performance.now();
      const text = body && JSON.stringify(body);
      const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {};
      const request = http.request({ hostname, port, agent, method, path, headers }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          resolve({ status: response.statusCode, text: Buffer.concat(parts).toString(), milliseconds: performance.now() - began });
        });
      });
      request.on('error', reject);
      request.end(text);
    }),
    close: () => agent.destroy(),
  };
}

/** @param {number[]} values */
export function figures(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
