import assert from 'node:assert';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createReader } from '../../glue/platform/node/reader.js';
import { encode, entryOf } from '../../glue/platform/node/records.js';

describe('node: records', () => {
  const by = 'abc';
  /** @type {import('../../glue/core/types.js').ClientOperation[]} */
  const operations = [
    { type: 'join', client: by, number: 1 },
    { type: 'request', client: by, number: 2, names: ['a'], mode: 'exclusive', steal: true },
    { type: 'request', client: by, number: 3, names: ['', '"', '\\', '\n', 'ö\ud800', '0'], mode: 'shared', wait: 0, hold: 5 },
    { type: 'request', client: by, number: 4, names: ['a', 'b'], mode: 'shared', limit: 3, ifAvailable: true },
    { type: 'drop', client: by, number: 5, request: 3 },
    { type: 'force-release', client: by, number: 6, names: ['a', 'b'] },
  ];

  it('are one line, from which the same operations are read', () => {
    for (const record of [
      { by, operations },
      { by, operations: [{ type: 'tick', now: 7 }, operations[4]] },
      { by, operations: [{ type: 'gone', client: 'other' }] },
    ]) {
      const text = encode(/** @type {any} */ (record));
      assert.ok(!text.includes('\n'));
      assert.deepStrictEqual(entryOf(JSON.parse(text)), record);
    }
  });

  it('are refused if no context has written them', () => {
    for (const line of [undefined, null, 5, '', 'head', true, {}, { by, operations: [] }, [by, 1, null], [by, 1, [3], 5], { head: '5' },
      { close: 5 }, { mark: '5', state: '' }, { mark: 5 }, { mark: 5, state: 7 }]) {
      assert.strictEqual(entryOf(line), undefined, JSON.stringify(line));
    }
  });

  it('where the stack ends in the middle of a line, reading fails: to skip the line would lose it for this context alone', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'lk-')), 'log');
    writeFileSync(path, `${encode({ by, operations })}\n`);
    const descriptor = openSync(path, 'r');
    const reader = createReader();
    reader.read(descriptor, 0);
    const { parse } = JSON;
    try {
      JSON.parse = () => {
        throw new RangeError('Maximum call stack size exceeded');
      };
      assert.throws(() => reader.takeLines(() => true), RangeError);
    } finally {
      JSON.parse = parse;
      closeSync(descriptor);
      rmSync(dirname(path), { recursive: true });
    }
  });
});
