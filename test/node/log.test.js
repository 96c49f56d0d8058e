import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCore } from '../../glue/core/wasm.js';
import { createJournal } from '../../glue/platform/node/journal.js';
import { createSharedLog } from '../../glue/platform/node/log.js';
import { until } from './threads.js';

describe('node: the log over the journal', () => {
  /** @type {string} */
  let directory;
  /** @type {any[]} */
  let contexts = [];
  /** @type {Set<string>} */
  let living;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    living = new Set();
  });
  afterEach(() => {
    contexts.forEach(({ log }) => log.leave());
    contexts = [];
    rmSync(directory, { recursive: true });
  });

  /** A context that hears of nothing, and of nobody's death, by itself. @param {string} title */
  const start = (title) => {
    let ids = 0;
    /** @type {Map<string, () => void>} by client, how this context learns of a death */
    const watches = new Map();
    const context = {
      watches, hear() {}, warnings: /** @type {string[]} */ ([]), happened: /** @type {string[]} */ ([]),
      ask: (/** @type {string} */ name) =>
        context.log.request({ names: [name], mode: 'exclusive' }, (outcome) => void context.happened.push(outcome)),
      log: createSharedLog({
        prepare() {},
        createJournal: (parts) => createJournal({ directory, ...parts }),
        life: {
          hold: async (client) => {
            living.add(client);
            return { ref() {}, unref() {}, close: () => living.delete(client) };
          },
          watch: (client, onDeath) => {
            watches.set(client, onDeath);
            return () => watches.delete(client);
          },
          isAlive: async (client) => living.has(client),
          bury() {},
          touch() {},
          async sweep() {},
        },
        bell: {
          listen: (client, onRing) => void (context.hear = () => onRing(undefined)),
          ring() {}, stayAwake() {}, forget() {}, attend() {}, rest() {}, close() {},
        },
        now: () => performance.now(),
        wallClock: Date.now,
        randomId: () => `${title}${++ids}`,
        setTimer(callback, milliseconds) {
          const timer = setTimeout(callback, milliseconds);
          return () => clearTimeout(timer);
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

  it('a context that is declared dead learns it while it buries another, and comes again', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map(start);
    first.ask('x');
    await until(() => first.happened.length);
    second.ask('x');
    await until(() => second.watches.has('a1'));
    const asked = third.ask('x');
    await until(() => third.watches.has('b1'));
    // Whatever has made the third think so.
    living.delete('b1');
    third.watches.get('b1')?.();
    living.delete('a1');
    second.watches.get('a1')?.();
    const heard = (/** @type {() => any} */ condition) => until(() => {
      contexts.forEach((context) => context.hear());
      return condition();
    });
    await heard(() => third.happened.length && second.log.clientId() !== 'b1');
    assert.deepStrictEqual(third.happened, ['granted']);
    // It asks again, as another client.
    second.ask('y');
    await heard(() => second.happened.length);
    assert.strictEqual(second.log.clientId(), 'b2', 'it came again once');
    third.log.drop(asked);
    await heard(() => second.happened.length > 1);
    assert.deepStrictEqual(second.happened, ['granted', 'granted']);
    assert.deepStrictEqual([first, second, third].flatMap(({ warnings }) => warnings), []);
  });
});
