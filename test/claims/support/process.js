/** The service as a process of its own, started by its command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const COMMAND = fileURLToPath(new URL('../../../claims/source/cli.js', import.meta.url));

/**
 * @param {string[]} options
 * @param {object} [how]
 * @param {string[]} [how.prefix] a command that runs the command
 * @param {number} [how.uid]
 * @param {Record<string, string>} [how.environment]
 */
export async function startProcess(options, { prefix = [], uid, environment = {} } = {}) {
  const [command, ...words] = [...prefix, process.execPath, COMMAND, '--port', '0', ...options];
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], uid, env: { ...process.env, ...environment } });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (data) => (errors += data));
  const lines = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) resolve(JSON.parse(line).url);
    });
    child.on('error', reject);
    // Once its streams are read to their ends.
    child.on('close', (code, signal) => {
      reject(Object.assign(new Error(`it ended (${code ?? signal}): ${errors}`), { code, errors, lines }));
    });
  });
  return {
    url,
    child,
    lines,
    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code] = await exited;
      return { code, errors };
    },
  };
}

/**
 * Expects the command to fail, and returns its output.
 * @param {string[]} options
 * @param {Parameters<typeof startProcess>[1]} [how]
 * @returns {Promise<{code: number, errors: string}>}
 */
export async function failToStart(options, how) {
  try {
    const started = await startProcess(options, how);
    await started.stop('SIGKILL');
  } catch (error) {
    if ('errors' in error) return error;
    throw error;
  }
  throw new Error('it has started');
}
