/** `keep-alive.mjs CASE` prints whether it lived until the release, or had ended before. Nothing but a lock keeps it alive. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Worker, isMainThread } from 'node:worker_threads';
import { acquire, forceRelease, requestExplicitLock } from '../../../glue/entries/drafts.js';
import { createLockManager, locks } from '../../../glue/entries/index.js';
import { tryAcquire } from '../../../glue/entries/patterns.js';

let lived = false;
process.on('exit', () => isMainThread && console.log(lived ? 'lived' : 'ended'));

/** A lock that is held for a while, by something that keeps nothing alive. */
const whileAlive = () => new Promise((resolve) => setTimeout(() => {
  lived = true;
  resolve(undefined);
}, 1000).unref());

/** @param {'writeSync' | 'openSync'} name what finds a full disk from now on @param {number} [milliseconds] for this long */
const failIn = (name, milliseconds) => {
  const original = /** @type {any} */ (fs)[name];
  const change = (/** @type {any} */ call) => {
    /** @type {any} */ (fs)[name] = call;
    syncBuiltinESMExports();
  };
  change(() => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: name });
  });
  if (milliseconds) setTimeout(() => change(original), milliseconds).unref();
};

const granted = () => {
  lived = true;
  console.log('granted');
};

/** @type {Record<string, () => void>} */
const cases = {
  import: () => {},
  holds: () => void locks.request('x', whileAlive),
  'holds, keepAlive false': () => void createLockManager({ keepAlive: false }).request('x', whileAlive),
  waits: () => {
    // The thread that holds does not keep the process alive.
    const worker = new Worker(new URL(import.meta.url), { argv: ['holder'] });
    worker.once('message', () => {
      worker.unref();
      void locks.request('x', granted);
    });
  },
  'waits, keepAlive false': () => {
    const worker = new Worker(new URL(import.meta.url), { argv: ['holder'] });
    worker.once('message', () => {
      worker.unref();
      void createLockManager({ keepAlive: false }).request('x', granted);
    });
  },
  'holds a handle': () => void requestExplicitLock('x'),
  'holds a handle of tryAcquire()': () => void tryAcquire('x').then(async (handle) => {
    await whileAlive();
    handle?.release();
  }),
  'holds a handle of tryAcquire(), keepAlive false': () => void tryAcquire('x', { locks: createLockManager({ keepAlive: false }) })
    .then(whileAlive),
  'waits for a handle': () => {
    const worker = new Worker(new URL(import.meta.url), { argv: ['holder'] });
    worker.once('message', () => {
      worker.unref();
      void requestExplicitLock('x').then(granted);
    });
  },
  // Once the handle is lost or released, nothing is left of it that could count.
  'holds after handles': async () => {
    (await requestExplicitLock('x')).release();
    const lost = await requestExplicitLock('x');
    await forceRelease('x');
    await lost.released.catch(() => {});
    void requestExplicitLock('x');
    void locks.request('y', whileAlive);
  },
  'has held': () => void locks.request('x', () => {}),
  'waits for itself': () => void locks.request('x', { mode: 'shared' }, () => locks.request('x', granted)),
  // Locks with a lease end by themselves.
  'waits for a handle of its own that has a lease': () => void requestExplicitLock('x', { hold: 300 })
    .then(() => requestExplicitLock('x')).then(granted),
  'waits for itself, and has a lease': () => void acquire('x', { hold: 300 }, () => acquire('x', granted)).catch(() => {}),
  'waits for itself and for another thread': () => {
    void locks.request('y', () => locks.request('y', granted));
    cases.waits();
  },
  // It stays alive because it holds another lock.
  'waits for itself, later': () => {
    void locks.request('y', () => locks.request('y', granted));
    void locks.request('x', whileAlive);
  },
  'waits for a query': () => void locks.query().then(() => console.log('answered')),
  'has held, and the disk is full': () => void locks.request('x', () => failIn('writeSync')),
  'has asked in vain, and the disk is full': () => {
    const controller = new AbortController();
    failIn('openSync');
    locks.request('x', { signal: controller.signal }, granted).catch(() => console.log('aborted'));
    setTimeout(() => controller.abort(), 300);
  },
  'asks, and the disk is full for a while': () => {
    failIn('openSync', 300);
    void locks.request('x', granted);
  },
  'asks again, and the disk is full for a while': async () => {
    await locks.request('x', () => {});
    failIn('writeSync', 300);
    void locks.request('x', granted);
  },
  async holder() {
    const { parentPort } = await import('node:worker_threads');
    await locks.request('x', () => {
      parentPort?.postMessage('held');
      return new Promise((resolve) => setTimeout(resolve, 1000));
    });
  },
};

cases[process.argv[2]]();
