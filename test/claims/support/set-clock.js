/**
 * A clock that a test sets, for a service in this process and for the example clients. Leases last as long as the test wants, however slow
 * the machine is.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../../claims/source/clock.js';

/**
 * @typedef {object} SetClock
 * @property {string} folder for files of the test; it is removed afterwards
 * @property {(seconds: number) => void} advance
 * @property {Clock} clock the service's
 * @property {Record<string, string>} environment what a client needs beside this process's
 */

/**
 * [use] with a clock that stands still until it is advanced.
 * @param {(time: SetClock) => unknown} use
 */
export async function withSetClock(use) {
  const folder = await mkdtemp(join(tmpdir(), 'claims-'));
  const file = join(folder, 'now');
  let seconds = 0;
  const advance = (/** @type {number} */ more) => {
    seconds += more;
    // Every reader reads all of it.
    writeFileSync(`${file}.next`, `${seconds}\n`);
    renameSync(`${file}.next`, file);
  };
  advance(1000);
  // with-claim.sh cuts the seconds out of /proc/uptime.
  await writeFile(join(folder, 'cut'), `#!/bin/sh\nexec cat '${file}'\n`, { mode: 0o755 });
  await writeFile(join(folder, 'sitecustomize.py'), `import time\ntime.clock_gettime = lambda clock: float(open('${file}').read())\n`);
  try {
    await use({
      folder, advance, clock: new Clock({ monotonic: () => seconds * 1000, boot: null }),
      environment: { PATH: `${folder}:${process.env.PATH}`, PYTHONPATH: folder },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
