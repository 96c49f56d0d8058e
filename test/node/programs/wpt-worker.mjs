/** The thread behind the `Worker` of wpt.mjs: what a worker's script may expect, made of what Node has. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import vm from 'node:vm';

const { directory, file, kind } = workerData;
const global = /** @type {any} */ (globalThis);

global.self = global;
global.postMessage = (/** @type {any} */ message) => parentPort?.postMessage(message);
global.importScripts = (/** @type {string} */ path) => load(join(dirname(file), path));
if (!global.navigator) global.navigator = new (class Navigator {})();
if (kind === 'ours') (await import('../../../glue/entries/index.js')).install({ force: true });

// A listener's `this`.
const target = Object.assign(new EventTarget(), { postMessage: global.postMessage });
global.addEventListener = target.addEventListener.bind(target);
parentPort?.on('message', (data) => target.dispatchEvent(Object.assign(new Event('message'), { data })));

const load = (/** @type {string} */ path) => vm.runInThisContext(readFileSync(join(directory, path), 'utf8'), { filename: path });
load(file);
