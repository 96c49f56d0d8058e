import assert from 'node:assert';
import { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { saying, useJournal } from './journals.js';
import { openFiles } from './system.js';

describe('node: the journal', () => {
  const { endFile, folder, start } = useJournal();

  it('all read the same, the writer included, in the order of the writes', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    b.journal.append(saying('2'));
    a.write('3', false);
    b.read();
    assert.strictEqual(a.list(), '1 2 3');
    assert.strictEqual(b.list(), '1 2 3');
    assert.strictEqual(start().list(), '1 2 3');
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
    if (process.platform !== 'linux') return;
    assert.strictEqual(openFiles(folder()).length, 3, 'each context has one file open');
  });

  it('a context that has not read for long gets the state; one that has read on does not', () => {
    const [a, idle] = [start(), start()];
    for (let count = 0; count < 100; count++) a.write(String(count));
    assert.strictEqual(a.reader.restored, 1);
    assert.strictEqual(idle.read(), a.list());
    assert.strictEqual(idle.reader.restored, 2);
    idle.write('last');
    assert.strictEqual(a.read(), idle.list());
  });

  it('a context that has read on skips nothing of the next file, though that was closed meanwhile', () => {
    const [a, b] = [start(), start()];
    for (let count = 1; count <= 3; count++) {
      a.write(String(count), false);
      endFile(a, `${count}-next`);
      a.read();
    }
    assert.strictEqual(b.read(), '1 2 3');
    assert.strictEqual(b.reader.restored, 1);
  });

  it('goes on in any number of files', () => {
    const a = start();
    for (let count = 1; count <= 1100; count++) {
      const before = a.journal.path();
      endFile(a, `${count}-next`);
      a.read();
      if (count > 1) rmSync(before);
    }
    a.write('last', false);
    assert.strictEqual(start().list(), 'last');
  });

  it('a line behind the end of a file is void, and no context can begin another file instead of the next', () => {
    const [a, slow] = [start(), start()];
    for (let count = 0; a.journal.number() === 0; count++) a.write(String(count));
    const before = a.list();
    slow.journal.append(saying('void'));
    slow.journal.append({ close: '1-of-its-own' });
    assert.strictEqual(slow.read(), before);
    assert.strictEqual(a.read(), before);
    assert.strictEqual(slow.journal.path(), a.journal.path());
  });

  it('several end a file at once: one end counts, and the files that the others had prepared are removed', () => {
    const contexts = [start(), start(), start()];
    for (let count = 0; count < 60; count++) {
      contexts.forEach((context, index) => context.journal.append(saying(`${count}-${index}`)));
      contexts.forEach((context) => context.journal.read());
      contexts.forEach((context) => context.journal.tidy());
    }
    const [first, ...others] = contexts.map((context) => context.read());
    assert.strictEqual(first.split(' ').length, 180);
    others.forEach((each) => assert.strictEqual(each, first));
    assert.strictEqual(readdirSync(folder()).length, 2);
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

  it('takes lines that have more bytes than its buffers, and fewer code units', () => {
    for (let length = 4000; length < 17000; length += 1000) {
      const a = start({ sizes: { first: 1e6, next: 1e6, marks: 1e6 } });
      const before = a.reader.list.length;
      const long = '字'.repeat(length);
      a.write(long, false);
      assert.deepStrictEqual(a.reader.list.slice(before), [long]);
    }
  });

  it('a context reads all that was written since its last reading, however much that is', () => {
    const [a, b] = [1, 2].map(() => start({ sizes: { first: 1e6, next: 1e6, marks: 1e6 } }));
    for (let count = 0; count < 100; count++) a.write(`${count}`.padEnd(1000, 'x'), false);
    assert.strictEqual(b.read(), a.list());
    assert.ok(b.journal.isAtEnd());
  });

  it('a newcomer applies nothing from closed files, and nothing before the last mark', () => {
    const a = start({ sizes: { first: 2000, next: 1e6, marks: 1000 } });
    for (let count = 0; count < 500; count++) a.write(String(count));
    assert.strictEqual(a.journal.number(), 1);
    const marks = readFileSync(a.journal.path(), 'utf8').match(/\n\{"mark":\d+,/g) || [];
    assert.ok(marks.length > 0 && marks.length < 10, `${marks.length} marks`);
    const late = start();
    assert.strictEqual(late.list(), a.list());
    assert.deepStrictEqual([late.reader.restored, late.reader.applied < 300], [1, true], `${late.reader.applied} applied`);
    a.write('last', false);
    assert.strictEqual(late.read(), a.list());
    late.write('own', false);
    assert.strictEqual(a.read(), late.list());
  });

  it('a mark counts from where its writer had read, whatever came in between; a mark that lost its end does not count', () => {
    const sizes = { first: 1e6, next: 1e6, marks: 300 };
    const [a, b] = [start({ sizes }), start({ sizes })];
    for (let count = 0; count < 20; count++) a.write(String(count), false);
    b.journal.append(saying('between'));
    a.journal.tidy();
    assert.match(readFileSync(a.journal.path(), 'utf8'), /between",0,\[5,1\]\]\n\{"mark"/);
    const late = start();
    assert.strictEqual(late.list(), a.list());
    assert.ok(late.reader.applied < 5, `${late.reader.applied} applied`);
    appendFileSync(a.journal.path(), `{"mark":${a.journal.position()},"state":"`);
    assert.strictEqual(start().list(), a.list());
    a.write('swallowed', false);
    a.write('last', false);
    assert.deepStrictEqual([b.read(), start().list()], [a.list(), a.list()]);
  });

  it('a context that takes its lines unread, and has missed one, takes the journal for removed: it writes no mark without it', () => {
    const sizes = { first: 1e6, next: 1e6, marks: 300 };
    const [deceived, other] = [start({ sizes }), start({ sizes })];
    for (let count = 0; count < 20; count++) deceived.write(String(count), false);
    other.journal.append(saying('missed'));
    deceived.journal.append(saying('own'));
    deceived.journal.takeLast();
    assert.deepStrictEqual([deceived, other].map(({ journal }) => journal.isRemoved()), [true, false]);
    assert.throws(() => deceived.journal.tidy(), { code: 'ENOENT' });
    assert.strictEqual(start().list(), other.read());
  });

  it('is taken for removed if its last lines were cut off', () => {
    const a = start();
    a.write('1', false);
    const position = a.journal.position();
    a.write('2', false);
    truncateSync(a.journal.path(), position);
    assert.strictEqual(a.journal.isRemoved(), true);
  });

  it('finds out that it was removed, and does not take going on for that', () => {
    const [a, b] = [start(), start()];
    for (let count = 0; count < 40; count++) a.write(String(count));
    b.read();
    for (let count = 0; count < 40; count++) a.write(String(count));
    for (const { journal } of [a, b, a, b]) assert.strictEqual(journal.isRemoved(), false);
    assert.strictEqual(b.list(), a.list());
    rmSync(folder(), { recursive: true });
    assert.strictEqual(a.journal.isRemoved(), true);
  });
});
