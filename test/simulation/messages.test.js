/** Messages in pages whose scripts have changed the prototypes of arrays and objects. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { fromMessage, toMessage } from '../../glue/log/messages.js';
import { isDeserted, recordOf } from '../../glue/log/register.js';

describe('messages, where a page has changed the prototypes of arrays and objects', () => {
  const { reduce } = Array.prototype;
  afterEach(() => {
    delete (/** @type {any} */ (Array.prototype).toJSON);
    delete (/** @type {any} */ (Object.prototype).toJSON);
    delete (/** @type {any} */ (Object.prototype).dead);
    Object.defineProperty(Array.prototype, 'reduce', { value: reduce, configurable: true, writable: true });
  });

  const operations = [
    { client: undefined, type: 'request', names: ['a "name"', '\ud800', ''], mode: 'shared', steal: true, wait: 0.5, number: 1 },
    { type: 'drop', request: 1, number: 2 },
  ];
  const values = ['log', 3, 2 ** 32 - 1, 1700000000153, 0, operations];

  for (const prototype of [Array.prototype, Object.prototype]) {
    it(`${prototype === Array.prototype ? 'arrays' : 'objects'} have a toJSON() of their own`, () => {
      const text = toMessage('operations', 'client', values);
      /** @type {any} */ (prototype).toJSON = function toJSON() { return JSON.stringify(String(this)); };
      const other = toMessage('operations', 'client', values);
      assert.ok(other === text, `${other} instead of ${text}`);
      assert.ok(fromMessage(other), 'it can be read');
    });
  }

  it('arrays have a toJSON() of their own, and a function is left out', () => {
    /** @type {any} */ (Array.prototype).toJSON = () => '';
    const [, , , , , , , , [operation]] = JSON.parse(String(toMessage('operations', 'client', [
      'log', 3, 0, 0, 0, [{ type: 'drop', request: 0, number: 2, resolve() {} }]])));
    assert.ok(!('resolve' in operation) && operation.number === 2);
  });

  it('objects have a member `dead`', () => {
    /** @type {any} */ (Object.prototype).dead = () => {};
    const changes = ['a', 'b'].map((client, key) => ({ key, value: { type: 'add', client, alive: `${client} lives` } }));
    const begin = { type: 'begin', client: 'a', alive: 'a lives', log: 'log', time: 1, dead: [], listened: true, unseen: false };
    const record = recordOf([...changes, { key: 3, value: begin }]);
    assert.ok(!isDeserted(record, [], true), 'a may have state');
    const removal = { type: 'remove', client: 'a', alive: 'a lives' };
    assert.deepEqual(Object.keys(recordOf([...changes, { key: 3, value: begin }, { key: 4, value: removal }]).members), ['b']);
  });

  it('arrays have a reduce() of their own', () => {
    const changes = [{ key: 1, value: { type: 'add', client: 'a', alive: 'b' } }];
    Array.prototype.reduce = /** @type {any} */ (function first() { return this[0]; });
    assert.deepEqual(Object.keys(recordOf(changes).members), ['a']);
  });
});
