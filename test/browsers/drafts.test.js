/** The drafts between tabs of one origin. The hunt for deadlocks: ACQUISITIONS=2000 is the whole run. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Referee } from '../drafts/hunt.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

const folders = {
  drafts: fileURLToPath(new URL('../drafts', import.meta.url)),
  ...(process.env.DIST ? { dist: path.resolve(process.env.DIST) } : {}),
};
const acquisitions = Number(process.env.ACQUISITIONS ?? 160);

eachBrowser('the drafts', { folders, library: null }, (the) => {
  /** @type {string} */
  let origin;
  /** @type {number} */
  let first;

  beforeEach(async () => {
    origin = await the.server.newOrigin();
    first = the.server.log.length;
  });

  afterEach(() => {
    the.server.onEntry = null;
  });

  const open = async () => {
    const tab = await the.newTab(`${origin}/drafts/pages/context.html`);
    await until(() => tab.evaluate(() => typeof self.actor === 'function'), 10000, 'the page has its modules', 5);
    const tell = (/** @type {string} */ command, /** @type {any[]} */ ...args) =>
      tab.evaluate((/** @type {string} */ name, /** @type {any[]} */ list) => self.actor(name, list), command, args);
    await tell('ready');
    return { tab, tell, keep: (/** @type {any[]} */ ...args) => tell('keep', ...args) };
  };

  const entries = () => the.server.log.slice(first);
  const events = () => entries().map(({ tag, event }) => `${tag} ${event}`);
  const happens = (/** @type {string} */ text) => until(() => entries().find(({ tag, event }) => `${tag} ${event}` === text), 10000,
    () => `${text}; the log: ${events().join(', ')}`, 2);
  const queued = (/** @type {any} */ tab, /** @type {number} */ count) => until(
    async () => (await tab.tell('queryState')).pending.length >= count, 10000, `${count} are queued`, 2);

  it('one queue, one order for every face, and all names or none', async () => {
    const [one, two] = [await open(), await open()];
    await one.keep('holder', 'acquire', ['b', 'a', 'b', 'c']);
    assert.deepEqual((await happens('holder granted')).scope, ['a', 'b', 'c']);
    /** @type {[any, string, any][]} */
    const asked = [
      [two, 'explicit', ['b', 'a']], [one, 'request', 'b'], [two, 'flag', ['c', 'b']], [one, 'auto', 'c'], [two, 'scoped', ['a', 'c']],
      [one, 'acquire', 'a'],
    ];
    for (const [index, [tab, face, scope]] of asked.entries()) {
      await tab.keep(face, face, scope);
      await queued(one, index + 1);
    }
    const { held, pending } = await one.tell('queryState');
    assert.deepEqual(held, [{ mode: 'exclusive', scope: ['a', 'b', 'c'] }]);
    assert.deepEqual(pending.map((/** @type {any} */ { scope }) => scope.join('')), ['ab', 'b', 'bc', 'c', 'ac', 'a']);
    assert.deepEqual((await two.tell('query')).held.map((/** @type {any} */ { name }) => name), ['a', 'b', 'c']);
    await one.tell('release', 'holder');
    for (const [tab, face] of asked) {
      await happens(`${face} granted`);
      await tab.tell('release', face);
    }
    await happens('acquire ended');
    assert.deepEqual(entries().filter(({ event }) => event === 'granted').map(({ tag }) => tag),
      ['holder', ...asked.map(([, face]) => face)]);
    const fences = entries().filter(({ fence }) => fence).map(({ fence }) => fence);
    assert.deepEqual(fences, [...fences].sort((a, b) => a - b));
  });

  it('forceRelease() from another tab: removals first, then grants', async () => {
    const [one, two] = [await open(), await open()];
    await one.keep('a', 'explicit', ['a', 'x']);
    await happens('a granted');
    await two.keep('b', 'acquire', 'b');
    await happens('b granted');
    await one.keep('both', 'acquire', ['a', 'b']);
    await queued(two, 1);
    await two.keep('late', 'acquire', 'b');
    await queued(one, 2);
    await two.tell('forceRelease', ['b', 'x']);
    for (const tag of ['a', 'b']) {
      await happens(`${tag} AbortError`);
      assert.equal((await happens(`${tag} lost`)).reason ?? 'AbortError', 'AbortError');
    }
    await happens('both granted');
    await one.tell('release', 'a');
    await two.tell('release', 'b');
    assert.deepEqual((await two.tell('queryState')).pending, [{ mode: 'exclusive', scope: ['b'] }]);
    await one.tell('release', 'both');
    await happens('late granted');
    await two.tell('release', 'late');
    await happens('late ended');
  });

  it('ifAvailable, signal and shared across tabs', async () => {
    const [one, two] = [await open(), await open()];
    await one.keep('reader', 'acquire', ['a', 'b'], { mode: 'shared' });
    await happens('reader granted');
    await two.keep('second', 'explicit', ['b', 'c'], { mode: 'shared', ifAvailable: true });
    await happens('second granted');
    await two.keep('tried', 'acquire', ['a'], { ifAvailable: true });
    await happens('tried unavailable');
    await two.keep('aborted', 'auto', ['a', 'd'], { abortable: true });
    await queued(one, 1);
    await one.keep('behind', 'flag', ['d']);
    await queued(one, 2);
    await two.tell('abort', 'aborted');
    await happens('aborted AbortError');
    await happens('behind granted');
  });

  it('timeout and hold; the holder is told', async () => {
    const [one, two] = [await open(), await open()];
    await one.keep('leased', 'explicit', ['a', 'b'], { hold: 300 });
    await happens('leased granted');
    await two.keep('once', 'flag', 'a', { timeout: 0 });
    await happens('once TimeoutError');
    await two.keep('short', 'flag', ['a', 'c'], { timeout: 50 });
    await happens('short TimeoutError');
    await two.keep('next', 'explicit', 'b', { timeout: 5000 });
    await happens('next granted');
    await happens('leased lost');
    await happens('leased TimeoutError');
  });

  it('a timeout ends though the asking tab is busy', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await one.keep('reader', 'acquire', 'a', { mode: 'shared' });
    await happens('reader granted');
    await two.keep('writer', 'flag', ['a', 'b'], { timeout: 300 });
    await queued(one, 1);
    const blocked = two.tell('block', 3000);
    await three.keep('behind', 'explicit', 'a', { mode: 'shared' });
    await happens('behind granted');
    assert.ok(!events().includes('writer TimeoutError'));
    await blocked;
    await happens('writer TimeoutError');
  });

  it('onContention, and inspect() with the time', async () => {
    const [one, two] = [await open(), await open()];
    const before = Date.now();
    await one.keep('holder', 'explicit', ['a', 'b'], { tellsOfOthers: true });
    await happens('holder granted');
    await two.keep('waiter', 'acquire', ['b', 'c'], { mode: 'shared' });
    const { mode, scope } = await happens('holder contention');
    assert.deepEqual([mode, scope], ['shared', ['b', 'c']]);
    const { members } = await two.tell('inspect');
    const [held] = members.flatMap((/** @type {any} */ member) => member.held);
    const [pending] = members.flatMap((/** @type {any} */ member) => member.pending);
    assert.deepEqual([held.names, pending.names], [['a', 'b'], ['b', 'c']]);
    for (const { since } of [held, pending]) assert.ok(since >= before - 1000 && since <= Date.now() + 1000);
    assert.ok(held.since <= pending.since);
  });

  it('a closed tab\'s scope is free', async () => {
    const [one, two] = [await open(), await open()];
    await two.keep('closed', 'explicit', ['a', 'b']);
    await happens('closed granted');
    await one.keep('next', 'acquire', ['b', 'c']);
    await queued(one, 1);
    await two.tab.close();
    await happens('next granted');
  });

  it(`no deadlock: ${acquisitions} acquisitions in 8 tabs`, async function () {
    this.timeout(30000 + acquisitions * 200);
    this.slow(30000 + acquisitions * 200);
    const tabs = [];
    while (tabs.length < 8) tabs.push(await open());
    const referee = new Referee();
    /** @type {Map<number, any>} */
    const tokens = new Map();
    let last = 0;
    let failure = '';
    the.server.onEntry = ({ event, scope, mode, token }) => {
      try {
        if (event === 'leave') {
          referee.leave(tokens.get(token));
          return {};
        }
        tokens.set(++last, referee.enter(scope, mode));
        return { token: last };
      } catch (error) {
        failure = String(error);
        return {};
      }
    };
    const began = performance.now();
    for (const { tell } of tabs) await tell('hunt', acquisitions / tabs.length, 2);
    for (const { tell } of tabs) {
      await until(async () => {
        const end = await tell('huntEnd');
        failure = failure || end.failure;
        return !end.open || failure;
      }, 20000 + acquisitions * 100, () => `the hunt ends; ${referee.grants} were granted`, 50);
    }
    assert.equal(failure, '');
    assert.equal(referee.grants, acquisitions);
    console.log(`      ${referee.grants} acquisitions granted, none overlapping, at most ${referee.most} held at once: ` +
      `${((performance.now() - began) / 1000).toFixed(1)} s`);
  });
});
