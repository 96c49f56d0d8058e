/**
 * What Node's own locks get wrong, one scenario each: `scenarios.mjs NAME ours|native` prints what happened. Every scenario runs in a
 * process of its own, since some end it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const [name, kind] = isMainThread ? process.argv.slice(2) : workerData;
const locks = kind === 'native' ? navigator.locks : (await import('../../../glue/entries/index.js')).locks;

const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const never = () => new Promise(() => {});
/** @type {Worker[]} */
const threads = [];

/** @param {string} role @returns {Promise<Worker>} after its first message */
const thread = async (role) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: [`${name}:${role}`, kind] });
  threads.push(worker);
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return worker;
};

const tell = (/** @type {any} */ message) => parentPort?.postMessage(message);

/** What never comes is awaited for this long; what comes may be late on a busy machine. */
const PATIENCE = kind === 'native' ? 2000 : 15000;

/** Settles as [promise] does, or with 'nothing' some time later. @param {Promise<any>} promise */
const within = (promise, milliseconds = PATIENCE) =>
  Promise.race([promise.catch((error) => `${error.name}`), sleep(milliseconds).then(() => 'nothing')]);

const holder = () => locks.request('x', () => {
  tell('held');
  return never();
});

/** @type {Record<string, () => any>} */
const roles = {
  'terminated-holder:holder': holder,
  'terminated-holder:waiter': () => {
    void locks.request('x', () => tell('granted'));
    tell('asked');
  },
  'steal-across-threads:holder': () => holder().catch((error) => tell(error.name)),
  'query-all-threads:holder': holder,
  'query-all-threads:waiter': () => {
    void locks.request('x', never);
    tell('asked');
  },
  'reader-does-not-overtake:reader': () => {
    void locks.request('x', { mode: 'shared' }, () => tell('reader 1'));
    tell('asked');
  },
  'waiting-costs-nothing:holder': holder,
  'waiting-costs-nothing:waiter': () => {
    void locks.request('x', never);
    tell('asked');
  },
  'waiter-ends:waiter': () => {
    void locks.request('x', never);
    tell('asked');
  },
};

/** @type {Record<string, () => Promise<any>>} */
const scenarios = {
  async 'terminated-holder'() {
    const worker = await thread('holder');
    const waiter = await thread('waiter');
    const granted = new Promise((resolve) => waiter.once('message', resolve));
    await sleep(100);
    await worker.terminate();
    return within(granted);
  },

  async 'steal-across-threads'() {
    const worker = await thread('holder');
    const told = new Promise((resolve) => worker.once('message', resolve));
    const thief = await within(locks.request('x', { steal: true }, () => 'granted'));
    return [thief, await within(told)];
  },

  async 'throw-in-callback'() {
    const thrown = await within(locks.request('x', () => {
      throw new RangeError('on purpose');
    }));
    return [thrown, await within(locks.request('x', () => 'granted'))];
  },

  async 'abort-leaves-the-queue'() {
    void locks.request('x', never);
    const controller = new AbortController();
    const aborted = locks.request('x', { signal: controller.signal }, never);
    await sleep(50);
    controller.abort();
    const reason = await within(aborted);
    return [reason, (await locks.query()).pending.length];
  },

  async 'query-all-threads'() {
    await thread('holder');
    await thread('waiter');
    await sleep(100);
    const { held, pending } = await locks.query();
    return [held.map((lock) => lock.name), pending.map((lock) => lock.name)];
  },

  async 'callback-not-inside-request'() {
    let inside = true;
    const seen = locks.request('x', () => inside);
    inside = false;
    return within(seen);
  },

  async 'callback-continues-its-request'() {
    const storage = new AsyncLocalStorage();
    const users = ['alice', 'bob', 'carol'];
    return within(Promise.all(users.map((user) => storage.run(user, () => locks.request('x', async () => storage.getStore())))));
  },

  async 'reader-does-not-overtake'() {
    const order = /** @type {string[]} */ ([]);
    let release = () => {};
    void locks.request('x', () => new Promise((resolve) => (release = () => resolve(undefined))));
    const worker = await thread('reader');
    const first = new Promise((resolve) => worker.once('message', resolve)).then(() => order.push('reader 1'));
    await sleep(300);
    const writer = locks.request('x', () => sleep(200).then(() => order.push('writer')));
    const reader = locks.request('x', { mode: 'shared' }, () => void order.push('reader 3'));
    await sleep(200);
    release();
    await within(Promise.all([first, writer, reader]));
    return order;
  },

  async 'waiting-costs-nothing'() {
    await thread('holder');
    for (let count = 0; count < 2; count++) await thread('waiter');
    // Threads take a while to start. Idle ones show it in some second, polling ones in none. This measures the processor's time, which
    // a busy machine does not take.
    let share = 1;
    for (let second = 0; second < 6 && share >= 0.01; second++) {
      const before = process.cpuUsage();
      await sleep(1000);
      const { user, system } = process.cpuUsage(before);
      share = (user + system) / 1e6;
    }
    return share < 0.01 ? 'idle' : `${(share * 100).toFixed(1)} % of a core`;
  },

  async 'waiter-ends'() {
    let release = () => {};
    const done = locks.request('x', () => new Promise((resolve) => (release = () => resolve('done'))));
    const worker = await thread('waiter');
    const last = locks.request('x', () => 'granted');
    await sleep(100);
    await worker.terminate();
    release();
    return [await within(done), await within(last)];
  },

  /** Nothing else keeps this process alive. */
  async 'pending-keeps-alive'() {
    void locks.request('x', () => sleep(50));
    setTimeout(() => {}, 300).unref();
    await sleep(10);
    return locks.request('x', () => 'granted');
  },
};

if (isMainThread) {
  console.log(JSON.stringify(await scenarios[name]()));
  process.exit();
} else {
  // With Node's own locks, a thread that only holds or waits would end.
  setInterval(() => {}, 1000);
  roles[name]();
}
