import assert from 'node:assert';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useJournal } from './journals.js';

describe('node: a journal of another format', () => {
  const { endFile, folder, start, prepare } = useJournal();

  /** A context of the format before. @param {ReturnType<typeof start>} context */
  const age = ({ journal }) => {
    const text = readFileSync(journal.path(), 'utf8');
    writeFileSync(journal.path(), text.replace('"head":5', '"head":4'));
  };
  const isFormer = { isFormer: true };

  it('of a former format is ended, and goes on anew, once no context lives that writes it', () => {
    const old = start();
    old.write('old', false);
    age(old);
    const [a, b] = [prepare(), prepare()];
    assert.throws(() => a.journal.open(), isFormer);
    assert.throws(() => b.journal.open(), isFormer);
    // Both end it, and the first counts.
    a.journal.succeed();
    b.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer, 'a context may have written until then');
    assert.throws(() => b.journal.open(), isFormer);
    a.journal.succeed();
    b.journal.succeed();
    a.journal.open();
    b.journal.open();
    a.write('1');
    b.read();
    b.write('2');
    for (let count = 0; count < 50; count++) a.write('.');
    assert.deepStrictEqual([a.read().slice(0, 3), b.read()], ['1 2', a.list()]);
    assert.strictEqual(start().list(), a.list());
    assert.ok(a.journal.number() > 2);
  });

  it('of a former format that goes on meanwhile does so for all', () => {
    const old = start();
    age(old);
    const a = prepare();
    assert.throws(() => a.journal.open(), isFormer);
    a.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer);
    // An old context that began after the look for signs of life has read on, and was the first to begin the next file.
    appendFileSync(a.journal.path(), '\n{"head":4,"state":""}\n');
    a.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer);
    a.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer);
    a.journal.succeed();
    a.journal.open();
    a.write('1');
    assert.strictEqual(start().list(), '1');
  });

  it('of a former format that ended before: a newcomer begins where it has gone on, though files in between are gone', () => {
    const old = start();
    age(old);
    const a = prepare();
    for (let step = 0; step < 2; step++) {
      assert.throws(() => a.journal.open(), isFormer);
      a.journal.succeed();
    }
    a.journal.open();
    for (let count = 0; count < 100; count++) a.write(String(count));
    endFile(a, `${a.journal.number() + 1}-next`);
    assert.strictEqual(start().list(), a.read());
  });

  it('says so where a newer version is at work', () => {
    start();
    const path = join(folder(), '0');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"head":5', '"head":6'));
    assert.throws(() => start(), /newer version/);
  });
});
