/** Windows that a page has opened run on its thread: locks are granted in the order of the calls, whichever window makes them. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** Calls in one task. */
const CALLS = 30;

eachBrowser('a page and the windows that it opens', {}, (the) => {
  /** @type {any} */
  let tab;

  beforeEach(async () => {
    const stage = await Stage.open(the);
    ({ tab } = await stage.page());
    const opened = await tab.evaluate(() => new Promise((resolve) => {
      self.windows = [self];
      const open = (/** @type {string} */ id, /** @type {any} */ opener, /** @type {() => void} */ then) => {
        const window = opener.open(`/pages/context.html?id=${id}`, id, 'width=200,height=200');
        if (!window) {
          resolve(false);
          return;
        }
        self.windows.push(window);
        window.addEventListener('load', then);
      };
      open('first', self, () => open('second', self, () => open('third', self.windows[1], () => resolve(true))));
    }));
    assert.ok(opened, 'the browser opens windows');
  });

  afterEach(async () => {
    await tab.evaluate(() => self.windows.slice(1).reverse().forEach((/** @type {any} */ window) => window.close())).catch(() => {});
  });

  /**
   * The windows call one after the other, all in one task, and one lock goes round. Resolves with the grants.
   * @param {number[]} calling the windows' places @param {number[]} [joined] those that have asked before
   */
  const callInTurn = (calling, joined = calling) => tab.evaluate(async (
    /** @type {number[]} */ callers, /** @type {number[]} */ earlier, count) => {
    for (const place of earlier) await self.windows[place].navigator.locks.query();
    const grants = /** @type {number[]} */ ([]);
    await Promise.all(Array.from({ length: count }, (_, call) =>
      self.windows[callers[call % callers.length]].navigator.locks.request('name', () => void grants.push(call))));
    return grants;
  }, calling, joined, CALLS);

  const inOrder = Array.from({ length: CALLS }, (_, call) => call);

  it('opener and opened', async () => {
    assert.deepEqual(await callInTurn([0, 1]), inOrder);
    assert.deepEqual(await callInTurn([1, 0, 0]), inOrder);
  });

  it('two windows of one opener', async () => {
    assert.deepEqual(await callInTurn([1, 2]), inOrder);
  });

  it('a window, and one that it has opened in turn', async () => {
    assert.deepEqual(await callInTurn([3, 0, 1, 2]), inOrder);
  });

  it('opener, and a window that has joined before it asks for anything', async () => {
    await tab.evaluate(() => new Promise((resolve) => {
      const window = /** @type {any} */ (open('/pages/joins.html?id=joins', 'joins', 'width=200,height=200'));
      self.windows.push(window);
      window.addEventListener('load', resolve);
    }));
    const isMember = () => tab.evaluate(() => self.readRegister()
      .then((/** @type {any[] | undefined} */ changes) => (changes || []).some(({ value }) => value.type === 'begin')));
    await until(isMember, 5000, 'it has joined');
    assert.deepEqual(await callInTurn([0, 4], [0]), inOrder);
  });

  it('also if a lock is held, or is released meanwhile', async () => {
    const grants = await tab.evaluate(async (/** @type {number} */ count) => {
      const [opener, opened] = self.windows.map((/** @type {any} */ { navigator }) => navigator.locks);
      await opened.query();
      const grants = /** @type {number[]} */ ([]);
      let release = () => {};
      const held = new Promise((resolve) => { release = () => resolve(undefined); });
      const all = /** @type {Promise<any>[]} */ ([]);
      await new Promise((granted) => { all.push(opener.request('name', () => (granted(undefined), held))); });
      for (let call = 0; call < count; call++) {
        all.push((call % 2 ? opener : opened).request('name', () => void grants.push(call)));
        if (call === count / 2) release();
      }
      await Promise.all(all);
      return grants;
    }, CALLS);
    assert.deepEqual(grants, inOrder);
  });
});
