/** Messages of pages whose scripts have changed what all arrays and objects have. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { fromMessage, toMessage } from '../../glue/log/messages.js';
import { recordOf } from '../../glue/log/register.js';

describe('messages, where a page has changed the prototypes of arrays and objects', () => {
  const { reduce } = Array.prototype;
  afterEach(() => {
    delete (/** @type {any} */ (Array.prototype).toJSON);
    delete (/** @type {any} */ (Object.prototype).toJSON);
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

  it('arrays have a reduce() of their own', () => {
    const changes = [{ key: 1, value: { type: 'add', client: 'a', alive: 'b' } }];
    Array.prototype.reduce = /** @type {any} */ (function first() { return this[0]; });
    assert.deepEqual(Object.keys(recordOf(changes).members), ['a']);
  });
});
