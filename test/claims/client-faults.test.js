/** Single requests of the lock manager over a claims service fail: no claim is left in a session that other locks keep alive. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { createClaimsLockManager } from '../../glue/claims/manager.js';
import * as realTime from '../../glue/platform/node/timers.js';
import { startService, until } from './support/service.js';

const taken = ['URL', 'DOMException', 'AbortController', 'Headers', 'performance'];
/** Milliseconds after which the manager gives up an attempt that has no answer, alone and with a wait. */
const ATTEMPTS = [12_000, 37_000];

describe('claims: the lock manager when single requests fail', function () {
  this.timeout(30_000);
  let running;
  let other;
  before(async () => {
    running = await startService();
    other = createManager();
  });
  after(async () => {
    await other.close();
    await running.stop();
  });

  /**
   * @param {(asked: string, how: {signal: AbortSignal}, send: () => Promise<Response>) => unknown} [fail] what fetch() does instead, for a
   *   request such as "PATCH claims {"status":"released"}"; undefined: nothing else
   */
  function createManager(fail = () => undefined, options = {}) {
    const global = {
      ...Object.fromEntries(taken.map((name) => [name, globalThis[name]])),
      console: { warn: () => {} },
      fetch(url, how) {
        const send = () => fetch(url, how);
        const [, kind, query] = /v1\/(\w+)\/\d*\/?(.*)$/.exec(String(url));
        return fail(`${how.method ?? 'GET'} ${kind} ${how.body ?? query}`, how, send) ?? send();
      },
    };
    const time = {
      ...realTime, setTimeout: (call, milliseconds) => setTimeout(call, ATTEMPTS.includes(milliseconds) ? 200 : milliseconds),
    };
    return createClaimsLockManager(global, time, { url: running.url, ...options }, randomUUID, () => undefined).manager;
  }

  const answer = (status, body = '{"error":"no"}') => (
    Promise.resolve({ status, text: async () => body, headers: new Headers({ 'lockkeeper-claims': '1' }) }));
  /** Never answers. */
  const silence = ({ signal }) => new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')));
  });
  /** [fail] for the first request that matches after arm() was called. */
  const once = (pattern, fail) => {
    let armed = false;
    const failing = (asked, how, send) => {
      if (!armed || !pattern.test(asked)) return undefined;
      armed = false;
      return fail(how, send);
    };
    return Object.assign(failing, { arm: () => (armed = true) });
  };

  async function held(manager, name) {
    let release;
    let result;
    const lock = await new Promise((resolve, reject) => {
      result = manager.request(name, (granted) => {
        resolve(granted);
        return new Promise((end) => (release = end));
      });
      result.catch(reject);
    });
    return { lock, release, result };
  }

  for (const [title, pattern, fail, options] of [
    ['a release that is refused', /^PATCH claims .*released/, () => answer(401)],
    ['a release without an answer', /^PATCH claims .*released/, silence],
    ['a release that the network has not taken', /^PATCH claims .*released/, () => Promise.reject(new TypeError('cut')), { patience: 0 }],
    ['a claim whose answer is lost', /^POST claims/, (how, send) => send().then(() => silence(how))],
    ['a claim whose answer is lost, and no request waits for it', /^POST claims/,
      (how, send) => send().then(() => Promise.reject(new TypeError('cut'))), { patience: 0 }],
  ]) {
    it(`${title}: the lock is released, although another one keeps the session`, async () => {
      const failing = once(pattern, fail);
      const manager = createManager(failing, { ttl: 60, ...options });
      const longer = await held(manager, `${title}, another`);
      failing.arm();
      await manager.request(title, () => {}).catch(({ name }) => assert.equal(name, 'NetworkError'));
      assert.equal(await other.request(title, () => 'granted'), 'granted');
      assert.ok(!longer.lock.signal.aborted);
      longer.release();
      await longer.result;
      await manager.close();
    });
  }

  for (const [title, pattern, fail] of [
    ['an answer to a wait that is lost', /^GET claims .*wait/, (how, send) => send().then(() => silence(how))],
    ['a wait that is refused, because too many wait', /^GET claims .*wait/, () => answer(429)],
  ]) {
    it(`${title}: the request is granted`, async () => {
      const failing = once(pattern, fail);
      const manager = createManager(failing);
      const before = await held(other, title);
      failing.arm();
      const waiting = manager.request(title, () => 'granted');
      await until(async () => (await other.query()).pending.length === 1, 'the request');
      await delay(100);
      before.release();
      assert.equal(await waiting, 'granted');
      await manager.close();
    });
  }

  it('a renewal that is refused is repeated as long as the session lives', async () => {
    let refused = false;
    let renewed = false;
    const manager = createManager((asked, how, send) => {
      if (!asked.startsWith('PATCH sessions')) return undefined;
      if (refused) return send().finally(() => (renewed = true));
      refused = true;
      return answer(401);
    }, { ttl: 12 });
    const { lock, release, result } = await held(manager, 'renewed');
    await until(() => renewed, 'the renewal after it');
    assert.ok(!lock.signal.aborted);
    release();
    await result;
    await manager.close();
  });

  it('a claim that the service has forgotten while the client was cut off: the request is made again', async () => {
    const small = await startService({ service: { keep: 1 } });
    let cut = false;
    const manager = createManager((asked, how, send) => {
      if (cut) return Promise.reject(new TypeError('cut'));
      return asked.includes('wait=') ? send().then((response) => (cut ? Promise.reject(new TypeError('cut')) : response)) : undefined;
    }, { url: small.url, ttl: 1 });
    const holder = createManager(undefined, { url: small.url });
    const { release, result } = await held(holder, 'busy');
    const waiting = manager.request('busy', () => 'granted');
    await until(async () => (await holder.query()).pending.length === 1, 'the request');
    cut = true;
    await until(async () => (await holder.query()).pending.length === 0, 'its end');
    for (const name of ['a', 'b', 'c']) await holder.request(name, () => {});
    cut = false;
    release();
    await result;
    assert.equal(await waiting, 'granted');
    await Promise.all([holder.close(), manager.close()]);
    await small.stop();
  });

  it('a release that is refused keeps no process alive', async () => {
    const program = `
      import { createLockManager } from ${JSON.stringify(new URL('../../glue/entries/index.js', import.meta.url).href)};
      const send = fetch;
      const refuse = async () => new Response('{}', { status: 401, headers: { 'lockkeeper-claims': '1' } });
      globalThis.fetch = (to, how) => (String(how.body).includes('released') ? refuse() : send(to, how));
      await createLockManager({ url: '${running.url}', ttl: 60 }).request('refused', () => {});
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
    assert.equal(await new Promise((resolve) => { child.on('exit', resolve); }), 0);
  });

  it('a long ttl is no reason to renew at once', async () => {
    const asked = [];
    const manager = createManager((each) => void asked.push(each), { ttl: 1e9 });
    const { lock, release, result } = await held(manager, 'long');
    await delay(100);
    assert.deepEqual([lock.signal.aborted, asked.filter((each) => /^PATCH/.test(each))], [false, []]);
    release();
    await result;
    await manager.close();
  });

  it('no redirect is followed: the headers go nowhere else', async () => {
    const modes = [];
    for (const response of [{ status: 307 }, { status: 0, type: 'opaqueredirect' }]) {
      const manager = createManager((asked, { redirect }) => {
        modes.push(redirect);
        return Promise.resolve({ ...response, text: async () => '', headers: new Headers() });
      });
      await assert.rejects(manager.request('a', () => assert.fail()), /redirects to another address/);
    }
    assert.deepEqual(modes, ['manual', 'manual']);
  });
});
