import assert from 'node:assert';
import {
  appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, rmSync, truncateSync, writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { saying, useJournal } from './journals.js';
import { failing, openFiles, whileReplaced } from './system.js';

describe('node: the journal, where something fails', () => {
  const { directory, endFile, folder, start } = useJournal();

  it('ignores what stands behind a close, also where the next file cannot be opened at once', () => {
    const [a, b, c] = [start(), start(), start()];
    a.write('x'.repeat(300));
    c.journal.append(saying('void'));
    whileReplaced('openSync', failing('EMFILE', 'too many open files'), () => {
      for (let each = 0; each < 3; each++) assert.throws(() => b.read(), { code: 'EMFILE' });
    });
    assert.strictEqual(b.read(), a.list());
    assert.strictEqual(c.read(), a.list());
  });

  it('ignores what was written before a head, while no head could be written; newcomers do so, too', () => {
    const a = start();
    endFile(a, '1-next');
    whileReplaced('writeSync', failing('ENOSPC', 'no space'), () => {
      assert.throws(() => a.read(), { code: 'ENOSPC' });
    });
    a.write('void', false);
    a.write('counts', false);
    assert.strictEqual(a.list(), 'counts');
    assert.strictEqual(start().list(), 'counts');
  });

  it('is not taken for removed if there is no space for the head of the next file', () => {
    const a = start();
    endFile(a, '1-next');
    whileReplaced('writeSync', failing('ENOSPC', 'no space'), () => {
      assert.throws(() => a.read(), { code: 'ENOSPC' });
      assert.strictEqual(a.journal.isRemoved(), false);
    });
    a.write('void', false);
    a.write('counts', false);
    assert.strictEqual(start().list(), 'counts');
  });

  it('makes one next file at most while the disk is full just where a file is to end, and goes on in that one', () => {
    const a = start();
    a.write('x'.repeat(300), false);
    whileReplaced('writeSync', failing('ENOSPC', 'no space'), () => {
      for (let each = 0; each < 3; each++) assert.throws(() => a.journal.tidy(), { code: 'ENOSPC' });
    });
    const [, next] = readdirSync(folder()).sort();
    assert.strictEqual(readdirSync(folder()).length, 2);
    a.write('more');
    assert.strictEqual(basename(a.journal.path()), next);
    assert.deepStrictEqual(readdirSync(folder()).sort(), ['0', next]);
  });

  it('and makes another one if that was removed meanwhile', () => {
    const a = start();
    a.write('x'.repeat(300), false);
    whileReplaced('writeSync', failing('ENOSPC', 'no space'), () => assert.throws(() => a.journal.tidy(), { code: 'ENOSPC' }));
    rmSync(join(folder(), readdirSync(folder()).sort()[1]));
    a.write('more');
    assert.strictEqual(start().list(), a.list());
  });

  it('is given the whole state, whichever of its readings fails once where it goes on in a later file', () => {
    let fails = true;
    for (let index = 0; fails; index++) {
      const [a, b] = [start(), start()];
      // The file that comes after that of b is gone.
      for (let each = 0; a.journal.number() < 2; each++) a.write(String(each));
      a.write('last', false);
      let count = 0;
      const failsOnce = (/** @type {Function} */ read) => (/** @type {any[]} */ ...given) => {
        if (count++ === index) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
        return read(...given);
      };
      try {
        whileReplaced('readSync', failsOnce, () => b.read());
        fails = false;
      } catch (error) {
        assert.strictEqual(/** @type {any} */ (error).code, 'EIO');
      }
      assert.strictEqual(b.read(), a.list(), `reading ${index} fails`);
      [a, b].forEach((each) => each.close());
      rmSync(folder(), { recursive: true });
    }
  });

  it('cannot be opened if its folder cannot be made, and says so', () => {
    const refuse = failing('EACCES', 'permission denied');
    whileReplaced('mkdirSync', refuse, () => assert.throws(() => start(), { code: 'EACCES' }));
  });

  it('checks for its removal without leaving files open, and an emptied first file is no removal', function () {
    if (process.platform !== 'linux') this.skip();
    const a = start();
    for (let count = 0; a.journal.number() < 1; count++) a.write(String(count));
    for (const damage of [() => {}, () => truncateSync(join(folder(), '0'))]) {
      damage();
      assert.strictEqual(a.journal.isRemoved(), false);
    }
    assert.strictEqual(openFiles(folder()).length, 1);
  });

  it('two end a file at the same time: the second goes on where the first does, and removes the file that it had prepared', () => {
    const [a, b] = [start(), start()];
    a.write('x'.repeat(300), false);
    b.read();
    let isSecond = false;
    const afterAnother = (/** @type {Function} */ open) => (/** @type {any[]} */ ...given) => {
      const opened = open(...given);
      if (!isSecond && given[1] & constants.O_EXCL) {
        isSecond = true;
        a.journal.tidy();
      }
      return opened;
    };
    whileReplaced('openSync', afterAnother, () => b.journal.tidy());
    assert.ok(isSecond);
    assert.strictEqual(b.journal.path(), a.journal.path());
    assert.deepStrictEqual(readdirSync(folder()).sort(), ['0', basename(a.journal.path())]);
  });

  it('and where the end of a file is lost in a line that lost its own: the prepared file is removed, and the next end counts', () => {
    const a = start();
    a.write('x'.repeat(300), false);
    appendFileSync(a.journal.path(), '["tor');
    a.journal.tidy();
    assert.deepStrictEqual([a.journal.number(), readdirSync(folder())], [0, ['0']]);
    a.journal.tidy();
    assert.strictEqual(a.journal.number(), 1);
    assert.deepStrictEqual(readdirSync(folder()).sort(), ['0', basename(a.journal.path())]);
    assert.strictEqual(start().list(), a.list());
  });

  it('closes each of its files once, though the system says that closing has failed', () => {
    const [a, b] = [start(), start()];
    a.write('x'.repeat(300));
    const closesAndFails = (/** @type {Function} */ close) => (/** @type {number} */ descriptor) => {
      close(descriptor);
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    };
    whileReplaced('closeSync', closesAndFails, () => assert.strictEqual(b.read(), a.list()));
    const other = openSync(join(directory(), 'other'), 'wx');
    b.write('x'.repeat(300));
    fstatSync(other);
    closeSync(other);
  });

  it('says so if the file that comes next is gone, and no file is newer', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    rmSync(a.journal.path());
    assert.throws(() => start(), /files are missing/);
  });

  for (const [what, damage] of /** @type {const} */ ([['removed', rmSync], ['emptied', truncateSync]])) {
    it(`a newcomer, after the first file was ${what}, goes on where the others are, and begins nothing beside them`, () => {
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

  it('nor if it cannot look for them, since too many files are open', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    truncateSync(join(folder(), '0'));
    whileReplaced('readFileSync', failing('EMFILE', 'too many open files'), () => assert.throws(() => start(), { code: 'EMFILE' }));
    assert.strictEqual(start().list(), a.list());
  });

  it('does not go on in a file that is removed just when it is checked', () => {
    const a = start();
    a.write('1', false);
    writeFileSync(join(folder(), '2-vain'), '');
    endFile(a, '1-next');
    const goneBefore = (/** @type {Function} */ read) => (/** @type {any[]} */ ...given) => {
      rmSync(given[0], { force: true });
      return read(...given);
    };
    whileReplaced('readFileSync', goneBefore, () => a.read());
    a.write('2', false);
    assert.deepStrictEqual([a.journal.number(), start().list()], [1, '1 2']);
  });

  it('a context that comes to an emptied file in the middle goes on where the others are, and begins nothing beside them', () => {
    const [a, b] = [start(), start()];
    for (let count = 0; a.journal.number() < 1; count++) a.write(String(count));
    const middle = a.journal.path();
    for (let count = 0; a.journal.number() < 2; count++) a.write(`more ${count}`);
    // Its writer died before it could remove this file.
    writeFileSync(middle, '');
    assert.strictEqual(b.read(), a.list());
    b.write('last', false);
    assert.strictEqual(a.read(), b.list());
  });

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

  it('is taken for removed if a later file was emptied, and a newcomer has begun it again with the same state', () => {
    const a = start();
    a.write('1', false);
    endFile(a, '1-next');
    a.write('2', false);
    truncateSync(a.journal.path());
    const late = start();
    assert.strictEqual(late.list(), '1');
    late.write('longer than what it was', false);
    assert.strictEqual(a.journal.isRemoved(), true);
    assert.strictEqual(late.journal.isRemoved(), false);
  });

  it('is taken for removed if its file was emptied, and another journal was begun in that file and has ended it', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    b.read();
    truncateSync(a.journal.path());
    const late = start();
    late.write('longer than what it was', false);
    endFile(late, '1-next');
    assert.strictEqual(late.read(), 'longer than what it was');
    for (const each of [a, b]) assert.throws(() => each.read(), { code: 'ENOENT' });
    assert.strictEqual(start().list(), late.list());
  });

  it('all files were emptied and others have begun anew: a context that goes on where its file ended takes it for removed', () => {
    const [a, late] = [start(), start()];
    for (const next of ['1-next', '2-next']) {
      endFile(a, next);
      a.read();
      if (next === '1-next') late.read();
    }
    rmSync(join(folder(), '1-next'));
    for (const each of ['0', '2-next']) truncateSync(join(folder(), each));
    const other = start();
    other.write('1', false);
    assert.throws(() => late.read(), { code: 'ENOENT' });
    assert.deepStrictEqual([start().list(), other.journal.isRemoved()], ['1', false]);
  });

  it('and also after those others have gone on to further files', () => {
    const [a, late] = [start(), start()];
    for (const next of ['1-next', '2-next']) {
      endFile(a, next);
      a.read();
      if (next === '1-next') late.read();
    }
    rmSync(join(folder(), '1-next'));
    for (const each of ['0', '2-next']) truncateSync(join(folder(), each));
    const other = start();
    endFile(other, '1-new');
    other.read();
    other.write('1', false);
    assert.throws(() => late.read(), { code: 'ENOENT' });
    assert.deepStrictEqual([start().list(), other.journal.isRemoved()], ['1', false]);
  });

  it('and where that context came after the first file was emptied, and so does not know what stood there', () => {
    const a = start();
    endFile(a, '1-next');
    a.read();
    truncateSync(join(folder(), '0'));
    const late = start();
    endFile(a, '2-next');
    a.read();
    rmSync(join(folder(), '1-next'));
    truncateSync(join(folder(), '2-next'));
    const other = start();
    other.write('1', false);
    assert.throws(() => late.read(), { code: 'ENOENT' });
    assert.deepStrictEqual([start().list(), other.journal.isRemoved()], ['1', false]);
  });

  it('goes on after the context that ended a file died before it began the next', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    endFile(a, '1-next');
    assert.strictEqual(b.read(), '1');
    b.write('2', false);
    assert.strictEqual(start().list(), '1 2');
    assert.strictEqual(a.read(), '1 2');
  });

  it('goes on for newcomers after a context died between making the next file and ending this one', () => {
    const a = start();
    for (let count = 0; a.journal.number() < 2; count++) a.write(String(count));
    writeFileSync(join(folder(), '3-vain'), '');
    const late = start();
    assert.strictEqual(late.list(), a.list());
    late.write('more', false);
    assert.strictEqual(a.read(), late.list());
    // The next file is named, and has no head yet.
    endFile(a, '3-next');
    const last = start();
    assert.strictEqual(last.list(), late.list());
    last.write('last', false);
    assert.strictEqual(a.read(), last.list());
  });

  it('and where the context died in the middle of the next file\'s head', () => {
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

  it('all pass over lines that no context has written', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    for (const line of ['5', 'null', '{}', '["x",1,5]', '{"close":5}', '{"mark":"5"}']) appendFileSync(join(folder(), '0'), `${line}\n`);
    a.write('2', false);
    assert.deepStrictEqual([a.list(), b.read(), start().list()], ['1 2', '1 2', '1 2']);
  });

  it('all pass over a head that stands behind something else in its line', () => {
    mkdirSync(folder());
    const state = Buffer.from('["void"]').toString('base64');
    writeFileSync(join(folder(), '0'), `["tor{"head":5,"id":"none","state":"${state}"}\n`);
    const a = start();
    a.write('1', false);
    assert.deepStrictEqual([a.list(), start().list()], ['1', '1']);
  });

  it('all pass over a line that lost its end, with the one that follows on it', () => {
    const [a, b] = [start(), start()];
    a.write('1', false);
    appendFileSync(join(folder(), '0'), '["tor');
    assert.strictEqual(b.read(), '1');
    b.write('swallowed', false);
    b.write('2', false);
    assert.strictEqual(a.read(), '1 2');
    assert.strictEqual(b.list(), '1 2');
    assert.strictEqual(start().list(), '1 2');
  });

  /** The first [count] writes write a half of their bytes. @param {number} count */
  const halving = (count) => (/** @type {Function} */ write) => (/** @type {any[]} */ ...given) => {
    const [descriptor, bytes, offset, length] = given;
    return write(descriptor, bytes, offset, count-- > 0 ? Math.floor(length / 2) : length);
  };

  it('a line of which only a part was written is written again, on a line of its own', () => {
    const [a, b] = [start(), start()];
    whileReplaced('writeSync', halving(1), () => a.write('1', false));
    assert.strictEqual(a.list(), '1');
    a.write('2', false);
    assert.deepStrictEqual([a.list(), b.read(), start().list()], ['1 2', '1 2', '1 2']);
  });

  it('and a context that takes its lines unread is then at the end of the file', () => {
    const a = start();
    whileReplaced('writeSync', halving(1), () => a.journal.append(saying('1')));
    a.journal.takeLast();
    assert.deepStrictEqual([a.list(), a.journal.isAtEnd(), a.journal.isRemoved()], ['1', true, false]);
  });

  it('says that there is no space if only a part is written again', () => {
    const [a, b] = [start(), start()];
    whileReplaced('writeSync', halving(2), () => {
      assert.throws(() => a.write('lost', false), { code: 'ENOSPC', syscall: 'write' });
    });
    assert.deepStrictEqual([a.read(), b.read()], ['', '']);
  });

  it('a newcomer passes over a mark that stands before the head, as where a file was emptied before it was marked', () => {
    mkdirSync(folder());
    const state = Buffer.from('["void"]').toString('base64');
    writeFileSync(join(folder(), '0'), `["void",1]\n{"mark":11,"state":"${state}"}\n`);
    const a = start();
    a.write('1', false);
    assert.deepStrictEqual([a.list(), start().list()], ['1', '1']);
  });
});
