/** The databases that contexts leave behind, and who deletes them: glue/platform/leftovers.js. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { bundleParts } from './realms.js';

const entry = fileURLToPath(new URL('../../glue/platform/leftovers.js', import.meta.url));
const text = await bundleParts(entry, 'export const { indexedDB, readClock, readWallClock, setTimeout } = realm;');
const load = new Function('realm', `${text}; return parts;`);

const HOUR = 3600000;
const NOW = 1e12;
const PREFIX = 'running-';

describe('databases that were left behind', () => {
  /** @type {Set<string>} */
  let databases;
  /** Those that somebody has open. @type {Set<string>} */
  let held;
  /** What was done, in order. @type {string[]} */
  let done;
  /** @type {{callback: () => void, milliseconds: number}[]} */
  let timers;
  /** The milliseconds that have passed. */
  let time = 0;

  const realm = {
    indexedDB: {
      async databases() {
        done.push('list');
        return [...databases].map((name) => ({ name }));
      },
      deleteDatabase(/** @type {string} */ name) {
        done.push(`delete ${name}`);
        const deletion = /** @type {any} */ ({});
        queueMicrotask(() => {
          if (held.has(name)) return name.endsWith('silent') || deletion.onblocked();
          databases.delete(name);
          done.push(`deleted ${name}`);
          return deletion.onsuccess && deletion.onsuccess();
        });
        return deletion;
      },
    },
    readClock: () => time,
    readWallClock: () => NOW + time,
    setTimeout: (/** @type {() => void} */ callback, /** @type {number} */ milliseconds) => void timers.push({ callback, milliseconds }),
  };
  const { createLeftovers, deleteOlder } = load(realm);

  const settled = () => new Promise((resolve) => { setImmediate(resolve); });
  /** Timers that are due, and what they begin. */
  const passTime = async () => {
    for (const { callback } of timers.splice(0)) callback();
    await settled();
  };

  /** @param {string[]} names @param {unknown} [register] what it shows */
  const lookFor = (names, register = []) => {
    databases = new Set(names);
    return createLeftovers(PREFIX, async () => {
      done.push('read');
      return register;
    });
  };
  const old = `${NOW - HOUR - 1}-old`;

  beforeEach(() => {
    [databases, held, done, timers, time] = [new Set(), new Set(), [], [], 0];
  });

  it('are deleted one after another if they are older than an hour', async () => {
    const young = `${PREFIX}${NOW - HOUR}-young`;
    lookFor([`${PREFIX}${old}`, young, `${PREFIX}${old}er`])();
    assert.deepEqual(timers.map(({ milliseconds }) => milliseconds), [1000]);
    await passTime();
    assert.deepEqual(done.filter((each) => / /.test(each)), [`${old}`, `${old}er`].flatMap((name) =>
      [`delete ${PREFIX}${name}`, `deleted ${PREFIX}${name}`]));
    assert.deepEqual([...databases], [young]);
  });

  it('stay if the register shows them, which is read after they were listed', async () => {
    lookFor([`${PREFIX}${old}`], [{ alive: old }])();
    await passTime();
    assert.deepEqual(done, ['list', 'read']);
  });

  it('are none of other names, though they look as old', async () => {
    const others = [`${old}`, `register${old}`, `another${NOW - HOUR - 1}-one`];
    lookFor(others)();
    await passTime();
    assert.deepEqual([...databases], others);
  });

  it('do not keep the next one waiting where somebody has one open, whether the browser says so or not', async () => {
    const [silent, blocked, last] = ['silent', 'blocked', 'last'].map((each) => `${PREFIX}${NOW - HOUR - 1}-${each}`);
    held = new Set([silent, blocked]);
    lookFor([silent, blocked, last])();
    await passTime();
    assert.deepEqual([...databases], [silent, blocked, last]);
    assert.deepEqual(timers.map(({ milliseconds }) => milliseconds), [1000]);
    await passTime();
    assert.deepEqual([...databases], [silent, blocked]);
  });

  it('are looked for once an hour, also where that has failed', async () => {
    const look = lookFor([]);
    const { databases: list } = realm.indexedDB;
    realm.indexedDB.databases = () => Promise.reject(new Error('no storage'));
    for (let each = 0; each < 3; each++) look();
    assert.equal(timers.length, 1);
    await passTime();
    realm.indexedDB.databases = list;
    time = HOUR - 1;
    look();
    assert.equal(timers.length, 0);
    time = HOUR;
    look();
    assert.equal(timers.length, 1);
    await passTime();
    assert.deepEqual(done, ['list', 'read']);
  });

  it('are not looked for where the browser does not list databases', () => {
    const { databases: list } = realm.indexedDB;
    delete (/** @type {any} */ (realm.indexedDB).databases);
    lookFor([`${PREFIX}${old}`])();
    realm.indexedDB.databases = list;
    assert.equal(timers.length, 0);
  });

  it('and those of all who were there before, and of nobody else, are deleted by who waits for the register', async () => {
    const [before, own, later] = [NOW - 1, NOW, NOW + 1].map((at) => `${at}-id`);
    databases = new Set([`${PREFIX}${before}`, `${PREFIX}${own}`, `${PREFIX}${later}`, `other-${before}`, 'register']);
    await deleteOlder(PREFIX, own);
    assert.deepEqual(done.filter((each) => /^delete /.test(each)), [`delete ${PREFIX}${before}`]);
  });
});
