/** One context of a test of the drafts: a page, or a frame in it. It has the package's entries, and keeps its locks by tag. */
import * as drafts from '/dist/drafts.mjs';
import { inspect, locks } from '/dist/lockkeeper.mjs';
import { huntIn } from '/drafts/hunt.js';

const log = async (tag, event, more) => {
  const answer = await fetch('/log', { method: 'POST', body: JSON.stringify({ tag, event, ...more }) });
  return answer.json();
};

/** @type {Map<string, {release: () => void, lock: any}>} */
const kept = new Map();
/** @type {Map<string, AbortController>} */
const controllers = new Map();

/** Requests by any face, held until release(tag); what happens is logged. */
const keep = (tag, face, scope, options = {}) => {
  const controller = new AbortController();
  controllers.set(tag, controller);
  const { abortable, tellsOfOthers, ...given } = options;
  if (abortable) given.signal = controller.signal;
  if (tellsOfOthers) given.onContention = ({ mode, scope: other }) => log(tag, 'contention', { mode, scope: other });
  const until = (lock) => {
    if (!lock) {
      void log(tag, 'unavailable');
      return undefined;
    }
    return new Promise((resolve) => {
      kept.set(tag, { release: resolve, lock });
      const { signal } = lock;
      if (signal) signal.addEventListener('abort', () => log(tag, 'lost', { reason: signal.reason && signal.reason.name }));
      void log(tag, 'granted', { scope: lock.scope || [lock.name], mode: lock.mode, fence: lock.fence });
    });
  };
  const held = async (promise) => {
    const lock = await promise;
    const done = until(lock);
    if (!lock) return undefined;
    if (lock.release) void done.then(() => lock.release());
    else lock.waitUntil(done).catch(() => {});
    return lock.released;
  };
  const faces = {
    acquire: () => drafts.acquire(scope, given, until),
    scoped: () => drafts.requestScopedLock(scope, until, given),
    explicit: () => held(drafts.requestExplicitLock(scope, given)),
    auto: () => held(drafts.requestAutoReleaseLock(scope, given)),
    flag: () => held(drafts.requestFlag(scope, given.mode || 'exclusive', given)),
    request: () => locks.request(scope, given, until),
  };
  faces[face]().then(() => log(tag, 'ended'), (error) => log(tag, error.name || String(error)));
};

const random = () => Math.random();
let hunting;

const commands = {
  ready: () => locks.query().then(() => true),
  keep,
  release: (tag) => kept.get(tag).release(),
  abort: (tag) => controllers.get(tag).abort(),
  forceRelease: (scope) => drafts.forceRelease(scope),
  queryState: () => drafts.queryState(),
  query: () => locks.query(),
  inspect: () => inspect(),
  block(milliseconds) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  },

  /** Begins; huntEnd() gives the number of requests under way, or the failure. */
  hunt(acquisitions, atOnce) {
    hunting = { open: true, failure: '' };
    huntIn({
      face: { ...drafts, locks },
      random,
      acquisitions,
      atOnce,
      // The referee is the server, where the messages of all contexts have one order.
      entered: async (scope, mode) => (await log('hunt', 'enter', { scope, mode })).token,
      left: (token) => log('hunt', 'leave', { token }),
      pause: () => Promise.resolve(),
    }).then(
      () => { hunting.open = false; },
      (error) => { hunting = { open: false, failure: String(error) }; },
    );
  },
  huntEnd: () => hunting,
};

self.actor = async (command, args) => commands[command](...args);
