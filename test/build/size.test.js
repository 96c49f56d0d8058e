/** The script-tag build is small, and what leaves its realm has the names that docs/protocol.md and the standard give it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SCRIPT_LIMIT } from '../../build/bundle.mjs';
import { gzippedSize } from '../../build/files.mjs';
import { Origin } from './page.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What docs/protocol.md says of each kind of message: its values' names, in order. */
const documented = () => {
  const [, section] = read('docs/protocol.md').split(/^## Messages$/m);
  const rows = [...section.split(/^## /m)[0].matchAll(/^\| `([a-z]+)` ([a-z ]+?) \|/gm)];
  return new Map(rows.map(([, kind, fields]) => [kind, fields.split(' ')]));
};

const operationFields = {
  join: ['client', 'number', 'type'],
  request: ['client', 'ifAvailable', 'mode', 'names', 'number', 'steal', 'type'],
  drop: ['client', 'number', 'request', 'type'],
};

/** What a value of each name is, where it is not a number. @type {Record<string, string>} */
const expectedKinds = { client: 'string', to: 'string', log: 'string', leader: 'string', bytes: 'bytes', operations: 'list' };

const kindOfValue = (/** @type {any} */ value) =>
  Array.isArray(value) ? 'list' : Object.prototype.toString.call(value) === '[object Uint8Array]' ? 'bytes' : typeof value;

/** @param {any} message @returns {any[]} */
const listOf = (message) => (typeof message === 'string' ? JSON.parse(message) : message);

const keysOf = (/** @type {object} */ object) => Object.keys(object).sort();

for (const file of ['lockkeeper.js', 'lockkeeper.nowasm.js']) {
  describe(`dist/${file}`, () => {
    const script = read(`dist/${file}`);
    const origin = new Origin();
    /** @type {any} */
    let query;
    /** @type {any[]} */
    let pages;

    before(async () => {
      const first = origin.open(script);
      let release = () => {};
      await new Promise((granted) => void first.navigator.locks.request('a', () => {
        granted(undefined);
        return new Promise((resolve) => {
          release = () => resolve(undefined);
        });
      }));
      const second = origin.open(script);
      const waiting = second.navigator.locks.request('a', { mode: 'shared' }, (/** @type {any} */ lock) => [lock.name, lock.mode].join());
      query = await second.navigator.locks.query();
      release();
      assert.equal(await waiting, 'a,shared');
      pages = [first, second];
    });

    it('posts messages with the values of docs/protocol.md', () => {
      const kinds = documented();
      assert.ok(kinds.size >= 11, 'the table is understood');
      for (const message of origin.messages) {
        const [version, kind, ...values] = listOf(message);
        assert.equal(version, 1);
        assert.equal(typeof message, kind === 'snapshot' ? 'object' : 'string');
        const names = kinds.get(kind) ?? [];
        const expected = names.map((name) => expectedKinds[name] ?? 'number');
        assert.deepEqual(values.map(kindOfValue), expected, kind);
      }
      const seen = new Set(origin.messages.map((message) => listOf(message)[1]));
      for (const kind of ['hello', 'snapshot', 'operations', 'entries']) assert.ok(seen.has(kind), `${kind} was seen`);
    });

    it('posts operations as the core knows them', () => {
      const operations = origin.messages.flatMap((message) => listOf(message).filter(Array.isArray).flat());
      const seen = new Set(operations.map(({ type }) => type));
      for (const type of ['join', 'request', 'drop']) assert.ok(seen.has(type), `${type} was seen`);
      for (const operation of operations) {
        assert.deepEqual(keysOf(operation), operationFields[/** @type {keyof operationFields} */ (operation.type)], operation.type);
      }
    });

    it('writes the register of docs/protocol.md', () => {
      const [record, ...others] = origin.records.values();
      assert.deepEqual(others, []);
      assert.deepEqual(keysOf(record), ['epoch', 'leader', 'log', 'members', 'protocol']);
      const members = Object.values(record.members);
      assert.equal(members.length, 2);
      for (const member of members) assert.deepEqual(keysOf(member), ['alive', 'stateful']);
    });

    it('shows pages the standard\'s names', () => {
      for (const [list, mode] of [['held', 'exclusive'], ['pending', 'shared']]) {
        const [info, ...others] = query[list];
        assert.deepEqual(others.length, 0);
        assert.deepEqual(Object.keys(info), ['clientId', 'mode', 'name']);
        assert.deepEqual([info.mode, info.name], [mode, 'a']);
      }
      for (const page of pages) {
        assert.deepEqual(keysOf(page.LockManager.prototype), ['query', 'request']);
        assert.deepEqual(keysOf(page.Lock.prototype), ['mode', 'name']);
        assert.deepEqual([page.LockManager.name, page.Lock.name], ['LockManager', 'Lock']);
        assert.deepEqual(keysOf(page.navigator.locks), []);
      }
    });
  });
}

describe('The script-tag build', () => {
  it(`is at most ${SCRIPT_LIMIT} bytes, gzipped`, () => {
    const size = gzippedSize(read('dist/lockkeeper.js'));
    assert.ok(size <= SCRIPT_LIMIT, `${size} bytes`);
  });
});
