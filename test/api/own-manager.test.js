/** Managers of createLockManager(): close(), inspect(), and the drafts over them. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { draftsOf } from '../../glue/entries/drafts.js';
import { createLockManager, inspect, LockManager, locks } from '../../glue/entries/index.js';
import { deferred, rejection } from './kit.js';

/** Holds [name] until release() is called. @param {any} manager @param {string} name */
const hold = async (manager, name) => {
  const [begun, end] = [deferred(), deferred()];
  const done = manager.request(name, () => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  return { release: end.resolve, done };
};

/** @param {any} report */
const clientsIn = (report) => report.members.map((/** @type {any} */ { client }) => client);

let count = 0;

for (const scope of ['process', 'host']) {
  describe(`a manager of its own, scope '${scope}'`, () => {
    /** @type {string | undefined} */
    let directory;
    /** @type {string} */
    let name;
    /** @type {any[]} */
    let made;
    const create = () => {
      const manager = createLockManager(scope === 'host' ? { name, scope, directory } : { name });
      made.push(manager);
      return manager;
    };

    before(() => {
      if (scope === 'host') directory = fs.mkdtempSync(path.join(os.tmpdir(), 'own-manager-'));
    });
    beforeEach(() => {
      name = `own ${process.pid} ${count++}`;
      made = [];
    });
    afterEach(() => Promise.all(made.map((manager) => manager.close())));
    after(() => {
      if (directory) fs.rmSync(directory, { recursive: true });
    });

    it('is where its options say', async () => {
      await create().query();
      if (directory) assert.notDeepEqual(fs.readdirSync(directory), []);
    });

    it('has further members, and is a LockManager', () => {
      const manager = create();
      assert.ok(manager instanceof LockManager);
      assert.deepEqual(Object.keys(manager), []);
      assert.equal(String(manager), '[object LockManager]');
      for (const member of ['close', 'inspect']) assert.ok(!(member in locks), `${member} is not on navigator.locks`);
    });

    it('close() ends what waits, keeps held locks until they end, and then leaves', async () => {
      const [one, other] = [create(), create()];
      const held = await hold(one, 'a');
      const waiting = rejection(one.request('a', () => {}));
      const behind = other.request('a', async () => clientsIn(await other.inspect()));
      const { client } = await one.inspect();
      assert.equal(clientsIn(await other.inspect()).length, 2);

      const closed = one.close();
      assert.equal(one.close(), closed);
      assert.equal((await waiting).name, 'AbortError');
      assert.equal((await rejection(one.request('b', () => {}))).name, 'InvalidStateError');
      const { held: still } = await other.query();
      assert.deepEqual(still.map((/** @type {any} */ { clientId }) => clientId), [client]);

      held.release('done');
      assert.equal(await held.done, 'done');
      await closed;
      assert.equal((await behind).length, 1);
    });

    it('close() lets an answer that is under way arrive', async () => {
      const manager = create();
      const [query, inspection] = [manager.query(), manager.inspect()];
      await manager.close();
      assert.deepEqual(await query, { held: [], pending: [] });
      assert.equal((await inspection).members.length, 1);
    });

    it('close() ends an ifAvailable request, and a request with a signal that never aborts', async () => {
      const [one, other] = [create(), create()];
      const held = await hold(other, 'a');
      const { signal } = new AbortController();
      const both = [{ ifAvailable: true }, { signal }].map((options) => rejection(one.request('a', options, () => assert.fail('it runs'))));
      await one.close();
      for (const error of await Promise.all(both)) assert.equal(error.name, 'AbortError');
      held.release();
      assert.deepEqual((await other.query()).pending, []);
    });

    it('close() before the first request opens nothing, and another manager of that name goes on', async () => {
      const [one, other] = [create(), create()];
      await one.close();
      assert.equal(await other.request('a', () => 1), 1);
    });

    it('close() after a loss', async () => {
      const [one, other] = [create(), create()];
      const held = await hold(one, 'a');
      await other.request('a', { steal: true }, () => {});
      assert.equal((await rejection(held.done)).name, 'AbortError');
      await one.close();
      assert.equal(clientsIn(await other.inspect()).length, 1);
    });

    it('can be disposed of', async function () {
      if (!Symbol.asyncDispose) this.skip();
      const [one, other] = [create(), create()];
      await one.request('a', () => {});
      await one[Symbol.asyncDispose]();
      assert.equal((await rejection(one.query())).name, 'InvalidStateError');
      assert.equal(clientsIn(await other.inspect()).length, 1);
    });

    it('inspect() shows this manager alone', async () => {
      const manager = create();
      await manager.request('a', async () => {
        const { members } = await manager.inspect();
        assert.deepEqual(members.map((/** @type {any} */ { held }) => held.map((/** @type {any} */ { names }) => names)), [[['a']]]);
        const others = (await inspect()).members.flatMap(({ held }) => held);
        assert.deepEqual(others, []);
      });
    });

    it('has the drafts, on its own names', async () => {
      const [one, other] = [create(), create()];
      const { acquire, queryState, requestExplicitLock } = draftsOf(one);
      const { forceRelease } = draftsOf(other);
      const handle = await requestExplicitLock(['b', 'a']);
      assert.deepEqual(handle.scope, ['a', 'b']);
      assert.equal(await other.request('a', { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
      assert.ok(await locks.request('a', { ifAvailable: true }, (/** @type {any} */ lock) => lock));
      assert.deepEqual((await queryState()).held, [{ mode: 'exclusive', scope: ['a', 'b'] }]);
      assert.ok(await acquire('c', (/** @type {any} */ { fence }) => fence) > handle.fence);

      const { signal } = handle;
      await forceRelease('a');
      assert.equal((await rejection(handle.released)).name, 'AbortError');
      assert.ok(signal.aborted);
      const leased = acquire('a', { hold: 1 }, () => new Promise(() => {}));
      assert.equal((await rejection(leased)).name, 'TimeoutError');

      const contention = deferred();
      const asked = await requestExplicitLock('d', { onContention: contention.resolve });
      const waiting = other.request('d', () => 'granted');
      assert.equal((await contention.promise).mode, 'exclusive');
      asked.release();
      assert.equal(await waiting, 'granted');

      // A lock of a draft counts as held when its manager is closed.
      const kept = await requestExplicitLock('e');
      const closed = one.close();
      assert.equal((await rejection(acquire('f', () => {}))).name, 'InvalidStateError');
      assert.equal(await other.request('e', { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
      kept.release();
      await closed;
    });
  });
}

describe('draftsOf(locks)', () => {
  it('are the drafts of lockkeeper/drafts', async () => {
    const name = `default ${process.pid}`;
    await draftsOf(locks).acquire(name, async () => {
      assert.equal(await locks.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
    });
  });
});

describe('a manager over a claims service', () => {
  it('takes the address as a string or as a URL', () => {
    for (const url of ['http://localhost', new URL('http://localhost')]) assert.ok(createLockManager({ url }) instanceof LockManager);
  });
});

describe('a manager of the default names', () => {
  it('can be closed, unlike navigator.locks', async () => {
    const name = `keepAlive ${process.pid}`;
    const manager = createLockManager({ keepAlive: false });
    await locks.request(name, async () => {
      assert.equal(await manager.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
    });
    await manager.close();
    assert.equal(await locks.request(name, () => 1), 1);
  });

  it('is no manager with a name, whatever its keepAlive', async () => {
    const name = `named ${process.pid}`;
    const manager = createLockManager({ name, keepAlive: false });
    await locks.request(name, async () => {
      assert.equal(await manager.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock !== null), true);
    });
    await manager.close();
  });
});
