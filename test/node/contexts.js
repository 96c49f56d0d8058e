/** Contexts of Node's log in one thread, over a real journal. The test says which of them live and which hear what. */
import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCore } from '../../glue/core/wasm.js';
import { createJournal } from '../../glue/platform/node/journal.js';
import { createSharedLog } from '../../glue/platform/node/log.js';
import { arrivalsAmong } from './arrivals.js';
import { until } from './threads.js';

/** New ones for each test of the suite that calls this. */
export const useContexts = () => {
  /** @type {string} */
  let directory;
  /** @type {any[]} */
  let contexts = [];
  /** @type {Set<string>} */
  let living;
  /** @type {Map<unknown, boolean>} see ./arrivals.js */
  let heard;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    living = new Set();
    heard = new Map();
  });
  afterEach(() => {
    contexts.forEach(({ log }) => log.leave());
    contexts = [];
    rmSync(directory, { recursive: true });
  });

  /**
   * A context that hears of nothing, not even of a death, by itself.
   * @param {string} title
   * @param {{clock?: number, fault?: (what: 'append' | 'read' | 'hold') => any, strangers?: () => Promise<boolean>,
   *     atEnd?: () => void}} [options] [clock]:
   *     its clock is so much ahead; [fault]: what system calls throw, if any; [strangers]: whether contexts with other formats live;
   *     [atEnd] is called when its life ends, and may throw
   */
  const start = (title, { clock = 0, fault = () => undefined, strangers = async () => false, atEnd = () => {} } = {}) => {
    const mayFail = (/** @type {'append' | 'read' | 'hold'} */ what) => {
      const error = fault(what);
      if (error) throw error;
    };
    let ids = 0;
    /** @type {Map<string, () => void>} by client, how this context learns of a death */
    const watches = new Map();
    const context = {
      watches, hear() {}, keepsAlive: false, warnings: /** @type {string[]} */ ([]), happened: /** @type {string[]} */ ([]),
      /** The clients for which it has rung. */
      rung: /** @type {string[]} */ ([]),
      /** The timers that keep its thread alive. */
      keepers: new Set(),
      ask: (/** @type {string} */ name, /** @type {any} */ options) => context.log.request(
        { names: [name], mode: 'exclusive', ...options },
        (outcome, fence, reason) => void context.happened.push(reason ? `${outcome}: ${reason.message}` : outcome)),
      log: createSharedLog({
        prepare() {},
        createJournal(parts) {
          const journal = createJournal({ directory: () => directory, ...parts });
          return {
            ...journal,
            append(record) {
              mayFail('append');
              journal.append(record);
            },
            read() {
              mayFail('read');
              journal.read();
            },
          };
        },
        life: {
          hold: async (client) => {
            mayFail('hold');
            living.add(client);
            let open = true;
            return {
              ref: () => void (context.keepsAlive = true),
              unref: () => void (context.keepsAlive = false),
              close() {
                context.keepsAlive = false;
                assert.ok(open, 'closed twice');
                open = false;
                living.delete(client);
              },
            };
          },
          watch: (client, onDeath) => {
            watches.set(client, onDeath);
            return () => watches.delete(client);
          },
          isAlive: async (client) => living.has(client),
          bury() {},
          touch() {},
          hasOthers: (client) => [...living].some((each) => each !== client),
          hasStrangers: strangers,
          async sweep() {},
        },
        arrivals: arrivalsAmong(heard, title),
        bell: {
          listen: (client, { rung }) => void (context.hear = () => rung(undefined, () => {})),
          ring: (client) => void context.rung.push(client), ringAll() {}, stayAwake() {}, forget() {}, close: () => atEnd(),
        },
        now: () => performance.now() + clock,
        wallClock: Date.now,
        randomId: () => `${title}${++ids}`,
        setTimer(callback, milliseconds, keepsAlive = false) {
          const timer = setTimeout(callback, milliseconds);
          if (keepsAlive) context.keepers.add(timer);
          return () => {
            context.keepers.delete(timer);
            clearTimeout(timer);
          };
        },
        afterTask: setImmediate,
        defer: queueMicrotask,
        warn: (text) => void context.warnings.push(text),
        keepAlive: true,
      }, createCore),
    };
    contexts.push(context);
    return context;
  };

  /** [first], the context `a1`, holds a lock, and [second] waits for it, and watches. Returns the held request. */
  const queue = async (/** @type {any} */ first, /** @type {any} */ second) => {
    const held = first.ask('x');
    await until(() => first.happened.length);
    second.ask('x');
    await until(() => second.watches.has('a1'));
    return held;
  };

  /** `a1` dies, and [watcher] is told. */
  const die = (/** @type {any} */ watcher) => {
    living.delete('a1');
    const tell = watcher.watches.get('a1');
    watcher.watches.delete('a1');
    tell?.();
  };

  return { start, queue, die, contexts: () => contexts, living: () => living, heard: () => heard, directory: () => directory };
};
