/** Processes of the operating system: starting them in a group of their own, finding, stopping and ending them by id. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { sleep, until } from './wait.js';

/**
 * The first of [names] that is there: a path, or a name to be found in PATH.
 * @param {...(string | undefined)} names
 * @returns {string | null}
 */
export function findProgram(...names) {
  for (const name of names) {
    if (!name) continue;
    const places = name.includes('/') ? [''] : (process.env.PATH ?? '').split(':');
    for (const place of places) {
      const file = path.join(place, name);
      if (fs.existsSync(file)) return file;
    }
  }
  return null;
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @type {Set<Program>} */
const running = new Set();
process.on('exit', () => { for (const program of running) program.signal('SIGKILL'); });

/** A program with all that it starts: a process group, ended as a whole. */
export class Program {
  /**
   * @param {string} command
   * @param {string[]} args
   * @param {{env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions}} [options]
   */
  constructor(command, args, { env = {}, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
    this.command = command;
    this.output = '';
    this.exited = false;
    this.child = spawn(command, args, { env: { ...process.env, ...env }, stdio, detached: true });
    for (const stream of this.child.stdio.slice(1)) {
      /** @type {import('node:stream').Readable} */ (stream)?.on('data', (data) => {
        this.output = (this.output + data).slice(-20000);
      });
    }
    this.exit = new Promise((resolve) => {
      const ended = () => { this.exited = true; resolve(undefined); };
      this.child.once('exit', ended);
      this.child.once('error', (error) => { this.output += error; ended(); });
    });
    running.add(this);
  }

  get pid() { return this.child.pid ?? -1; }

  /**
   * What the program prints, once it matches.
   * @param {RegExp} pattern
   * @param {number} milliseconds
   */
  printed(pattern, milliseconds) {
    return until(() => {
      const match = pattern.exec(this.output);
      if (!match && this.exited) throw new Error(`${this.command} ended:\n${this.output.slice(-2000)}`);
      return match;
    }, milliseconds, () => `${pattern} from ${this.command}:\n${this.output.slice(-2000)}`, 50);
  }

  /** @param {NodeJS.Signals} name */
  signal(name) {
    if (this.pid > 0) try { process.kill(-this.pid, name); } catch { /* The group has ended. */ }
  }

  /** @param {number} [grace] milliseconds to end by itself */
  async stop(grace = 3000) {
    if (!this.exited) {
      this.signal('SIGTERM');
      await Promise.race([this.exit, sleep(grace)]);
    }
    this.signal('SIGKILL');
    running.delete(this);
  }
}

/**
 * All processes below [pid], with their command lines.
 * @param {number} pid
 * @returns {{pid: number, command: string}[]}
 */
export function descendants(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const entry of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(Number(entry));
    if (parent) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = [];
  const queue = [pid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      found.push({ pid: child, command: commandLine(child) });
      queue.push(child);
    }
  }
  return found;
}

/** @param {number} pid */
function parentOf(pid) {
  const [state, parent] = statFields(pid);
  return state && state !== 'Z' ? Number(parent) : 0;
}

/**
 * The fields of /proc/PID/stat that follow the program's name.
 * @param {number} pid
 */
function statFields(pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** @param {number} pid */
function commandLine(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/**
 * Gone, or dead and only not yet collected by its parent.
 * @param {number} pid
 */
export function isDead(pid) {
  const [state] = statFields(pid);
  return !state || state === 'Z' || state === 'X';
}

/**
 * Kills one process, as the system does when memory runs out, and returns when it is dead.
 * @param {number} pid
 */
export async function killProcess(pid) {
  process.kill(pid, 'SIGKILL');
  await until(() => isDead(pid), 10000, `process ${pid} dies`, 2);
}

/**
 * How much memory a process has, in bytes.
 * @param {number} pid
 */
export function residentMemory(pid) {
  try {
    const pages = fs.readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
