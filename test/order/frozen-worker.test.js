/** What a worker does, and is told, since its page may be frozen: glue/platform/frozen-worker.js, for each engine. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { bundleText } from '../simulation/variant.js';

const entry = fileURLToPath(new URL('../../glue/platform/frozen-worker.js', import.meta.url));
const text = await bundleText(entry, { format: 'iife', globalName: 'parts', platform: 'neutral' }, /\/glue\/.*\.js$/, [], {
  'browser-realm.js': 'export const { clearTimeout, isSharedWorker, nativeLocks, readClock, setTimeout } = realm;',
  'engine.js': 'export const { isKnownEngine, isSpiderMonkey } = realm;',
});
const load = new Function('realm', `${text}; return parts.createFrozenWorker();`);

const ENGINES = {
  chromium: { isKnownEngine: () => true, isSpiderMonkey: () => false },
  firefox: { isKnownEngine: () => true, isSpiderMonkey: () => true },
  webkit: { isKnownEngine: () => false, isSpiderMonkey: () => false },
};

describe('a worker whose page may be frozen', () => {
  let time = 0;
  /** @type {Map<object, {callback: () => void, at: number}>} */
  let timers;

  beforeEach(() => {
    time = 0;
    timers = new Map();
  });

  /** The worker is awake for so many milliseconds. @param {number} milliseconds */
  const run = (milliseconds) => {
    const end = time + milliseconds;
    for (;;) {
      const [next] = [...timers].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
      if (!next) break;
      timers.delete(next[0]);
      time = next[1].at;
      next[1].callback();
    }
    time = end;
  };

  /** @param {keyof ENGINES} engine @param {{isSharedWorker?: boolean, nativeLocks?: any}} [more] */
  const create = (engine, { isSharedWorker = false, nativeLocks } = {}) => {
    /** @type {string[]} */
    const told = [];
    const worker = load({
      ...ENGINES[engine], isSharedWorker, nativeLocks,
      readClock: () => time,
      setTimeout(/** @type {() => void} */ callback, /** @type {number} */ milliseconds) {
        const timer = {};
        timers.set(timer, { callback, at: time + milliseconds });
        return timer;
      },
      clearTimeout: (/** @type {object} */ timer) => void timers.delete(timer),
    });
    worker.onLifecycle((/** @type {string} */ state) => told.push(state));
    return { worker, told };
  };

  it('leaves when it has nothing left to do, but a dedicated one in WebKit; in Chromium a dedicated one stays for ten seconds', () => {
    const shown = Object.keys(ENGINES).map((engine) => [false, true].map((isSharedWorker) => {
      const { worker, told } = create(/** @type {keyof ENGINES} */ (engine), { isSharedWorker });
      return told.length ? `${told} ${worker.idle}` : 'stays';
    }));
    assert.deepEqual(shown, [['hidden 10000', 'hidden 1000'], ['hidden 1000', 'hidden 1000'], ['stays', 'hidden 1000']]);
  });

  it('in WebKit was away if its connection is closed after it was frozen; a shared one still counts as hidden then', () => {
    for (const isSharedWorker of [false, true]) {
      const { worker, told } = create('webkit', { isSharedWorker });
      const first = told.length;
      const life = worker.live('name');
      run(10000);
      life.closed();
      assert.equal(told.length, first, 'its data was cleared');
      time += 900;
      life.closed();
      assert.deepEqual(told.slice(first), isSharedWorker ? ['away', 'visible', 'hidden'] : ['away', 'visible']);
      life.end();
      assert.equal(timers.size, 0);
    }
  });

  for (const engine of /** @type {const} */ (['chromium', 'firefox'])) {
    it(`in ${engine} is not told that it was away, and has no timer`, () => {
      const { worker, told } = create(engine);
      const life = worker.live('name');
      assert.equal(timers.size, 0);
      time += 10000;
      life.closed();
      life.end();
      assert.deepEqual(told, ['hidden']);
    });
  }

  /** Native locks, as `toString` shows them. @param {string} source */
  const createLocks = (source) => {
    const held = /** @type {string[]} */ ([]);
    const request = async (/** @type {string} */ name, /** @type {() => Promise<void>} */ callback) => {
      await undefined;
      held.push(name);
      await callback();
      held.splice(held.indexOf(name), 1);
    };
    request.toString = () => source;
    return { held, nativeLocks: { request } };
  };
  const settled = () => new Promise((resolve) => { setImmediate(resolve); });

  for (const engine of /** @type {const} */ (['firefox', 'chromium', 'webkit'])) {
    it(`holds ${engine === 'firefox' ? 'a native lock' : 'no native lock'} as long as a life goes on in ${engine}`, async () => {
      const native = Function.prototype.toString;
      const { held, nativeLocks } = createLocks('');
      Function.prototype.toString = function toString() {
        return this === nativeLocks.request ? 'function request() {\n    [native code]\n}' : native.call(this);
      };
      try {
        const { worker } = create(engine, { nativeLocks });
        const lives = [worker.live('one'), worker.live('two')];
        await settled();
        assert.deepEqual(held, engine === 'firefox' ? ['one', 'two'] : []);
        // Before it is granted, too.
        lives.push(worker.live('three'));
        lives.forEach((life) => life.end());
        await settled();
        assert.deepEqual(held, []);
      } finally {
        Function.prototype.toString = native;
      }
    });
  }

  it('asks no locks of a script for one', async () => {
    const { held, nativeLocks } = createLocks('');
    const { worker } = create('firefox', { nativeLocks });
    worker.live('name');
    await settled();
    assert.deepEqual(held, []);
  });
});
