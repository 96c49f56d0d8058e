/** The script-tag build is small, and what leaves its realm has the names that docs/protocol.md and the standard give it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SCRIPT_LIMIT } from '../../build/bundle.mjs';
import { gzippedSize } from '../../build/files.mjs';
import { PROTOCOL, recordOf } from '../../glue/log/register.js';
import { Origin } from './page.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What docs/protocol.md says of each kind of message: the names of its values behind the sender, in order. */
const documented = () => {
  const [, section] = read('docs/protocol.md').split(/^## Messages$/m);
  const rows = [...section.split(/^## /m)[0].matchAll(/^\| `([a-z]+)` ([a-z ]+?) \|/gm)];
  return new Map(rows.map(([, kind, fields]) => [kind, fields.split(' ')]));
};

const operationFields = {
  join: ['number', 'type'],
  request: ['ifAvailable', 'mode', 'names', 'number', 'steal', 'type'],
  drop: ['number', 'request', 'type'],
};

/** What a value of each name is, where it is not a number. @type {Record<string, string>} */
const expectedKinds = {
  nonce: 'string', heard: 'list', to: 'string', log: 'string', over: 'string', client: 'string', epoch: 'string', bytes: 'bytes',
  operations: 'list',
};

/** @type {Record<string, string[]>} the values of the register's entries, by type */
const entryFields = {
  add: ['alive', 'client', 'epoch', 'protocol', 'type'],
  begin: ['alive', 'client', 'dead', 'listened', 'log', 'order', 'protocol', 'time', 'type', 'unseen'],
  stateful: ['client', 'log', 'protocol', 'type'],
};

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
      assert.ok(kinds.size >= 9, 'the table is understood');
      for (const message of origin.messages) {
        const [version, kind, from, ...values] = listOf(message);
        assert.equal(version, PROTOCOL);
        assert.equal(typeof from, 'string');
        assert.equal(typeof message, kind === 'state' ? 'object' : 'string');
        const names = kinds.get(kind) ?? [];
        const expected = names.map((name) => expectedKinds[name] ?? 'number');
        assert.deepEqual(values.map(kindOfValue), expected, kind);
      }
      const seen = new Set(origin.messages.map((message) => listOf(message)[1]));
      for (const kind of ['hello', 'begin', 'state', 'operations']) assert.ok(seen.has(kind), `${kind} was seen`);
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
      const entries = origin.databases.get('lockkeeper-register')?.entries ?? [];
      for (const { value } of entries) assert.deepEqual(keysOf(value), entryFields[value.type], value.type);
      assert.deepEqual(new Set(entries.map(({ value }) => value.type)), new Set(Object.keys(entryFields)));
      const { protocol, order, log, generation, incomplete, members } = recordOf(entries);
      assert.deepEqual([protocol, order, incomplete], [PROTOCOL, 'broadcast', false]);
      assert.ok(log && generation);
      assert.deepEqual(Object.values(members).map(({ alive, stateful }) => !!alive && stateful), [true, true]);
      for (const { alive } of Object.values(members)) assert.ok(origin.databases.has(`lockkeeper-running-${alive}`));
    });

    it('runs in a second window whose navigator has the same prototype, as in happy-dom', () => {
      class Navigator {}
      const [one, other] = [1, 2].map(() => new Origin().open(script, { navigator: new Navigator(), document: {} }));
      assert.ok(one.navigator.locks !== other.navigator.locks);
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
