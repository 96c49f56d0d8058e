/**
 * The timers, clocks, storage and channels that a page has when this file is loaded. Its scripts may replace them later, by fake timers and
 * clocks of tests or by a fake storage or channel (fake-indexeddb, polyfills). With those, this context would wait for ever, or would not
 * meet the others, and a lock would have two holders.
 */
import { global } from './realm.js';

export { readWallClock } from './wall-clock.js';

const realm = /** @type {typeof globalThis} */ (global);

export const { setTimeout, clearTimeout, fetch, Event, MessageChannel } = realm;
export let { indexedDB, IDBKeyRange, BroadcastChannel } = realm;
const { performance, navigator } = realm;
export const isSharedWorker = 'SharedWorkerGlobalScope' in realm;
/** Only workers need them. (In a second window of happy-dom, this getter throws: see ../api/install.js.) */
export const nativeLocks = realm.document ? undefined : navigator && navigator.locks;
// Servers load the bundles, too, and nothing may fail there before it is used.
const sinceStart = performance && performance.now;

/** Takes what was missing at first: a script may have provided it since. */
export const takeWhatWasMissing = () => {
  indexedDB = indexedDB || realm.indexedDB;
  IDBKeyRange = IDBKeyRange || realm.IDBKeyRange;
  BroadcastChannel = BroadcastChannel || realm.BroadcastChannel;
};

/** Milliseconds of this context's own clock. */
export const readClock = () => sinceStart.call(performance);
