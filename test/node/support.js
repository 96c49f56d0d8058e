/** Programs run by tests. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** @param {string} path in the project */
export const at = (path) => fileURLToPath(new URL(path, root));

/**
 * @param {string} program
 * @param {string[]} parameters
 * @param {{timeout?: number, cwd?: string, env?: Record<string, string>}} [options]
 * @returns {Promise<{code: number | null, signal: string | null, out: string, error: string}>} SIGKILL after [timeout]
 */
export const runProgram = (program, parameters, { timeout = 30000, cwd, env = {} } = {}) => new Promise((resolve) => {
  const child = spawn(program, parameters, { cwd, env: { ...process.env, ...env } });
  let out = '';
  let error = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (error += data));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
  child.on('close', (code, signal) => {
    clearTimeout(timer);
    resolve({ code, signal, out, error });
  });
});

/** @param {string} node @param {string} program in test/node/programs @param {string[]} parameters */
export const run = (node, program, parameters = []) =>
  runProgram(node, ['--no-warnings', at(`test/node/programs/${program}`), ...parameters], { timeout: 60000 });

/** The last line of what a program has printed, as JSON. @param {{out: string}} result */
export const answerOf = ({ out }) => {
  const line = out.trim().split('\n').pop() || 'null';
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
};

/** @param {number} atOnce @returns {<T>(job: () => Promise<T>) => Promise<T>} runs at most so many jobs at a time */
export const createQueue = (atOnce) => {
  let free = atOnce;
  /** @type {(() => void)[]} */
  const waiting = [];
  return async (job) => {
    if (free) free--;
    else await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
};
