/** LockManager and Lock as they look from outside, which is how the browser's own look. */

/** @typedef {import('../kit.js').Table} Table */

/** @param {any} object @param {string | symbol} key */
const flags = (object, key) => {
  const { writable, enumerable, configurable } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(object, key));
  return { writable, enumerable, configurable };
};

/** Both interfaces, with an object of each. @param {import('../kit.js').Kit} kit @returns {Promise<[string, any, any][]>} */
const interfacesOf = async ({ locks, uniqueName }) => {
  const lock = await locks.request(uniqueName(), (/** @type {any} */ given) => given);
  return [['LockManager', Object.getPrototypeOf(locks).constructor, locks], ['Lock', Object.getPrototypeOf(lock).constructor, lock]];
};

/** @param {() => any} act @param {import('../kit.js').Kit['assert']} assert @param {string} [message] */
const throwsTypeError = (act, assert, message) => {
  let thrown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof TypeError, message);
};

/** @type {Table} */
export const interfaces = {
  async 'the interfaces are functions with their name and no length'(kit) {
    for (const [name, constructor] of await interfacesOf(kit)) {
      kit.assert.strictEqual(typeof constructor, 'function');
      kit.assert.strictEqual(Object.getPrototypeOf(constructor), kit.global.Function.prototype);
      kit.assert.deepStrictEqual(Reflect.ownKeys(constructor).sort(), ['length', 'name', 'prototype']);
      kit.assert.strictEqual(constructor.name, name);
      kit.assert.strictEqual(constructor.length, 0);
      kit.assert.deepStrictEqual(flags(constructor, 'name'), { writable: false, enumerable: false, configurable: true });
      kit.assert.deepStrictEqual(flags(constructor, 'length'), { writable: false, enumerable: false, configurable: true });
      kit.assert.deepStrictEqual(flags(constructor, 'prototype'), { writable: false, enumerable: false, configurable: false });
    }
  },

  async 'no code can construct them, or call them'(kit) {
    for (const [name, constructor] of await interfacesOf(kit)) {
      throwsTypeError(() => new constructor(), kit.assert, `new ${name}`);
      throwsTypeError(() => constructor(), kit.assert, `${name}()`);
      throwsTypeError(() => Reflect.construct(constructor, [], Object), kit.assert, `${name} by Reflect`);
      throwsTypeError(() => new (class extends constructor {})(), kit.assert, `a class that extends ${name}`);
    }
  },

  async 'the prototypes have exactly the standard\'s members'(kit) {
    const members = {
      LockManager: ['constructor', 'query', 'request', Symbol.toStringTag],
      Lock: ['constructor', 'mode', 'name', Symbol.toStringTag],
    };
    for (const [name, { prototype }] of await interfacesOf(kit)) {
      // The package says what Node's console shows.
      const keys = Reflect.ownKeys(prototype).filter((key) => key !== Symbol.for('nodejs.util.inspect.custom'));
      const expected = /** @type {any} */ (members)[name];
      kit.assert.deepStrictEqual(new Set(keys), new Set(expected));
      kit.assert.strictEqual(Object.getPrototypeOf(prototype), kit.global.Object.prototype);
      kit.assert.deepStrictEqual(flags(prototype, 'constructor'), { writable: true, enumerable: false, configurable: true });
      kit.assert.deepStrictEqual(flags(prototype, Symbol.toStringTag), { writable: false, enumerable: false, configurable: true });
      kit.assert.strictEqual(prototype[Symbol.toStringTag], name);
    }
  },

  'operations have their lengths and names, and are no constructors'({ locks, assert }) {
    const prototype = Object.getPrototypeOf(locks);
    for (const [name, length] of /** @type {[string, number][]} */ ([['request', 2], ['query', 0]])) {
      const operation = prototype[name];
      assert.strictEqual(operation.name, name);
      assert.strictEqual(operation.length, length);
      assert.ok(!('prototype' in operation));
      throwsTypeError(() => new operation(), assert);
      assert.deepStrictEqual(flags(prototype, name), { writable: true, enumerable: true, configurable: true });
    }
  },

  async 'attributes are getters of the prototype, and check their receiver'(kit) {
    const { assert } = kit;
    const [, [, { prototype }, lock]] = await interfacesOf(kit);
    for (const name of ['name', 'mode']) {
      const { get, set, enumerable, configurable } = /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name));
      assert.strictEqual(get.name, `get ${name}`);
      assert.strictEqual(get.length, 0);
      assert.ok(!('prototype' in get) && set === undefined && enumerable && configurable);
      for (const other of [undefined, null, 1, {}, prototype, Object.create(lock), new Proxy(lock, {}), kit.locks, new WeakMap()]) {
        throwsTypeError(() => get.call(other), assert);
      }
      assert.strictEqual(get.call(lock), lock[name]);
      throwsTypeError(() => Object.assign(lock, { [name]: 'other' }), assert, 'read only');
    }
  },

  async 'objects have no property of their own, and say what they are'(kit) {
    for (const [name, constructor, object] of await interfacesOf(kit)) {
      kit.assert.ok(object instanceof constructor);
      kit.assert.deepStrictEqual(Reflect.ownKeys(object), []);
      kit.assert.strictEqual(Object.prototype.toString.call(object), `[object ${name}]`);
      kit.assert.strictEqual(JSON.stringify(object), '{}');
      kit.assert.ok(Object.isExtensible(object));
    }
  },

  async 'a page may give Object.prototype properties with the names of traps'({ locks, assert, global, uniqueName }) {
    const { prototype } = /** @type {any} */ (global).Object || Object;
    const traps = ['get', 'has', 'set', 'ownKeys'];
    for (const trap of traps) prototype[trap] = () => undefined;
    let granted;
    try {
      granted = locks.request(uniqueName(), (/** @type {any} */ lock) => lock.mode);
    } finally {
      for (const trap of traps) delete prototype[trap];
    }
    assert.strictEqual(await granted, 'exclusive');
  },

  async 'objects cannot be cloned'(kit) {
    const { port1, port2 } = new kit.global.MessageChannel();
    for (const [name, , object] of await interfacesOf(kit)) {
      let refused;
      try {
        port1.postMessage(object);
      } catch (error) {
        refused = error;
      }
      kit.assert.ok(refused instanceof kit.global.DOMException && refused.name === 'DataCloneError', name);
    }
    port1.close();
    port2.close();
  },
};
