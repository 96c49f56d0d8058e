import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import {
  chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLockManager } from '../../glue/entries/index.js';
import { createLog } from '../../glue/entries/node.js';
import { openDirectory } from '../../glue/platform/node/directory.js';
import { clockAhead, isUnused, sweep } from '../../glue/platform/node/leftovers.js';
import { sockets } from '../../glue/platform/node/sockets.js';
import { at, runProgram } from './support.js';
import { failing, untilSettled, whileReplaced } from './system.js';
import { sleep, until } from './threads.js';

const never = () => new Promise(() => {});
const isRoot = process.getuid?.() === 0;

describe('node: lasting faults are told', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  const warnings = /** @type {string[]} */ ([]);
  const warned = (/** @type {Error} */ { message }) => void warnings.push(message);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    warnings.length = 0;
    process.on('warning', warned);
  });
  afterEach(() => {
    process.off('warning', warned);
    rmSync(directory, { recursive: true, force: true });
  });

  const manager = (/** @type {any} */ options = {}) => createLockManager({ name: 'faults', scope: 'host', directory, ...options });
  const placeOf = () => {
    const base = join(directory, readdirSync(directory)[0]);
    return join(base, readdirSync(base)[0]);
  };

  it('a Node without Wasm', async () => {
    const program = `
      const { locks } = require(${JSON.stringify(at('dist/lockkeeper.cjs'))});
      locks.request('x', () => 'granted').then(console.log, ({ message }) => console.log(message));`;
    const { out } = await runProgram(process.execPath, ['--no-warnings', '--jitless', '-e', program]);
    assert.strictEqual(out.trim(), 'Lockkeeper: Wasm is refused; use the nowasm build');
  });

  it('a newer version of the package at work in the same place', async () => {
    await manager().request('x', () => {});
    const file = join(placeOf(), 'log', '0');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"head":(\d+)/, '"head":999'));
    const locks = manager();
    await assert.rejects(locks.request('x', () => {}), /a newer version of the package/);
    await assert.rejects(locks.query(), /a newer version of the package/);
    rmSync(placeOf(), { recursive: true });
    assert.strictEqual(await locks.request('x', () => 'granted'), 'granted');
    assert.deepStrictEqual(warnings, []);
  });

  it('a directory whose path is too long for a socket: the limit is what docs/node.md says', async function () {
    if (process.platform !== 'linux') this.skip();
    const [, bytes] = /(\d+) bytes less the digits of the user id/.exec(readFileSync(at('docs/node.md'), 'utf8')) || [];
    const limit = Number(bytes) - String(process.geteuid?.()).length;
    // In UTF-8: bytes count, and not characters.
    const short = mkdtempSync('/tmp/lk-é');
    const ofLength = (/** @type {number} */ length) => {
      const path = join(short, 'x'.repeat(length - Buffer.byteLength(short) - 1));
      mkdirSync(path);
      return path;
    };
    try {
      assert.strictEqual(await manager({ directory: ofLength(limit) }).request('x', () => 'granted'), 'granted');
      await assert.rejects(manager({ directory: ofLength(limit + 1) }).request('x', () => {}), /too long a path.*shorter by 1 byte\./);
    } finally {
      rmSync(short, { recursive: true });
    }
  });

  it('a directory that is missing, or is no directory', async () => {
    const missing = join(directory, 'missing');
    await assert.rejects(manager({ directory: missing }).request('x', () => {}),
      /no directory can be made.*ENOENT.* Create the directory \S*missing, or give all processes/);
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const places = [file, join(file, 'in it'), ...process.platform === 'linux' ? ['/proc'] : []];
    for (const each of places) {
      await assert.rejects(manager({ directory: each }).request('x', () => {}), /no directory can be made.*\)\. Instead, give all/);
    }
  });

  it('a directory that is removed while its locks are used: held and pending requests reject, and it works again once it is back',
    async () => {
      const locks = manager();
      const held = locks.request('x', never);
      const waiting = locks.request('x', never);
      await locks.request('y', () => {});
      // They may be rejected before they are awaited.
      for (const promise of [held, waiting]) promise.catch(() => {});
      rmSync(directory, { recursive: true });
      // It checks once a second.
      await sleep(1100);
      for (const promise of [locks.request('y', () => {}), waiting]) await assert.rejects(promise, /no directory can be made/);
      await assert.rejects(held);
      await sleep(10);
      assert.match(warnings.join(), /^Lockkeeper: the journal was removed[^,]*$/, 'one warning');
      mkdirSync(directory);
      assert.strictEqual(await locks.request('x', () => 'granted'), 'granted');
    });

  it('the first file alone is removed, as cleaners do with old files: a holder learns of it', async () => {
    const locks = manager();
    const held = locks.request('x', never);
    // If the system has no watch left, the request rejects before it is awaited.
    held.catch(() => {});
    await locks.request('y', () => {});
    rmSync(join(placeOf(), 'log', '0'));
    await sleep(1100);
    await locks.request('y', () => {});
    await assert.rejects(held, { name: 'AbortError' });
  });

  /**
   * @template T
   * @param {'readFileSync' | 'readdirSync' | 'mkdirSync'} name
   * @param {() => T} action while that system call finds too many open files
   */
  const whileFailing = (name, action) => whileReplaced(name, failing('EMFILE', 'too many open files'), action);

  it('too many files are open: all contexts find the same directory all the same', () => {
    const places = [{}, { scope: /** @type {const} */ ('host'), directory }];
    const known = places.map((place) => openDirectory('full', place));
    whileFailing('readFileSync', () => {
      for (const place of places) assert.throws(() => openDirectory('full', place), { code: 'EMFILE' });
    });
    assert.deepStrictEqual(places.map((place) => openDirectory('full', place)), known);
    const base = join(directory, readdirSync(directory)[0]);
    assert.deepStrictEqual(readdirSync(base).map((each) => join(base, each)), known.slice(1));
  });

  for (const [what, options] of Object.entries({ threads: { scope: 'process', directory: undefined }, processes: {} })) {
    for (const name of /** @type {const} */ (['readFileSync', 'mkdirSync'])) {
      it(`the first request of a context tries again if ${name} finds too many open files: ${what}`, async () => {
        const locks = manager({ name: `first ${name}`, ...options });
        let /** @type {Promise<unknown>} */ granted = Promise.resolve();
        await untilSettled(name, failing('EMFILE', 'too many open files'), async () => {
          granted = locks.request('x', () => 'granted');
          // It begins in a job of its own.
          await null;
        });
        assert.strictEqual(await granted, 'granted');
        await sleep(10);
        assert.match(warnings.join(), /^Lockkeeper: too many open files; trying again until it works$/);
      });
    }
  }

  it('a context that cannot look for leftovers begins all the same', () => {
    whileFailing('readdirSync', () => openDirectory('full', { scope: 'host', directory }));
    assert.strictEqual(readdirSync(directory).length, 1);
  });

  it('a relative directory is still the same after the working directory has changed', async () => {
    const before = process.cwd();
    try {
      process.chdir(directory);
      const log = createLog('faults', { scope: 'host', directory: '.' });
      mkdirSync('other');
      process.chdir('other');
      await new Promise((resolve) => void log.request({ names: ['x'], mode: 'exclusive' }, resolve));
      log.leave();
      assert.deepStrictEqual(readdirSync('.'), []);
    } finally {
      process.chdir(before);
    }
  });

  it('a process has changed its user: no thread gets a lock that another thread holds', async function () {
    if (!isRoot) this.skip();
    const program = `
      import { Worker } from 'node:worker_threads';
      import { locks } from '${new URL('../../glue/entries/index.js', import.meta.url)}';
      await locks.request('x', () => new Promise((resolve) => {
        process.setgid(65534);
        process.setuid(65534);
        const worker = new Worker(\`
          import('${new URL('../../glue/entries/index.js', import.meta.url)}').then(({ locks }) => locks.request('x', () => 'granted'))
            .then(console.log, ({ message }) => console.log(message));\`, { eval: true });
        worker.once('exit', resolve);
      }));`;
    writeFileSync(join(directory, 'program.mjs'), program);
    const { out, error } = await runProgram(process.execPath, [join(directory, 'program.mjs')]);
    assert.match(out, /belongs to another user.*before the first lock/, error);
  });

  it('another process has made the directory first', async function () {
    if (!isRoot) this.skip();
    const base = join(directory, `lockkeeper-${process.geteuid?.()}`);
    mkdirSync(base, { mode: 0o700 });
    chownSync(base, 12345, 12345);
    await assert.rejects(manager().request('x', () => {}), /belongs to another user\. Remove it, or give all processes/);
  });
});

