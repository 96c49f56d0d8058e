/** The arguments of request(), as WebIDL converts them: before all other checks, and every failure as a rejection. */
import { linesOf, refusal } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

const nothing = () => {};

/** An options object that logs what is read. @param {string[]} log @param {Record<string, any>} members */
const observed = (log, members) => {
  const options = {};
  for (const name of ['steal', 'signal', 'mode', 'ifAvailable', 'other']) {
    Object.defineProperty(options, name, { get: () => (log.push(name), members[name]) });
  }
  return options;
};

/** @type {Table} */
export const conversion = {
  async 'needs two arguments'({ locks, assert, uniqueName }) {
    for (const given of [[], [uniqueName()], [nothing], ['-']]) {
      assert.ok(await refusal(() => locks.request(...given)) instanceof TypeError, `${given.length} arguments`);
    }
  },

  async 'counts the arguments before it converts any'({ locks, assert }) {
    let converted = false;
    const name = { toString: () => ((converted = true), 'name') };
    assert.ok(await refusal(() => locks.request(name)) instanceof TypeError);
    assert.strictEqual(converted, false);
  },

  async 'counts the arguments, and knows no other overloads'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    assert.ok(await refusal(() => locks.request(name, nothing, undefined)) instanceof TypeError, 'the callback is the third of three');
    assert.strictEqual(await locks.request(name, nothing, () => 'third'), 'third', 'a function is an object, so it can be the options');
    assert.strictEqual(await locks.request(name, {}, () => 'four', 'more'), 'four', 'what comes after is ignored');
  },

  async 'checks its receiver, by a rejection'({ locks, assert, uniqueName }) {
    const { request, query } = locks;
    for (const other of [undefined, null, {}, Object.create(locks), Object.getPrototypeOf(locks), 1]) {
      assert.ok(await refusal(() => request.call(other, uniqueName(), nothing)) instanceof TypeError);
      assert.ok(await refusal(() => query.call(other)) instanceof TypeError);
    }
  },

  async 'checks its receiver before it touches an argument'({ locks, assert }) {
    const log = /** @type {string[]} */ ([]);
    const { request } = locks;
    await refusal(() => request.call({}, { toString: () => (log.push('name'), 'x') }, nothing));
    assert.deepStrictEqual(log, []);
  },

  async 'converts the name to a string'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const object = { toString: () => name };
    for (const [given, expected] of [[null, 'null'], [undefined, 'undefined'], [12, '12'], [[name, 1], `${name},1`], [object, name]]) {
      await locks.request(given, (/** @type {any} */ lock) => assert.strictEqual(lock.name, expected));
    }
    assert.ok(await refusal(() => locks.request(Symbol('name'), nothing)) instanceof TypeError);
  },

  async 'passes on an error of the name\'s conversion, as it is'({ locks, assert }) {
    const reason = { why: 'toString' };
    assert.strictEqual(await refusal(() => locks.request({
      toString() {
        throw reason;
      },
    }, nothing)), reason);
  },

  async 'takes undefined and null as no options'({ locks, assert, uniqueName }) {
    for (const options of [undefined, null]) {
      await locks.request(uniqueName(), options, (/** @type {any} */ lock) => assert.strictEqual(lock.mode, 'exclusive'));
    }
  },

  async 'refuses options that are no object'({ locks, assert, uniqueName }) {
    for (const options of [1, 'shared', true, Symbol('options')]) {
      assert.ok(await refusal(() => locks.request(uniqueName(), options, nothing)) instanceof TypeError, typeof options);
    }
  },

  async 'reads the options in the order of their names, each once'({ locks, assert, uniqueName }) {
    const log = /** @type {string[]} */ ([]);
    await locks.request(uniqueName(), observed(log, {}), nothing);
    assert.deepStrictEqual(log, ['ifAvailable', 'mode', 'signal', 'steal']);
  },

  async 'reads inherited options too'({ locks, assert, uniqueName }) {
    const options = Object.create({ mode: 'shared' });
    await locks.request(uniqueName(), options, (/** @type {any} */ lock) => assert.strictEqual(lock.mode, 'shared'));
  },

  async 'converts each option before it reads the next'({ locks, assert, uniqueName }) {
    const bad = /** @type {[Record<string, any>, string[]][]} */ ([
      [{ mode: 'none' }, ['ifAvailable', 'mode']],
      [{ signal: {} }, ['ifAvailable', 'mode', 'signal']],
    ]);
    for (const [members, read] of bad) {
      const log = /** @type {string[]} */ ([]);
      assert.ok(await refusal(() => locks.request(uniqueName(), observed(log, members), nothing)) instanceof TypeError);
      assert.deepStrictEqual(log, read);
    }
  },

  async 'converts the name first, then the options, then the callback'({ locks, assert }) {
    const log = /** @type {string[]} */ ([]);
    const name = { toString: () => (log.push('name'), '-') };
    assert.ok(await refusal(() => locks.request(name, observed(log, {}), 'no function')) instanceof TypeError);
    assert.deepStrictEqual(log, ['name', 'ifAvailable', 'mode', 'signal', 'steal']);
  },

  async 'passes on an error of a getter, as it is'({ locks, assert, uniqueName }) {
    const reason = { why: 'getter' };
    assert.strictEqual(await refusal(() => locks.request(uniqueName(), {
      get steal() {
        throw reason;
      },
    }, nothing)), reason);
  },

  async 'knows two modes, spelt exactly, and converts its value to a string'({ locks, assert, uniqueName }) {
    for (const mode of ['', 'Exclusive', ' shared', null, 1, {}, Symbol('shared')]) {
      assert.ok(await refusal(() => locks.request(uniqueName(), { mode }, nothing)) instanceof TypeError, String(mode));
    }
    const object = { toString: () => 'shared' };
    for (const [mode, expected] of [['shared', 'shared'], [object, 'shared'], [['exclusive'], 'exclusive'], [undefined, 'exclusive']]) {
      await locks.request(uniqueName(), { mode }, (/** @type {any} */ lock) => assert.strictEqual(lock.mode, expected));
    }
  },

  async 'takes any truthy value for true'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    await locks.request(name, async () => {
      assert.strictEqual(await locks.request(name, { ifAvailable: 'yes' }, (/** @type {any} */ lock) => lock), null);
      assert.strictEqual(await locks.request(name, { ifAvailable: Symbol('yes') }, (/** @type {any} */ lock) => lock), null);
    });
    await locks.request(name, { ifAvailable: '', steal: 0, mode: 'shared' }, nothing);
  },

  async 'wants a true AbortSignal, or undefined'({ locks, global, assert, uniqueName }) {
    const { signal } = new global.AbortController();
    const imitation = { aborted: false, addEventListener: nothing, removeEventListener: nothing };
    for (const bad of [null, 'string', 1, false, {}, nothing, Symbol('signal'), imitation, global.AbortSignal.prototype]) {
      assert.ok(await refusal(() => locks.request(uniqueName(), { signal: bad }, nothing)) instanceof TypeError, typeof bad);
    }
    await locks.request(uniqueName(), { signal: undefined }, nothing);
    await locks.request(uniqueName(), { signal }, nothing);
  },

  async 'wants a callback that can be called'({ locks, assert, uniqueName }) {
    for (const callback of [undefined, null, 1, 'code', {}, Promise.resolve(), /x/]) {
      assert.ok(await refusal(() => locks.request(uniqueName(), callback)) instanceof TypeError);
      assert.ok(await refusal(() => locks.request(uniqueName(), {}, callback)) instanceof TypeError);
    }
    assert.strictEqual(await locks.request(uniqueName(), new Proxy(nothing, { apply: () => 'proxy' })), 'proxy');
  },

  async 'leaves no request behind when it refuses'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    await refusal(() => locks.request(name, {}, 'no function'));
    await refusal(() => locks.request(name, { mode: 'none' }, nothing));
    assert.deepStrictEqual(await linesOf(locks, name), []);
  },
};
