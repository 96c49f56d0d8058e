import assert from 'node:assert/strict';
import { install } from '../../glue/api/install.js';

class Lock {}
class LockManager {}
const interfaces = { Lock, LockManager };
const manager = new LockManager();

/** A realm like a browser's that shares nothing with ours. @param {object} [members] */
const createRealm = (members) => {
  class Navigator {}
  return { isSecureContext: true, Navigator, navigator: new Navigator(), ...members };
};

/** A realm that has a native manager. */
const createNativeRealm = () => {
  const realm = createRealm();
  const native = {};
  Object.defineProperty(realm.Navigator.prototype, 'locks', { get: () => native, enumerable: true, configurable: true });
  return { realm, native };
};

describe('install()', () => {
  it('defines navigator.locks as a getter of the prototype', () => {
    const realm = createRealm();
    assert.equal(install(realm, manager, interfaces), manager);
    assert.equal(realm.navigator.locks, manager);
    assert.equal(realm.navigator.locks, realm.navigator.locks);
    assert.deepEqual(Object.keys(realm.navigator), []);
    const descriptor = Object.getOwnPropertyDescriptor(realm.Navigator.prototype, 'locks');
    const { get, set, enumerable, configurable } = descriptor;
    assert.deepEqual({ name: get.name, length: get.length, set, enumerable, configurable },
      { name: 'get locks', length: 0, set: undefined, enumerable: true, configurable: true });
    assert.ok(!('prototype' in get));
  });

  it('gives a getter that checks its receiver', () => {
    const realm = createRealm();
    install(realm, manager, interfaces);
    const { get } = Object.getOwnPropertyDescriptor(realm.Navigator.prototype, 'locks');
    for (const other of [undefined, null, {}, realm, realm.Navigator.prototype, Object.create(realm.navigator)]) {
      assert.throws(() => get.call(other), TypeError);
    }
    assert.equal(get.call(realm.navigator), manager);
  });

  it('defines the interface objects: not enumerable, but writable and configurable', () => {
    const realm = createRealm();
    install(realm, manager, interfaces);
    for (const name of ['Lock', 'LockManager']) {
      assert.deepEqual(Object.getOwnPropertyDescriptor(realm, name),
        { value: interfaces[name], writable: true, enumerable: false, configurable: true });
    }
  });

  it('works in a second window whose navigator has the same prototype, as in happy-dom', () => {
    for (const options of [{}, { force: true }]) {
      const first = createRealm();
      const second = createRealm({ navigator: new first.Navigator() });
      const other = new LockManager();
      install(first, manager, interfaces, options);
      assert.equal(install(second, other, interfaces, options), other);
      assert.deepEqual([first.navigator.locks === manager, second.navigator.locks === other], [true, true]);
    }
  });

  it('works in a program that extends all objects, and defines nothing else', () => {
    /** @type {any} */ (Object.prototype).extended = () => {};
    try {
      const realm = createRealm();
      install(realm, manager, interfaces);
      assert.equal(realm.navigator.locks, manager);
      assert.ok(!Object.hasOwn(realm, 'extended'));
    } finally {
      delete (/** @type {any} */ (Object.prototype).extended);
    }
  });

  it('leaves a native manager alone, and returns it', () => {
    const { realm, native } = createNativeRealm();
    assert.equal(install(realm, manager, interfaces), native);
    assert.equal(realm.navigator.locks, native);
    assert.ok(!('Lock' in realm));
  });

  it('replaces a native manager with force', () => {
    const { realm } = createNativeRealm();
    assert.equal(install(realm, manager, interfaces, { force: true }), manager);
    assert.equal(realm.navigator.locks, manager);
    assert.equal(realm.LockManager, LockManager);
  });

  it('does nothing in a context that is not secure, unless it may', () => {
    const realm = createRealm({ isSecureContext: false });
    for (const options of [undefined, {}, { force: true }]) assert.equal(install(realm, manager, interfaces, options), undefined);
    assert.ok(!('locks' in realm.navigator) && !('Lock' in realm) && !('LockManager' in realm));
    assert.equal(install(realm, manager, interfaces, { insecure: true }), manager);
    assert.equal(realm.navigator.locks, manager);
  });

  it('changes nothing if there is no navigator', () => {
    const realm = {};
    assert.equal(install(realm, manager, interfaces), manager);
    assert.deepEqual(Reflect.ownKeys(realm), []);
  });

  it('works if the prototype is frozen', () => {
    const { realm: native } = createNativeRealm();
    for (const realm of [createRealm(), native]) {
      Object.freeze(realm.Navigator.prototype);
      assert.equal(install(realm, manager, interfaces, { force: true }), manager);
      assert.equal(realm.navigator.locks, manager);
    }
  });

  it('changes no prototype that others share', () => {
    for (const navigator of [{ product: 'ReactNative' }, Object.create(null)]) {
      const realm = createRealm({ navigator });
      assert.equal(install(realm, manager, interfaces), manager);
      assert.equal(realm.navigator.locks, manager);
      assert.ok(!('locks' in Object.prototype));
    }
  });

  it('with force, replaces a property of the navigator itself', () => {
    const realm = createRealm();
    const other = {};
    Object.defineProperty(realm.navigator, 'locks', { value: other, configurable: true });
    assert.equal(install(realm, manager, interfaces), other);
    assert.equal(install(realm, manager, interfaces, { force: true }), manager);
    assert.equal(realm.navigator.locks, manager);
  });

  it('may be called again', () => {
    const realm = createRealm();
    for (const options of [{}, {}, { force: true }]) assert.equal(install(realm, manager, interfaces, options), manager);
    assert.equal(realm.navigator.locks, manager);
  });
});
