/** System calls that can be made to fail, or to be a context's last. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** What the journal calls. */
const NAMES = /** @type {const} */ ([
  'openSync', 'closeSync', 'readSync', 'writeSync', 'fstatSync', 'statSync', 'readdirSync', 'readFileSync', 'rmSync', 'mkdirSync',
]);

/**
 * @callback Watcher
 * @param {string} name of the system call
 * @param {(part?: number) => any} call makes it; a write writes [part] of its bytes alone
 * @returns {any} what the caller is given
 */

/** @type {Watcher | undefined} */
let watcher;

for (const name of NAMES) {
  const original = /** @type {any} */ (fs)[name];
  /** @type {any} */ (fs)[name] = (/** @type {any[]} */ ...given) => {
    if (!watcher) return original(...given);
    return watcher(name, (part = 1) => {
      const [descriptor, bytes, offset, length] = given;
      return part < 1 && name === 'writeSync' ? original(descriptor, bytes, offset, Math.floor(length * part)) : original(...given);
    });
  };
}
syncBuiltinESMExports();

/** The disk is full from the middle of the next write until after the one that follows it. */
export const fillDisk = () => {
  let isFirst = true;
  watcher = (name, call) => {
    if (name !== 'writeSync') return call();
    if (isFirst) {
      isFirst = false;
      return call(0.5);
    }
    watcher = undefined;
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
  };
};

/** The next [count] writes write a half of their bytes. */
export const halveWrites = (count = 1) => {
  let left = count;
  watcher = (name, call) => {
    if (name !== 'writeSync') return call();
    if (--left === 0) watcher = undefined;
    return call(0.5);
  };
};

/** All calls work again. */
export const heal = () => {
  watcher = undefined;
};

/** With what a call may fail for a while. */
const CODES = ['EIO', 'ENOSPC', 'EMFILE'];
const OUTCOMES = /** @type {const} */ (['it ends before', 'it ends after', 'fails', 'is done, and fails', 'is done in part']);

/**
 * Lets the system calls of [journal] fail now and then, and its context end at them.
 * @param {import('./simulation.js').NodeSimulation} simulation
 * @param {any} context
 * @param {any} journal
 */
export const disturb = (simulation, context, journal) => {
  const { world } = simulation;
  const end = () => {
    simulation.kill(context);
    simulation.mustSurvive(context);
  };

  /** @type {Watcher} */
  const watch = (name, call) => {
    if (!context.alive) end();
    if (simulation.ending || world.random() * simulation.seldom >= 1) return call();
    const outcome = OUTCOMES[Math.floor(world.random() * OUTCOMES.length)];
    simulation.note(context, `${name}: ${outcome}`);
    if (outcome === 'it ends before') end();
    // A descriptor is free once it was to be closed.
    const isMade = outcome !== 'fails' || name === 'closeSync';
    const result = isMade ? call(outcome === 'is done in part' ? world.random() : 1) : undefined;
    if (outcome === 'it ends after') end();
    if (outcome === 'is done in part') return result;
    throw Object.assign(new Error(`${name} fails`), { code: CODES[Math.floor(world.random() * CODES.length)], syscall: name });
  };

  for (const method of ['open', 'append', 'read', 'tidy', 'isRemoved']) {
    const original = journal[method];
    journal[method] = (/** @type {any[]} */ ...given) => {
      const before = watcher;
      watcher = watch;
      try {
        return original(...given);
      } finally {
        watcher = before;
      }
    };
  }
};
