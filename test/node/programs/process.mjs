/**
 * A process for tests, told over its channel what to do: {hold: name}, {turns: name, witness: path, milliseconds}, {ask: name},
 * {many: name, block: path}, {some: count}, {query: true}, {signal: name} (which it sends itself right after its next entry). It answers
 * with what happens.
 */
import { spawnSync } from 'node:child_process';
import fs, { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { createLockManager } from '../../../glue/entries/index.js';

/** Leaves out the slow look of glue/platform/node/notices.js, so that nothing passes because of it. */
const SELDOM = 5000;
const { setTimeout: start } = timers;
timers.setTimeout = /** @type {any} */ ((/** @type {any} */ callback, /** @type {number} */ milliseconds) =>
  start(milliseconds === SELDOM ? () => {} : callback, milliseconds));
const { writeSync: write } = fs;
let signal = '';
fs.writeSync = /** @type {any} */ ((/** @type {any[]} */ ...parameters) => {
  const count = write(.../** @type {[any, any]} */ (parameters));
  if (signal) process.kill(process.pid, signal);
  signal = '';
  return count;
});
syncBuiltinESMExports();

const [directory, name] = process.argv.slice(2);
const locks = createLockManager({ name, scope: 'host', directory });
const tell = (/** @type {any} */ message) => process.send?.(message);

/** A killed process closes its sockets somewhat before it counts as dead. @param {number} pid */
const dies = (pid) => {
  for (let wait = 0; wait < 100; wait++) {
    try {
      process.kill(pid, 0);
      if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true;
    } catch {
      return true;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  return false;
};

/** Checks which process is inside without relying on locks. @param {string} witness */
const enter = (witness) => {
  try {
    writeFileSync(witness, String(process.pid), { flag: 'wx' });
  } catch {
    const other = Number(readFileSync(witness, 'utf8'));
    if (!dies(other)) tell({ violation: `${process.pid} enters beside ${other}` });
    writeFileSync(witness, String(process.pid));
  }
};

/** @type {Record<string, (message: any) => any>} */
const commands = {
  hold: ({ hold, options = {} }) => locks.request(hold, options, () => {
    tell({ held: hold });
    return new Promise((resolve) => process.on('message', (message) => message === 'release' && resolve(undefined)));
  }).then(() => tell({ released: hold }), (error) => tell({ rejected: error.name })),

  ask: ({ ask, options = {} }) => locks.request(ask, options, (lock) => tell(lock ? { granted: ask } : { unavailable: ask })),

  async turns({ turns, witness, milliseconds }) {
    const end = Date.now() + milliseconds;
    let count = 0;
    while (Date.now() < end) {
      await locks.request(turns, async () => {
        enter(witness);
        if (count % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        unlinkSync(witness);
      });
      if (++count % 10 === 0) tell({ count });
    }
    tell({ count, done: true });
  },

  /** Takes and releases locks of its own for ever; or, with [block], is blocked after some, in the same task, while that file exists. */
  async many({ many, block }) {
    for (let count = 0; ; count++) {
      await locks.request(`${many} ${count % 150}`, () => {});
      if (count === 500) tell({ many });
      if (count < 1000 || !block) continue;
      spawnSync('sh', ['-c', 'while [ -e "$0" ]; do sleep 0.02; done', block]);
      tell({ unblocked: many });
      return;
    }
  },

  async some({ some }) {
    for (let count = 0; count < some; count++) await locks.request(`some ${count}`, () => {});
    tell({ some });
  },

  signal(message) {
    signal = message.signal;
    tell({ signal });
  },

  async query() {
    const { held, pending } = await locks.query();
    tell({ held: held.length, pending: pending.length });
  },
};

process.on('message', (message) => {
  const command = Object.keys(commands).find((each) => message[each]);
  if (command) void commands[command](message);
});
tell('ready');