describe('node: what ended processes leave', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const WEEK = 7 * 24 * 3600 * 1000;
  const DAY = WEEK / 7;
  const first = { boot: 'here', steady: 5000, wall: 1e12 };
  /** @param {number} passed milliseconds @param {Partial<typeof first>} [other] */
  const after = (passed, other) => ({ boot: 'here', steady: first.steady + passed, wall: first.wall + passed, ...other });

  for (const { title, now, touch, unused } of [
    { title: 'seems unused a week later', now: after(WEEK + 1), unused: true },
    { title: 'is in use if the wall clock alone says that a week has passed', now: after(WEEK + 1, { steady: 6000 }), unused: false },
    { title: 'seems unused even if the wall clock was set back', now: after(WEEK + 1, { wall: 0 }), unused: true },
    { title: 'is in use if it was touched since, also by a clock that was set back', now: after(WEEK + 1), touch: 1000, unused: false },
    { title: 'is in use if another boot says so by its wall clock', now: after(WEEK + 1, { boot: 'next', steady: 0 }), unused: false },
    { title: 'is in use if the steady clock goes back', now: after(WEEK + 1, { steady: 0 }), unused: false },
    { title: 'is in use if no steady clock is known', now: after(WEEK + 1, { steady: NaN }), unused: false },
    ...process.platform === 'linux'
      ? [{ title: 'is in use if the boot is not known', now: after(WEEK + 1, { boot: '' }), unused: false }] : [],
  ]) {
    it(`a directory ${title}`, () => {
      const log = join(directory, 'manager', 'log');
      mkdirSync(log, { recursive: true });
      writeFileSync(join(log, '0'), '');
      assert.strictEqual(isUnused(directory, first), false, 'this is the first look');
      assert.strictEqual(isUnused(directory, after(WEEK / 2)), false, 'a week has not passed');
      if (touch) utimesSync(join(log, '0'), touch, touch);
      assert.strictEqual(isUnused(directory, now), unused);
    });
  }

  it('a directory from before this boot seems unused once it was seen for a day of this boot, too', () => {
    const next = { boot: 'next', steady: 100, wall: first.wall + 2 * WEEK };
    assert.strictEqual(isUnused(directory, first), false);
    assert.strictEqual(isUnused(directory, next), false);
    assert.strictEqual(isUnused(directory, { ...next, steady: next.steady + DAY }), false);
    assert.strictEqual(isUnused(directory, { ...next, steady: next.steady + DAY + 1 }), true);
  });

  const inNamespace = (/** @type {Record<string, string>} */ links, /** @type {string} */ offsets) => {
    const texts = /** @type {Record<string, string>} */ ({ '/proc/self/timens_offsets': offsets });
    return whileReplaced('readlinkSync', (original) => (path) => links[path] || original(path), () =>
      whileReplaced('readFileSync', (original) => (path, ...given) => texts[path] ?? original(path, ...given), clockAhead));
  };

  it('the steady clock of a time namespace is ahead of the host\'s, or behind it', function () {
    if (process.platform !== 'linux') return this.skip();
    const links = { '/proc/self/ns/time': 'time:[1]', '/proc/self/ns/time_for_children': 'time:[1]' };
    assert.strictEqual(inNamespace(links, 'monotonic         100 500000000\nboottime           7         0\n'), 100500);
    assert.strictEqual(inNamespace(links, 'monotonic          -3 500000000\nboottime           7         0\n'), -2500);
    // The offsets are those of another namespace.
    assert.strictEqual(inNamespace({ ...links, '/proc/self/ns/time_for_children': 'time:[2]' }, 'monotonic 100 0\n'), NaN);
    assert.strictEqual(inNamespace(links, ''), NaN);
  });

  it('a note that is a link, or a pipe, is left alone', () => {
    const victim = join(directory, 'victim');
    const other = join(directory, 'other');
    writeFileSync(victim, 'text');
    mkdirSync(other);
    symlinkSync(victim, join(other, 'unused'));
    assert.throws(() => isUnused(other, first), { code: 'ELOOP' });
    assert.strictEqual(readFileSync(victim, 'utf8'), 'text');
    rmSync(join(other, 'unused'));
    if (spawnSync('mkfifo', [join(other, 'unused')]).status === 0) assert.throws(() => isUnused(other, first), { code: 'ENXIO' });
  });

  it('at most 100 leftovers are checked at a time', () => {
    const all = Array.from({ length: 1000 }, (_, each) => join(directory, `left-${each}`));
    for (const each of all) mkdirSync(each, { mode: 0o700 });
    mkdirSync(join(directory, 'left-shared'), { mode: 0o700 });
    chmodSync(join(directory, 'left-shared'), 0o770);
    writeFileSync(join(directory, 'left-file'), '');
    let looks = 0;
    sweep(directory, /^left-/, () => !!++looks);
    assert.ok(looks > 90 && looks <= 100, `${looks}`);
    for (let round = 0; round < 20; round++) sweep(directory, /^left-/, () => true);
    assert.deepStrictEqual(readdirSync(directory).sort(), ['left-file', 'left-shared'], 'neither is a directory of this user alone');
  });

  it('a note that cannot be read counts as none', () => {
    for (const note of ['', '{', 'null', '5', '{"touched":1}']) {
      writeFileSync(join(directory, 'unused'), note);
      assert.strictEqual(isUnused(directory, first), false, note);
      assert.strictEqual(isUnused(directory, after(WEEK + 1)), true, note);
    }
  });

  it('files of contexts that never became members go once they are old; those of the living stay', async () => {
    const place = openDirectory('signs', { scope: 'host', directory });
    const put = (/** @type {string} */ entry) => writeFileSync(join(place, entry), '');
    const held = await sockets.holdAlive(join(place, 'hliving'));
    ['hliving!', 'hdead', 'hdead!', 'hdead-', 'hdead+'].forEach(put);
    const { now } = Date;
    const locks = createLockManager({ name: 'signs', scope: 'host', directory });
    try {
      Date.now = () => now() + 2 * 3600 * 1000;
      // The living are checked before.
      await untilSettled('readdirSync', (original) => (...given) => original(...given).sort().reverse(), async () => {
        await locks.request('x', () => {});
        await until(() => !readdirSync(place).some((entry) => entry.startsWith('hdead')));
      });
      assert.deepStrictEqual(['hliving', 'hliving!'].map((entry) => existsSync(join(place, entry))), [true, true]);
    } finally {
      Date.now = now;
      await locks.close();
      held.close();
    }
  });

  it('files of other boots go once they were untouched for long', () => {
    const base = join(directory, `lockkeeper-${process.geteuid?.()}`);
    const others = ['unused', 'touched'].map((each) => join(base, `host-other-${each}`));
    for (const other of others) {
      mkdirSync(join(other, 'log'), { recursive: true, mode: 0o700 });
      writeFileSync(join(other, 'log', '0'), '');
      // As the socket of a process that was killed.
      writeFileSync(join(other, 'g0123456789a'), '');
    }
    openDirectory('notes', { scope: 'host', directory });
    assert.deepStrictEqual(others.map((other) => existsSync(other)), [true, true]);
    for (const other of others) {
      const mark = join(other, 'unused');
      writeFileSync(mark, JSON.stringify({ ...JSON.parse(readFileSync(mark, 'utf8')), passed: 2 * WEEK }));
    }
    const before = new Date(1000);
    utimesSync(join(others[1], 'log', '0'), before, before);
    openDirectory('sweeps', { scope: 'host', directory });
    assert.deepStrictEqual(others.map((other) => existsSync(other)), [false, true]);
  });

  it('a process whose /proc is that of another namespace removes nothing of the living', async function () {
    // It has a /tmp of its own, so that nothing is left. The sources stay visible at another place, as they may be in /tmp.
    const mounts = 'mount --bind "$0" /mnt && mount -t tmpfs tmpfs /tmp && exec "$@"';
    const apart = ['--pid', '--fork', '--mount', 'sh', '-c', mounts, at('.')];
    const entry = '/mnt/glue/entries/index.js';
    if (!isRoot || spawnSync('unshare', [...apart, 'true']).status !== 0) this.skip();
    const program = `
      import { spawnSync } from 'node:child_process';
      import { Worker } from 'node:worker_threads';
      import { locks } from '${entry}';
      const happened = [];
      await locks.request('x', async () => {
        const { status } = spawnSync(process.execPath, ['--input-type=module', '-e',
          "import { locks } from '${entry}'; await locks.request('x', () => {});"]);
        happened.push('another process: ' + status);
        const worker = new Worker(
          "import('${entry}').then(({ locks }) => locks.query()).then(({ held }) => console.log('held: ' + held.length))", { eval: true });
        await new Promise((resolve) => worker.once('exit', resolve));
      });
      console.log(happened.join());`;
    const { out, error } = await runProgram('unshare', [...apart, process.execPath, '--input-type=module', '-e', program]);
    assert.strictEqual(out, 'held: 1\nanother process: 0\n', error);
  });

  it('a process in a time namespace of its own keeps its directory', async function () {
    const apart = ['--time', '--boottime', '100000', '--fork'];
    if (!isRoot || spawnSync('unshare', [...apart, 'true']).status !== 0) this.skip();
    const entry = new URL('../../glue/entries/index.js', import.meta.url);
    const isThere = (/** @type {string} */ name) => existsSync(join(directory, name));
    const holding = runProgram('unshare', [...apart, process.execPath, '--input-type=module', '-e', `
      import { existsSync, writeFileSync } from 'node:fs';
      import { Worker } from 'node:worker_threads';
      import { locks } from '${entry}';
      process.chdir('${directory}');
      await locks.request('x', async () => {
        writeFileSync('held', '');
        while (!existsSync('swept')) await new Promise((resolve) => setTimeout(resolve, 10));
        const worker = new Worker(
          "import('${entry}').then(({ locks }) => locks.query()).then(({ held }) => console.log('held: ' + held.length))", { eval: true });
        await new Promise((resolve) => worker.once('exit', resolve));
      });`]);
    while (!isThere('held')) await Promise.race([sleep(10), holding.then((result) => assert.ok(isThere('held'), result.error))]);
    const { code } = await runProgram(process.execPath, ['--input-type=module', '-e',
      `import { locks } from '${entry}'; await locks.request('x', () => {});`]);
    writeFileSync(join(directory, 'swept'), '');
    assert.strictEqual(code, 0);
    const { out, error } = await holding;
    assert.strictEqual(out, 'held: 1\n', error);
  });

  it('a process removes the directories of the dead, at once if their number is unused', async () => {
    const own = dirname(openDirectory('first', {}));
    const [, boot, namespace, start] = /** @type {RegExpExecArray} */ (/process-\d+-(.*)-(\d*)-(\d*)$/.exec(own));
    const titles = [
      `999999999-${boot}-${namespace}-1`,
      `${process.pid}-${boot}-${namespace}-${Number(start) - 1}`,
      `999999999-${boot}-1-1`,
      `999999999-01234567-${namespace}-1`,
    ];
    const paths = titles.map((title) => join('/tmp', `lockkeeper-process-${title}`));
    // As if this process had been stopped for a week.
    isUnused(own);
    const mark = join(own, 'unused');
    writeFileSync(mark, JSON.stringify({ ...JSON.parse(readFileSync(mark, 'utf8')), passed: 2 * WEEK }));
    try {
      for (const path of paths) mkdirSync(path, { mode: 0o700 });
      const { code, error } = await runProgram(process.execPath, ['--input-type=module', '-e',
        `import { locks } from '${new URL('../../glue/entries/index.js', import.meta.url)}'; await locks.request('x', () => {});`],
      { cwd: at('.') });
      assert.strictEqual(code, 0, error);
      assert.deepStrictEqual(paths.map((path) => existsSync(path)), [false, true, true, true],
        'the second may be of a time namespace of its own, the others are of another container or machine');
      assert.ok(existsSync(own), 'its process lives');
    } finally {
      for (const path of paths) rmSync(path, { recursive: true, force: true });
    }
  });
});
