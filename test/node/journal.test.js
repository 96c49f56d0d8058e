import assert from 'node:assert';
import fs, {
  appendFileSync, closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournal } from '../../glue/platform/node/journal.js';

const bytes = (/** @type {string[]} */ list) => Buffer.from(JSON.stringify(list));

describe('node: the journal', () => {
  /** @type {string} */
  let directory;
  let counter = 0;
  /** @type {any[]} */
  let open = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => {
    open.forEach((reader) => reader.close());
    open = [];
    rmSync(directory, { recursive: true });
  });

  const folder = () => join(directory, 'log');

  /** A context whose state is the list of what it has read. @param {any} [options] */
  const start = (options) => {
    const context = prepare(options);
    context.journal.open();
    return context;
  };

  /** @param {any} [options] */
  const prepare = ({ sizes = { first: 200, next: 200, marks: 1e6 } } = {}) => {
    const reader = { list: /** @type {string[]} */ ([]), restored: 0, applied: 0 };
    const journal = createJournal({
      directory, sizes,
      randomId: () => `random${++counter}`,
      snapshot: () => bytes(reader.list),
      begin: () => bytes([]),
      restore(state) {
        reader.restored++;
        reader.list = JSON.parse(Buffer.from(state).toString());
      },
      apply(record) {
        reader.applied++;
        reader.list.push(record.entry);
      },
    });
    const context = {
      reader, journal,
      list: () => reader.list.join(' '),
      write(/** @type {string} */ entry, tidy = true) {
        journal.append({ entry });
        journal.read();
        if (tidy) journal.tidy();
      },
      read() {
        journal.read();
        return context.list();
      },
      close: journal.close,
    };
    open.push(context);
    return context;
  };

  it('all read the same, the writer included, in the order of the writes', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    b.journal.append({ entry: '2' });
    a.write('3', false);
    b.read();
    assert.strictEqual(a.list(), '1 2 3');
    assert.strictEqual(b.list(), '1 2 3');
    assert.strictEqual(start().list(), '1 2 3');
  });

  it('takes nothing that stands behind a close, also where the next file cannot be opened at once', () => {
    const [a, b, c] = [start(), start(), start()];
    a.write('x'.repeat(300));
    c.journal.append({ entry: 'void' });
    const { openSync: open } = fs;
    fs.openSync = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    };
    syncBuiltinESMExports();
    try {
      for (let each = 0; each < 3; each++) assert.throws(() => b.read(), { code: 'EMFILE' });
    } finally {
      fs.openSync = open;
      syncBuiltinESMExports();
    }
    assert.strictEqual(b.read(), a.list());
    assert.strictEqual(c.read(), a.list());
  });

  it('takes nothing that stands before a head, as what was written where none could be: whoever comes does not, either', () => {
    const a = start();
    closeSync(openSync(join(folder(), '1-next'), 'wx'));
    a.journal.append({ close: '1-next' });
    const { writeSync: write } = fs;
    fs.writeSync = () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    syncBuiltinESMExports();
    try {
      assert.throws(() => a.read(), { code: 'ENOSPC' });
    } finally {
      fs.writeSync = write;
      syncBuiltinESMExports();
    }
    a.write('void', false);
    a.write('counts', false);
    assert.strictEqual(a.list(), 'counts');
    assert.strictEqual(start().list(), 'counts');
  });

  it('closes each of its files once, though the system says that this has failed', () => {
    const [a, b] = [start(), start()];
    a.write('x'.repeat(300));
    const { closeSync: close } = fs;
    fs.closeSync = (descriptor) => {
      close(descriptor);
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    };
    syncBuiltinESMExports();
    try {
      assert.strictEqual(b.read(), a.list());
    } finally {
      fs.closeSync = close;
      syncBuiltinESMExports();
    }
    const other = openSync(join(directory, 'other'), 'wx');
    b.write('x'.repeat(300));
    fstatSync(other);
    closeSync(other);
  });

  it('says so where the file that comes next is gone, and none is newer', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    rmSync(a.journal.path());
    assert.throws(() => start(), /files are missing/);
  });

  for (const [what, damage] of /** @type {const} */ ([['removed', rmSync], ['emptied', truncateSync]])) {
    it(`whoever comes once somebody has ${what} the first file goes on where the others are, and begins nothing beside them`, () => {
      const a = start();
      for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
      damage(join(folder(), '0'));
      writeFileSync(join(folder(), '3-vain'), '');
      const b = start();
      assert.strictEqual(b.list(), a.list());
      b.write('more', false);
      assert.strictEqual(a.read(), b.list());
    });
  }

  it('and also where the head of the others comes after one that lost its end', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    const before = a.journal.path();
    writeFileSync(join(folder(), '3-next'), '{"head":4,"sta');
    a.journal.append({ close: '3-next' });
    a.read();
    rmSync(before);
    truncateSync(join(folder(), '0'));
    assert.strictEqual(start().list(), a.list());
  });

  it('goes on in another file when one is full, and removes those before it but the first', () => {
    const [a, b] = [start(), start()];
    const expected = [];
    for (let count = 0; count < 100; count++) {
      const context = count % 2 ? a : b;
      context.read();
      context.write(String(count));
      expected.push(count);
    }
    assert.strictEqual(a.read(), expected.join(' '));
    assert.strictEqual(b.read(), expected.join(' '));
    assert.strictEqual(start().list(), expected.join(' '));
    assert.ok(a.journal.number() > 2);
    assert.deepStrictEqual(readdirSync(folder()).map((name) => parseInt(name, 10)).sort(), [0, a.journal.number()].sort());
  });

  it('who has not read for long gets the state, and who has read on does not', () => {
    const [a, idle] = [start(), start()];
    for (let count = 0; count < 100; count++) a.write(String(count));
    assert.strictEqual(a.reader.restored, 1);
    assert.strictEqual(idle.read(), a.list());
    assert.strictEqual(idle.reader.restored, 2);
    idle.write('last');
    assert.strictEqual(a.read(), idle.list());
  });

  it('what is written behind the end of a file is void, and nobody can begin another file in the place of the next', () => {
    const [a, slow] = [start(), start()];
    for (let count = 0; a.journal.number() === 0; count++) a.write(String(count));
    const before = a.list();
    slow.journal.append({ entry: 'void' });
    slow.journal.append({ close: '1-of-its-own' });
    assert.strictEqual(slow.read(), before);
    assert.strictEqual(a.read(), before);
    assert.strictEqual(slow.journal.path(), a.journal.path());
  });

  it('goes on where the one who ended a file died before it began the next', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    closeSync(openSync(join(folder(), '1-next'), 'wx'));
    a.journal.append({ close: '1-next' });
    assert.strictEqual(b.read(), '1');
    b.write('2', false);
    assert.strictEqual(start().list(), '1 2');
    assert.strictEqual(a.read(), '1 2');
  });

  it('goes on for newcomers where one died after it had made the next file, and before it could end this one', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    writeFileSync(join(folder(), '3-vain'), '');
    const late = start();
    assert.strictEqual(late.list(), a.list());
    late.write('more', false);
    assert.strictEqual(a.read(), late.list());
    // The next file is named, and has no head yet.
    closeSync(openSync(join(folder(), '3-next'), 'wx'));
    a.journal.append({ close: '3-next' });
    const last = start();
    assert.strictEqual(last.list(), late.list());
    last.write('last', false);
    assert.strictEqual(a.read(), last.list());
  });

  it('and where it died in the middle of the next one\'s head', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    writeFileSync(join(folder(), '1-next'), '{"head":4,"sta');
    a.journal.append({ close: '1-next' });
    const [late, another] = [start(), start()];
    assert.strictEqual(late.list(), '1');
    b.read();
    b.write('2', false);
    assert.deepStrictEqual([a, late, another].map((each) => each.read()), ['1 2', '1 2', '1 2']);
  });

  it('of several that end a file at once, one does; what the others had made ready is removed', () => {
    const contexts = [start(), start(), start()];
    for (let count = 0; count < 60; count++) {
      contexts.forEach((context, index) => context.journal.append({ entry: `${count}-${index}` }));
      contexts.forEach((context) => context.journal.read());
      contexts.forEach((context) => context.journal.tidy());
    }
    const [first, ...others] = contexts.map((context) => context.read());
    assert.strictEqual(first.split(' ').length, 180);
    others.forEach((each) => assert.strictEqual(each, first));
    assert.strictEqual(readdirSync(folder()).length, 2);
  });

  it('passes over a line that lost its end, with the one that follows on it, alike for all', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    appendFileSync(join(folder(), '0'), '{"entry":"tor');
    assert.strictEqual(b.read(), '1');
    b.write('swallowed', false);
    b.write('2', false);
    assert.strictEqual(a.read(), '1 2');
    assert.strictEqual(b.list(), '1 2');
    assert.strictEqual(start().list(), '1 2');
  });

  it('takes lines longer than its buffers, and names of any code units', () => {
    const [a, b] = [start({ sizes: { first: 1e6, next: 1e6, marks: 1e6 } }), start()];
    const long = '\ud800 ö 字 \0'.repeat(20000);
    a.write(long, false);
    b.read();
    assert.strictEqual(b.reader.list[0], long);
    a.write('after', false);
    assert.strictEqual(b.read(), `${long} after`);
  });

  it('who comes applies nothing of what was closed, and nothing before the last mark', () => {
    const a = start({ sizes: { first: 2000, next: 1e6, marks: 1000 } });
    for (let count = 0; count < 500; count++) a.write(String(count));
    assert.strictEqual(a.journal.number(), 1);
    assert.match(readFileSync(a.journal.path(), 'utf8'), /\n\{"mark":\d+,/);
    const late = start();
    assert.strictEqual(late.list(), a.list());
    assert.deepStrictEqual([late.reader.restored, late.reader.applied < 300], [1, true], `${late.reader.applied} applied`);
    a.write('last', false);
    assert.strictEqual(late.read(), a.list());
    late.write('own', false);
    assert.strictEqual(a.read(), late.list());
  });

  it('a mark counts from where its writer had read, whatever came in between; one that lost its end counts not at all', () => {
    const sizes = { first: 1e6, next: 1e6, marks: 300 };
    const [a, b] = [start({ sizes }), start({ sizes })];
    for (let count = 0; count < 20; count++) a.write(String(count), false);
    b.journal.append({ entry: 'between' });
    a.journal.tidy();
    assert.match(readFileSync(a.journal.path(), 'utf8'), /between"\}\n\{"mark"/);
    const late = start();
    assert.strictEqual(late.list(), a.list());
    assert.ok(late.reader.applied < 5, `${late.reader.applied} applied`);
    appendFileSync(a.journal.path(), `{"mark":${a.journal.position()},"state":"`);
    assert.strictEqual(start().list(), a.list());
    a.write('swallowed', false);
    a.write('last', false);
    assert.deepStrictEqual([b.read(), start().list()], [a.list(), a.list()]);
  });

  it('finds out that it was removed, and not where it has only gone on', () => {
    const [a, b] = [start(), start()];
    for (let count = 0; count < 40; count++) a.write(String(count));
    b.read();
    for (let count = 0; count < 40; count++) a.write(String(count));
    assert.strictEqual(b.journal.isRemoved(), false);
    assert.strictEqual(b.list(), a.list());
    rmSync(folder(), { recursive: true });
    assert.strictEqual(a.journal.isRemoved(), true);
  });

  /** A context of the format before. @param {ReturnType<typeof start>} context */
  const age = ({ journal }) => {
    const text = readFileSync(journal.path(), 'utf8');
    writeFileSync(journal.path(), text.replace('"head":4', '"head":3'));
  };
  const isFormer = { isFormer: true };

  it('of a former format is ended, and goes on anew, once nobody lives who writes it', () => {
    const old = start();
    old.write('old', false);
    age(old);
    const [a, b] = [prepare(), prepare()];
    assert.throws(() => a.journal.open(), isFormer);
    assert.throws(() => b.journal.open(), isFormer);
    // Both end it, and the first counts.
    a.journal.succeed();
    b.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer, 'somebody may have written until then');
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
    // An old context that began after the look at the living has read on, and been the first to begin the next file.
    appendFileSync(a.journal.path(), '\n{"head":3,"state":""}\n');
    a.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer);
    a.journal.succeed();
    assert.throws(() => a.journal.open(), isFormer);
    a.journal.succeed();
    a.journal.open();
    a.write('1');
    assert.strictEqual(start().list(), '1');
  });

  it('of a former format that ended before: who comes begins where that has gone on, though files in between are gone', () => {
    const old = start();
    age(old);
    const a = prepare();
    for (let step = 0; step < 2; step++) {
      assert.throws(() => a.journal.open(), isFormer);
      a.journal.succeed();
    }
    a.journal.open();
    for (let count = 0; count < 100; count++) a.write(String(count));
    closeSync(openSync(join(folder(), `${a.journal.number() + 1}-next`), 'wx'));
    a.journal.append({ close: `${a.journal.number() + 1}-next` });
    assert.strictEqual(start().list(), a.read());
  });

  it('says so where a newer version is at work', () => {
    start();
    const path = join(folder(), '0');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"head":4', '"head":5'));
    assert.throws(() => start(), /newer version/);
  });
});
