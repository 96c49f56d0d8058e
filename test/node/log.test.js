import assert from 'node:assert';
import { readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useContexts } from './contexts.js';
import { failing, openFiles, untilSettled } from './system.js';
import { sleep, until } from './threads.js';

describe('node: the log over the journal', () => {
  const { start, queue, die, contexts, living, heard, directory } = useContexts();

  it('a context that is declared dead learns it while it buries another, and joins again', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map(start);
    await queue(first, second);
    const asked = third.ask('x');
    await until(() => third.watches.has('b1'));
    // For whatever reason the third thinks so.
    living().delete('b1');
    third.watches.get('b1')?.();
    living().delete('a1');
    second.watches.get('a1')?.();
    const heard = (/** @type {() => any} */ condition) => until(() => {
      contexts().forEach((context) => context.hear());
      return condition();
    });
    await heard(() => third.happened.length && second.log.clientId() !== 'b1');
    assert.deepStrictEqual(third.happened, ['granted']);
    // It asks again, as another client.
    second.ask('y');
    await heard(() => second.happened.length);
    assert.strictEqual(second.log.clientId(), 'b2', 'it came again once');
    third.log.drop(asked);
    await heard(() => second.happened.length > 1);
    assert.deepStrictEqual(second.happened, ['granted', 'granted']);
    assert.deepStrictEqual([first, second, third].flatMap(({ warnings }) => warnings), []);
  });

  it('a query that stands in the journal after the end of its client is answered in the next life', async () => {
    const [asking, other] = ['b', 'c'].map((name) => start(name));
    asking.ask('x');
    await until(() => asking.happened.length);
    asking.ask('x');
    other.log.join();
    await until(() => other.watches.has('b1') || other.log.clientId());
    await other.log.query();
    living().delete('b1');
    other.watches.get('b1')?.();
    await other.log.inspect();
    const { held, pending } = await asking.log.query();
    assert.deepStrictEqual([...held, ...pending].map(({ names }) => names.join()), ['x']);
  });

  const failure = (/** @type {string} */ code) => Object.assign(new Error(code), { code, syscall: 'write' });

  it('a passing fault, a full disk, is tried again with one warning, and nothing is lost by it', async () => {
    let full = true;
    let attempts = 0;
    const context = start('a', { fault: () => (full && attempts++ >= 0 ? failure('ENOSPC') : undefined) });
    context.ask('x');
    // It cannot even show that it lives.
    await until(() => attempts === 3);
    assert.deepStrictEqual(context.happened, []);
    full = false;
    await until(() => context.happened.length);
    full = true;
    context.ask('y');
    await until(() => attempts === 6);
    full = false;
    await until(() => context.happened.length === 2);
    assert.deepStrictEqual(context.happened, ['granted', 'granted']);
    assert.strictEqual(context.warnings.length, 2, context.warnings.join());
    assert.strictEqual(living().size, 1);
  });

  it('a death that could not be written for lack of space is not forgotten', async () => {
    let full = false;
    const [first, second] = [start('a'), start('b', { fault: () => (full ? failure('ENOSPC') : undefined) })];
    await queue(first, second);
    // A context that sees nobody else alive looks after all members.
    living().add('third');
    full = true;
    die(second);
    await until(() => second.warnings.length);
    full = false;
    // Nothing is written meanwhile, and it still watches again.
    await until(() => second.watches.has('a1'));
    second.watches.get('a1')?.();
    await until(() => second.happened.length);
    assert.deepStrictEqual(second.happened, ['granted']);
  });

  it('the entries that it is rung for are read, although the first attempts fail, and it has nothing to write', async () => {
    let failing = false;
    const [first, second] = [start('a'), start('b', { fault: () => (failing ? failure('EMFILE') : undefined) })];
    const held = await queue(first, second);
    failing = true;
    first.log.drop(held);
    second.hear();
    await until(() => second.warnings.length);
    failing = false;
    // There is no further ring.
    await until(() => second.happened.length);
    assert.deepStrictEqual(second.happened, ['granted']);
  });

  it('a release that could not be written is written later, although reading has worked meanwhile', async () => {
    let full = false;
    const [first, second] = [start('a', { fault: (what) => (full && what === 'append' ? failure('ENOSPC') : undefined) }), start('b')];
    const held = await queue(first, second);
    full = true;
    first.log.drop(held);
    first.hear();
    full = false;
    await until(() => {
      second.hear();
      return second.happened.length;
    });
    assert.deepStrictEqual(second.happened, ['granted']);
    assert.strictEqual(first.warnings.length, 1);
  });

  it('a death that could not be written is not forgotten, although reading has worked meanwhile', async () => {
    let full = false;
    const second = start('b', { fault: (what) => (full && what === 'append' ? failure('ENOSPC') : undefined) });
    const first = start('a');
    await queue(first, second);
    living().add('third');
    full = true;
    die(second);
    second.hear();
    full = false;
    await until(() => second.watches.has('a1'));
    second.watches.get('a1')?.();
    await until(() => second.happened.length);
    assert.deepStrictEqual(second.happened, ['granted']);
  });

  it('only writing fails: it is tried less and less often, with one warning', async () => {
    let attempts = 0;
    let full = false;
    const context = start('a', { fault: (what) => (full && what === 'append' && ++attempts ? failure('ENOSPC') : undefined) });
    context.ask('x');
    await until(() => context.happened.length);
    full = true;
    context.ask('y');
    const begin = performance.now();
    await until(() => attempts === 3);
    // 100 milliseconds after the first attempt, and 200 after the second.
    assert.ok(performance.now() - begin >= 290);
    full = false;
    await until(() => context.happened.length === 2);
    assert.strictEqual(context.warnings.length, 1, context.warnings.join());
  });

  it('a fault that has passed is over: the next one is told anew, and tried again as soon as the first', async () => {
    let full = false;
    const context = start('a', { fault: (what) => (full && what === 'append' ? failure('ENOSPC') : undefined) });
    context.ask('x');
    await until(() => context.happened.length);
    for (let round = 1; round <= 3; round++) {
      full = true;
      context.ask(`y${round}`);
      await sleep(20);
      full = false;
      await until(() => context.happened.length === round + 1);
      assert.strictEqual(context.warnings.length, round, context.warnings.join());
    }
  });

  it('a context that leaves while it tries again is told anew if the same fails once it comes back', async () => {
    let full = false;
    const context = start('a', { fault: () => (full ? failure('ENOSPC') : undefined) });
    context.ask('x');
    await until(() => context.happened.length);
    full = true;
    context.ask('y');
    await until(() => context.warnings.length === 1);
    context.log.leave();
    context.ask('z');
    await until(() => context.warnings.length === 2, 1000);
    full = false;
    await until(() => context.happened.length === 4);
    assert.deepStrictEqual(context.happened, ['granted', 'lost', 'lost', 'granted']);
  });

  it('a line for a file that was just truncated is not written there again and again', async () => {
    let appended = 0;
    const [first, second] = [start('a', { fault: (what) => void (what === 'append' && appended++) }), start('b')];
    await queue(first, second);
    truncateSync(join(directory(), 'log', '0'));
    appended = 0;
    first.ask('y');
    await until(() => first.happened.length === 3);
    // Twice in the journal that it begins, where it first joins.
    assert.ok(appended <= 3, `${appended} times`);
    assert.deepStrictEqual([first.happened, first.warnings.length], [['granted', 'lost', 'granted'], 1]);
  });

  describe('a journal of a former format', () => {
    /** A journal in which no context works any more. */
    const leaveFormer = async () => {
      const old = start('old');
      old.ask('x');
      await until(() => old.happened.length);
      const path = join(directory(), 'log', '0');
      old.log.leave();
      writeFileSync(path, readFileSync(path, 'utf8').replace('"head":5', '"head":4'));
    };

    it('goes on in the present one once no context lives that writes it', async () => {
      await leaveFormer();
      let looks = 0;
      const context = start('a', { strangers: async () => ++looks > 4 });
      context.ask('x');
      await until(() => context.happened.length);
      assert.deepStrictEqual(context.happened, ['granted']);
    });

    it('stays as it is if a context leaves while it looks for signs of life', async () => {
      await leaveFormer();
      let answer = /** @type {((lives: boolean) => void) | undefined} */ (undefined);
      const context = start('a', { strangers: () => new Promise((resolve) => (answer = resolve)) });
      context.ask('x');
      await until(() => answer);
      context.log.leave();
      answer?.(false);
      await sleep(10);
      assert.deepStrictEqual([context.happened, readdirSync(join(directory(), 'log'))], [['lost'], ['0']]);
    });
  });

  it('a context that has just joined does not check yet: a file that seems another one at each look makes nobody join again', async () => {
    const context = start('a');
    let looks = 0;
    const another = (/** @type {Function} */ stat) => (/** @type {any[]} */ ...given) => ({ ...stat(...given), ino: ++looks });
    await untilSettled('statSync', another, async () => {
      context.ask('x');
      await until(() => context.happened.length, 1000);
      await sleep(20);
    });
    assert.deepStrictEqual([context.happened, context.warnings], [['granted'], []]);
  });

  it('a truncated journal counts as removed', async () => {
    const context = start('a');
    context.ask('x');
    await until(() => context.happened.length);
    truncateSync(join(directory(), 'log', '0'));
    // It checks once a second.
    await sleep(1000);
    context.ask('y');
    await until(() => context.happened.length === 3);
    assert.deepStrictEqual(context.happened, ['granted', 'lost', 'granted']);
    assert.match(context.warnings.join(), /^Lockkeeper: the journal was removed[^,]*$/);
    await until(() => context.keepsAlive, 1000);
  });

  for (const [how, end] of /** @type {const} */ ([['dies', die], ['releases it', (second, first, held) => {
    first.log.drop(held);
    second.hear();
  }]])) {
    it(`a waiter in a removed journal is not granted there when the holder ${how}`, async () => {
      const [first, second, third] = ['a', 'b', 'c'].map((title) => start(title));
      const held = await queue(first, second);
      // It checks once a second.
      await sleep(1000);
      // The holder has just checked.
      first.ask('y');
      await until(() => first.happened.length === 2);
      rmSync(join(directory(), 'log'), { recursive: true });
      const other = third.ask('x');
      await until(() => third.happened.length);
      end(second, first, held);
      await until(() => second.warnings.length);
      await sleep(20);
      assert.deepStrictEqual(second.happened, []);
      third.log.drop(other);
      await until(() => {
        second.hear();
        return second.happened.length;
      });
      assert.deepStrictEqual([second.happened, second.log.clientId()], [['granted'], 'b2']);
    });
  }

  it('the stack ends while a context reads, and again while it deals with that: it does not go on, but begins anew', async () => {
    const overflow = () => new RangeError('stack');
    let [inRead, atEnd] = [false, false];
    const first = start('a', {
      fault: (what) => (what === 'read' && inRead ? overflow() : undefined),
      atEnd() {
        if (!atEnd) return;
        atEnd = inRead = false;
        throw overflow();
      },
    });
    const other = start('b');
    other.log.join();
    for (const name of ['x', 'y']) first.ask(name);
    await until(() => first.happened.length === 2);
    const held = first.ask('z');
    await until(() => first.happened.length === 3);
    inRead = atEnd = true;
    assert.throws(() => first.log.drop(held), RangeError);
    await until(() => first.happened.length === 5);
    assert.deepStrictEqual(first.happened.slice(3), ['lost: stack', 'lost: stack']);
    assert.ok(!living().has('a1'), 'others may have its locks');
    first.ask('v');
    await until(() => first.happened.length === 6);
    assert.strictEqual(first.happened[5], 'granted');
  });

  it('a lasting fault is told at once, and later requests try again', async () => {
    let allowed = false;
    const context = start('a', { fault: () => (allowed ? undefined : failure('EACCES')) });
    context.ask('x');
    await until(() => context.happened.length);
    await assert.rejects(context.log.query(), { code: 'EACCES' });
    allowed = true;
    context.ask('x');
    await until(() => context.happened.length === 2);
    allowed = false;
    context.ask('y');
    await until(() => context.happened.length === 4);
    assert.deepStrictEqual(context.happened, ['lost: EACCES', 'granted', 'lost: EACCES', 'lost: EACCES']);
    assert.deepStrictEqual(context.warnings, []);
    assert.strictEqual(living().size, 0);
  });

  for (const [how, end] of /** @type {const} */ ([
    ['has left', ({ log }) => log.leave()],
    ['can go on no longer', (context, fail) => {
      fail();
      context.ask('y');
    }],
  ])) {
    it(`a context that ${how} keeps no file open`, async function () {
      if (process.platform !== 'linux') this.skip();
      let allowed = true;
      const context = start('a', { fault: () => (allowed ? undefined : failure('EACCES')) });
      context.ask('x');
      await until(() => context.happened.length);
      assert.strictEqual(openFiles(directory()).length, 1);
      end(context, () => (allowed = false));
      await until(() => context.happened.length > 1);
      assert.deepStrictEqual(openFiles(directory()), []);
    });
  }

  it('a waiter that cannot join keeps its thread alive, by one timer, as long as it waits and is no member', async () => {
    let code = 'EMFILE';
    let attempts = 0;
    const context = start('a', {
      fault: (what) => {
        if (what === 'hold') attempts++;
        return what === 'hold' && code ? failure(code) : undefined;
      },
    });
    const endOfTask = () => new Promise((resolve) => void setImmediate(resolve));
    const asked = context.ask('x');
    await until(() => attempts === 2);
    await endOfTask();
    assert.strictEqual(context.keepers.size, 1);
    context.log.drop(asked);
    await endOfTask();
    assert.strictEqual(context.keepers.size, 0);
    context.ask('y');
    await endOfTask();
    assert.deepStrictEqual([context.keepers.size, attempts], [1, 2]);
    code = '';
    await until(() => context.happened.length);
    await endOfTask();
    assert.deepStrictEqual([context.happened, context.keepers.size, context.keepsAlive], [['granted'], 0, true]);
  });

  it('a waiter that cannot join, and is then told of a lasting fault, no longer keeps its thread alive', async () => {
    let code = 'EMFILE';
    const context = start('a', { fault: (what) => (what === 'hold' ? failure(code) : undefined) });
    context.ask('x');
    await until(() => context.keepers.size);
    code = 'EACCES';
    await until(() => context.happened.length);
    assert.deepStrictEqual([context.happened, context.keepers.size], [['lost: EACCES'], 0]);
  });

  it('a context that leaves while it joins does not go on showing that it lives', async () => {
    const context = start('a');
    context.ask('x');
    // It begins in a job of its own.
    await null;
    assert.strictEqual(living().size, 1);
    context.log.leave();
    await until(() => living().size === 0, 1000);
    assert.deepStrictEqual(context.happened, ['lost']);
  });

  it('an abort rings only for waiters: a context that computes would find a message for each abort later', async () => {
    const [one, two, three] = ['a', 'b', 'c'].map((title) => start(title));
    one.ask('x');
    await until(() => one.happened.length);
    three.ask('y');
    await until(() => three.happened.length);
    const aborted = one.ask('y');
    // This context has not read yet that another one waits behind it.
    two.ask('y');
    await until(() => two.watches.has('a1'));
    one.rung.length = 0;
    one.log.drop(aborted);
    assert.deepStrictEqual(one.rung, ['b1']);
  });

  it('a release rings only for the context that is granted the lock, not for others that wait', async () => {
    const [one, two, three] = ['a', 'b', 'c'].map((title) => start(title));
    const held = await queue(one, two);
    one.ask('y');
    await until(() => one.happened.length === 2);
    three.ask('y');
    await until(() => three.watches.has('a1'));
    one.hear();
    one.rung.length = 0;
    one.log.drop(held);
    assert.deepStrictEqual(one.rung, ['b1']);
  });

  it('a context that has gone is not watched, and one that has left watches nobody', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map((title) => start(title));
    await queue(first, second);
    third.ask('x');
    await until(() => third.watches.has('b1'));
    first.log.leave();
    second.hear();
    assert.deepStrictEqual([...second.watches.keys()], []);
    third.log.leave();
    assert.deepStrictEqual([...third.watches.keys()], []);
  });

  it('a context that has opened a file and cannot read it keeps no file open, and hears nobody, until it tries again', async function () {
    if (process.platform !== 'linux') this.skip();
    const context = start('a');
    context.ask('x');
    await untilSettled('readSync', failing('EIO', 'cannot read'), async () => {
      await until(() => context.warnings.length);
      assert.deepStrictEqual(openFiles(directory()), []);
      // It may find another directory, where it must hear others, and they must hear it.
      assert.strictEqual(heard().size, 0);
    });
    await until(() => context.happened.length);
    assert.deepStrictEqual([openFiles(directory()).length, heard().size], [1, 1]);
  });

  it('log time goes on if the clock starts again: a lease ends', async () => {
    const before = start('a', { clock: 1e9 });
    before.ask('x', { hold: 1 });
    await until(() => before.happened.length === 2);
    before.log.leave();
    const after = start('b');
    after.ask('x', { hold: 20 });
    await until(() => after.happened.length === 2);
    assert.deepStrictEqual([before.happened, after.happened], [['granted', 'expired'], ['granted', 'expired']]);
  });

  it('a context that lacks memory right after a forced release does not repeat it: that would break the next holder\'s lock', async () => {
    let isOut = false;
    const [first, second] = ['a', 'b'].map((title) => start(title));
    const third = start('c', {
      fault(what) {
        if (what !== 'read' || !isOut) return undefined;
        isOut = false;
        return Object.assign(new Error('no memory'), { code: 'out-of-memory' });
      },
    });
    await queue(first, second);
    third.ask('y');
    await until(() => third.happened.length);
    isOut = true;
    await third.log.forceRelease(['x']);
    assert.strictEqual(third.log.clientId(), 'c2');
    [first, second].forEach((context) => context.hear());
    await until(() => second.happened.length);
    assert.deepStrictEqual([first.happened, second.happened], [['granted', 'broken'], ['granted']]);
  });
});
