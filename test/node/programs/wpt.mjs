/** `wpt.mjs DIR FILE ours|native` runs one .any.js of the web-platform-tests as Node runs them, and prints its results as JSON. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';

const [directory, file, kind] = process.argv.slice(2);
const global = /** @type {any} */ (globalThis);

global.self = global;
global.GLOBAL = { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false };
global.location = new URL(`https://web-platform.test/${file}`);
global.isSecureContext = true;
global.fetch = async (/** @type {string} */ url) => ({ ok: true, text: async () => readFileSync(join(directory, url), 'utf8') });
if (!global.navigator) global.navigator = new (class Navigator {})();
if (kind === 'ours') (await import('../../../glue/entries/index.js')).install({ force: true });

global.Worker = class extends EventTarget {
  /** @param {string} url */
  constructor(url) {
    super();
    const workerData = { directory, file: join(file, '..', url), kind };
    this.worker = new Worker(new URL('wpt-worker.mjs', import.meta.url), { workerData });
    this.worker.on('message', (data) => this.dispatchEvent(Object.assign(new Event('message'), { data })));
  }

  /** @param {any} message */
  postMessage(message) {
    this.worker.postMessage(message);
  }

  terminate() {
    void this.worker.terminate();
  }
};

const load = (/** @type {string} */ path) => vm.runInThisContext(readFileSync(join(directory, path), 'utf8'), { filename: path });

load('resources/testharness.js');
const answer = new Promise((resolve) => {
  global.add_completion_callback((/** @type {any[]} */ tests, /** @type {any} */ status) => resolve({
    status: status.status,
    message: status.message,
    tests: tests.map(({ name, status, message }) => ({ name, passed: status === 0, message })),
  }));
});
for (const [, script] of readFileSync(join(directory, file), 'utf8').matchAll(/^\/\/ META: script=(.*)$/gm)) {
  load(script.startsWith('/') ? script : join(file, '..', script));
}
load(file);
global.done();
console.log(JSON.stringify(await answer));
process.exit();
