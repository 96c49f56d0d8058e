import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { buildSync } from 'esbuild';
import { rejection } from './kit.js';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** An entry as one script of ES2017, over a log in memory. */
const scriptOf = (entry) => buildSync({
  entryPoints: [pathOf(`../../glue/entries/${entry}.js`)],
  alias: { '#place': pathOf('memory-place.js') },
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'entry',
  target: 'es2017',
  write: false,
}).outputFiles[0].text;

const scripts = Object.fromEntries(['index', 'auto', 'script'].map((entry) => [entry, scriptOf(entry)]));

/** A new realm with only the language and [members]. */
const createRealm = (members = {}) => vm.createContext(Object.assign(Object.create(null), members));

const createBrowser = (members = {}) => {
  class Navigator {}
  const offered = { isSecureContext: true, navigator: new Navigator(), queueMicrotask, structuredClone, DOMException };
  const realm = createRealm({ ...offered, ...members });
  realm.self = realm;
  return realm;
};

const createDocument = (dataset) => {
  const document = { currentScript: dataset && { dataset } };
  document.defaultView = { document };
  return document;
};

describe('the package entries', () => {
  describe('index', () => {
    it('exports the surface, and nothing else', () => {
      const realm = createBrowser();
      vm.runInContext(scripts.index, realm);
      assert.deepEqual(Object.keys(realm.entry).sort(), [
        'Lock', 'LockManager', 'createLockManager', 'inspect', 'install', 'internal', 'locks',
      ]);
      assert.ok(vm.runInContext('entry.locks instanceof entry.LockManager', realm));
      assert.equal(realm.entry.LockManager.name, 'LockManager');
    });

    it('can be loaded in an empty realm, and changes nothing there', () => {
      const realm = createRealm();
      vm.runInContext(scripts.index, realm);
      const before = new Set(Reflect.ownKeys(vm.runInNewContext('globalThis')));
      assert.deepEqual(Reflect.ownKeys(vm.runInContext('globalThis', realm)).filter((key) => !before.has(key)), ['entry']);
      assert.equal(vm.runInContext('entry.install()', realm), realm.entry.locks);
    });

    it('loading it changes no prototype and no navigator', () => {
      const realm = createBrowser();
      vm.runInContext(scripts.index, realm);
      assert.ok(!('locks' in realm.navigator) && !('Lock' in realm) && !('LockManager' in realm));
    });

    it('gives a manager that works', async () => {
      const realm = createBrowser();
      vm.runInContext(scripts.index, realm);
      const { locks, inspect } = realm.entry;
      const report = await locks.request('a', async () => inspect());
      assert.deepEqual(Array.from(report.members, ({ held }) => Array.from(held, ({ names }) => [...names])), [[['a']]]);
    });

    it('createLockManager: one name, one manager; other names, other locks', async () => {
      const realm = createBrowser();
      vm.runInContext(scripts.index, realm);
      const { createLockManager, locks } = realm.entry;
      const [one, again, other] = ['x', 'x', 'y'].map((name) => createLockManager({ name }));
      const isFree = (manager) => manager.request('a', { ifAvailable: true }, (lock) => lock !== null);
      await one.request('a', async () => {
        const tried = [again, other, locks].map(isFree);
        assert.deepEqual(await Promise.all(tried), [false, true, true]);
      });
    });

    it('createLockManager: a name is required', () => {
      const realm = createBrowser();
      vm.runInContext(scripts.index, realm);
      for (const options of ['undefined', '{}', "{name: ''}", '{name: undefined}', "{name: Symbol('name')}"]) {
        const attempt = `try { entry.createLockManager(${options}) } catch (error) { error instanceof TypeError }`;
        assert.ok(vm.runInContext(attempt, realm), options);
      }
    });
  });

  describe('auto', () => {
    it('installs when it is loaded', async () => {
      const realm = createBrowser();
      vm.runInContext(scripts.auto, realm);
      assert.equal(await realm.navigator.locks.request('a', (lock) => lock.name), 'a');
      assert.equal(realm.Lock.name, 'Lock');
    });

    it('leaves a native manager alone, and a context that is not secure', () => {
      const native = { native: true };
      const realm = createBrowser({ navigator: { locks: native } });
      vm.runInContext(scripts.auto, realm);
      assert.equal(realm.navigator.locks, native);
      const insecure = createBrowser({ isSecureContext: false });
      vm.runInContext(scripts.auto, insecure);
      assert.ok(!('locks' in insecure.navigator));
    });

    it('throws nowhere', () => {
      const realm = createRealm();
      vm.runInContext(scripts.auto, realm);
      assert.ok(!('navigator' in realm) && !('LockManager' in realm));
    });
  });

  describe('script', () => {
    const native = { native: true };
    const replaces = (members) => {
      const realm = createBrowser({ navigator: { locks: native }, ...members });
      vm.runInContext(scripts.script, realm);
      return realm.navigator.locks !== native;
    };
    const installs = (members) => {
      const realm = createBrowser({ isSecureContext: false, ...members });
      vm.runInContext(scripts.script, realm);
      return 'locks' in realm.navigator;
    };

    it('installs if the locks are missing, in a page or a worker', () => {
      assert.ok(installs({ isSecureContext: true }));
      assert.ok(installs({ isSecureContext: true, document: createDocument({}) }));
    });

    it('replaces a native manager if its tag or the setting says so', () => {
      for (const members of [{}, { document: createDocument({}) }, { document: createDocument(null) }]) assert.ok(!replaces(members));
      assert.ok(!replaces({ LOCKKEEPER: {} }) && !replaces({ LOCKKEEPER: { insecure: true } }));
      assert.ok(replaces({ document: createDocument({ force: '' }) }));
      assert.ok(replaces({ LOCKKEEPER: { force: true } }));
      assert.ok(replaces({ LOCKKEEPER: { force: true }, document: createDocument({}) }));
    });

    it('installs in a context that is not secure if its tag or the setting says so', () => {
      for (const members of [{}, { document: createDocument({}) }, { LOCKKEEPER: { force: true } }]) assert.ok(!installs(members));
      assert.ok(installs({ document: createDocument({ insecure: '' }) }));
      assert.ok(installs({ LOCKKEEPER: { insecure: true } }));
    });

    it('a document that is no longer shown has no locks', async () => {
      const document = createDocument({});
      const realm = createBrowser({ document });
      vm.runInContext(scripts.script, realm);
      document.defaultView = null;
      assert.equal((await rejection(realm.navigator.locks.query())).name, 'InvalidStateError');
    });
  });
});
