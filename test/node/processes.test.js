import assert from 'node:assert';
import { fork, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draftsOf } from '../../glue/entries/drafts.js';
import { createLockManager } from '../../glue/entries/index.js';
import { at, runProgram } from './support.js';
import { sleep, until } from './threads.js';

describe('node: processes of one host', function () {
  this.timeout(60000);
  /** @type {string} */
  let directory;
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const living = new Set();

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(async () => {
    const children = [...living];
    children.forEach((child) => child.kill('SIGKILL'));
    await until(() => !living.size);
    rmSync(directory, { recursive: true, force: true });
  });

  const start = async (name = 'test') => {
    const child = fork(at('test/node/programs/process.mjs'), [directory, name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    living.add(child);
    child.on('exit', () => living.delete(child));
    /** @type {any[]} */
    const messages = [];
    child.on('message', (message) => messages.push(message));
    await until(() => messages.includes('ready'));
    const find = (/** @type {string} */ key) => messages.find((message) => message[key]);
    return {
      child, messages,
      send: (/** @type {any} */ message) => child.send(message),
      told: async (/** @type {string} */ key) => {
        await until(() => find(key));
        return find(key);
      },
      has: (/** @type {string} */ key) => !!find(key),
      count: () => Math.max(0, ...messages.map((message) => message.count || 0)),
      end: () => {
        child.kill('SIGKILL');
        return until(() => child.signalCode);
      },
    };
  };

  it('a process is killed: its lock goes to the next at once', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    first.send({ hold: 'x' });
    await first.told('held');
    second.send({ ask: 'x' });
    await sleep(200);
    assert.ok(!second.has('granted'));
    const before = Date.now();
    await first.end();
    await second.told('granted');
    assert.ok(Date.now() - before < 500, `${Date.now() - before} ms`);
  });

  it('the leftovers of a crash, a socket and a journal, block nobody', async () => {
    const first = await start();
    first.send({ hold: 'x' });
    await first.told('held');
    await first.end();
    const [base] = readdirSync(directory);
    const [manager] = readdirSync(join(directory, base));
    const left = readdirSync(join(directory, base, manager)).filter((each) => each !== 'log');
    assert.strictEqual(left.length, 1, 'its socket is still there');
    const second = await start();
    second.send({ ask: 'x', options: { ifAvailable: true } });
    await second.told('granted');
    await until(() => !existsSync(join(directory, base, manager, left[0])));
  });

  it('a stopped process keeps what it holds, and nothing else', async () => {
    const [first, second, third] = await Promise.all([start(), start(), start()]);
    first.send({ hold: 'x' });
    await first.told('held');
    first.child.kill('SIGSTOP');
    second.send({ ask: 'y' });
    await second.told('granted');
    third.send({ hold: 'x' });
    await sleep(1500);
    assert.ok(!third.has('held'), 'it lives, so it holds');
    second.send({ query: true });
    assert.deepStrictEqual(await second.told('pending'), { held: 1, pending: 1 });
    first.child.kill('SIGCONT');
    first.send('release');
    await third.told('held');
    await first.told('released');
  });

  it('a process that has just had many locks and waits for a child delays nobody else', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    const block = join(directory, 'block');
    writeFileSync(block, '');
    first.send({ many: 'x', block });
    await first.told('many');
    await sleep(300);
    for (const each of ['x 0', 'y']) second.send({ ask: each });
    await until(() => second.messages.filter((message) => message.granted).length === 2);
    assert.ok(!first.has('unblocked'));
    rmSync(block);
    await first.told('unblocked');
  });

  it('processes that are stopped between their requests delay nobody else', async () => {
    const stopped = [];
    for (const name of ['a', 'b', 'c']) {
      const child = await start();
      child.send({ many: name });
      await child.told('many');
      child.child.kill('SIGSTOP');
      stopped.push(child);
    }
    const others = await Promise.all(Array.from({ length: 3 }, () => start()));
    for (let round = 0; round < 10; round++) {
      others.forEach((child) => child.send({ ask: `round ${round}` }));
      await until(() => others.every(({ messages }) => messages.some((message) => message.granted === `round ${round}`)));
      stopped.forEach(({ child }) => child.kill('SIGCONT'));
      await sleep(7);
      stopped.forEach(({ child }) => child.kill('SIGSTOP'));
    }
  });

  // After this the journal goes on in another file. Only processes that must watch it do so.
  const fillFirstFile = async (/** @type {Awaited<ReturnType<typeof start>>} */ child) => {
    child.send({ some: 400 });
    await child.told('some');
  };

  for (const [signal, what] of [['SIGSTOP', 'stopped'], ['SIGKILL', 'killed']]) {
    it(`a process is ${what} right after it has written a release, before it could tell the others: the next has the lock`, async () => {
      const [first, second, third] = await Promise.all([start(), start(), start()]);
      await fillFirstFile(first);
      first.send({ hold: 'x' });
      await first.told('held');
      second.send({ hold: 'x' });
      await sleep(50);
      third.send({ ask: 'x' });
      // Both sleep.
      await sleep(500);
      for (const [holder, next, key] of [[first, second, 'held'], [second, third, 'granted']]) {
        holder.send({ signal });
        await holder.told('signal');
        holder.send('release');
        await next.told(key);
        assert.ok(!holder.has('released'));
      }
    });

    it(`a thief is ${what} right after it has written the steal: the holder is told`, async () => {
      const [first, second] = await Promise.all([start(), start()]);
      await fillFirstFile(first);
      first.send({ hold: 'x' });
      await first.told('held');
      second.send({ ask: 'y' });
      await second.told('granted');
      await sleep(500);
      second.send({ signal });
      await second.told('signal');
      second.send({ hold: 'x', options: { steal: true } });
      assert.deepStrictEqual(await first.told('rejected'), { rejected: 'AbortError' });
      assert.ok(!second.has('held'));
    });
  }

  it('a stolen lock: the holder is told', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    first.send({ hold: 'x' });
    await first.told('held');
    second.send({ hold: 'x', options: { steal: true } });
    await second.told('held');
    assert.deepStrictEqual(await first.told('rejected'), { rejected: 'AbortError' });
  });

  it('processes that start at once, are killed, stopped and continued exclude each other and go on', async () => {
    const witness = join(directory, 'witness');
    const children = await Promise.all(Array.from({ length: 5 }, () => start()));
    const milliseconds = 7000;
    children.forEach((child) => child.send({ turns: 'x', witness, milliseconds }));
    await until(() => children.every((child) => child.count() > 0));
    for (let round = 0; round < 12; round++) {
      const victim = children[round % 3].child;
      victim.kill('SIGSTOP');
      await sleep(100 + 37 * (round % 4));
      victim.kill('SIGCONT');
      await sleep(20 * (round % 3));
      if (round === 6) await children[0].end();
      if (round === 9) await children[3].end();
    }
    const alive = [1, 2, 4].map((index) => children[index]);
    await Promise.all(alive.map((child) => child.told('done')));
    const violations = children.flatMap((child) => child.messages.filter((message) => message.violation));
    assert.deepStrictEqual(violations, []);
    for (const child of alive) assert.ok(child.count() > 20, `${child.count()} turns`);
  });

  it('in a cluster', async () => {
    const program = `
      import cluster from 'node:cluster';
      import { createLockManager } from '${new URL('../../glue/entries/index.js', import.meta.url)}';
      if (cluster.isPrimary) {
        const workers = [cluster.fork(), cluster.fork()];
        let held = 0;
        workers.forEach((worker) => worker.on('message', () => ++held === 1 && worker.process.kill('SIGKILL')));
        let ended = 0;
        cluster.on('exit', () => ++ended === 2 && (console.log('held', held), process.exit()));
      } else {
        const locks = createLockManager({ name: 'cluster', scope: 'host', directory: '${directory}' });
        await locks.request('x', async () => {
          process.send('held');
          await new Promise((resolve) => setTimeout(resolve, 300));
        });
        process.exit();
      }`;
    const path = join(directory, 'cluster.mjs');
    writeFileSync(path, program);
    const child = fork(path, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    living.add(child);
    let out = '';
    child.stdout?.on('data', (data) => (out += data));
    await until(() => child.exitCode !== null);
    living.delete(child);
    assert.strictEqual(out, 'held 2\n');
  });

  it('a process whose time namespace has another clock does not end the leases of the others', async function () {
    const unshare = ['--user', '--map-current-user', '--time', '--monotonic', '7200', '--fork'];
    if (spawnSync('unshare', [...unshare, 'true']).status !== 0) return this.skip();
    const options = { name: 'test', scope: /** @type {const} */ ('host'), directory };
    const program = `
      import { createLockManager } from '${new URL('../../glue/entries/index.js', import.meta.url)}';
      const locks = createLockManager(${JSON.stringify(options)});
      console.log(await locks.request('x', { ifAvailable: true }, (lock) => !!lock));`;
    const parameters = [...unshare, process.execPath, '--no-warnings', '--input-type=module', '-e', program];
    await draftsOf(createLockManager(options)).acquire('x', { hold: 3600 * 1000 }, async () => {
      const { out, error } = await runProgram('unshare', parameters);
      assert.deepStrictEqual([out, error], ['false\n', '']);
    });
  });

  describe('refuses a place where others could', () => {
    const base = () => join(directory, `lockkeeper-${process.geteuid?.()}`);
    const refused = (/** @type {RegExp} */ reason) => assert.rejects(
      createLockManager({ name: 'refused', scope: 'host', directory }).request('x', () => {}), reason);

    it('enter', async () => {
      mkdirSync(base());
      chmodSync(base(), 0o755);
      await refused(/can be entered by other users/);
    });

    it('have been before', async function () {
      const user = process.geteuid?.();
      if (user === undefined) return this.skip();
      // Only root can give a directory away; every other user counts as another one.
      if (user !== 0) process.geteuid = () => user + 1;
      try {
        mkdirSync(base(), { mode: 0o700 });
        if (user === 0) chownSync(base(), 12345, 12345);
        await refused(/belongs to another user/);
      } finally {
        process.geteuid = () => user;
      }
    });

    it('put a link, or a file', async () => {
      symlinkSync(directory, base());
      await refused(/is no directory/);
      rmSync(base());
      writeFileSync(base(), '');
      await refused(/is no directory/);
    });

    it('and works there once that is removed', async () => {
      writeFileSync(base(), '');
      const locks = createLockManager({ name: 'refused', scope: 'host', directory });
      await assert.rejects(locks.request('x', () => {}), /is no directory/);
      rmSync(base());
      assert.strictEqual(await locks.request('x', () => 'granted'), 'granted');
    });

    it('while no other user can read what is there', async () => {
      await createLockManager({ name: 'private', scope: 'host', directory }).request('x', () => {});
      const { statSync } = await import('node:fs');
      assert.strictEqual(statSync(base()).mode & 0o777, 0o700);
    });
  });
});
