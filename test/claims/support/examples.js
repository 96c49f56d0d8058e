/** The example clients, with the program that each needs. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const CLIENTS = { 'with-claim.sh': 'curl', 'lockkeeper_claims.py': 'python3' };

/** @param {string} name */
export const scriptOf = (name) => fileURLToPath(new URL(`../../../claims/examples/${name}`, import.meta.url));

/** A command, for a shell, that says that it runs and ends when the file $DONE is there. */
export const UNTIL_DONE = 'echo runs; until [ -e "$DONE" ]; do sleep 0.2; done';

/**
 * Runs a command while holding a claim.
 * @param {string} script
 * @param {string[]} words its options and the claim's name
 * @param {string} command for a shell
 * @param {Record<string, string | undefined>} environment beside this process's
 * @returns {Promise<{code: number, stdout: string, stderr: string}> & {begun: Promise<unknown>, ended: Promise<unknown[]>}} [begun]
 *   when the command prints, [ended] when the script ends, though the output may be held open by others
 */
export function runHolding(script, words, command, environment = {}) {
  const running = promisify(execFile)(script, [...words, 'sh', '-c', command], { env: { ...process.env, ...environment } });
  const result = running.then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  return Object.assign(result, { begun: once(running.child.stdout, 'data'), ended: once(running.child, 'exit') });
}
