/** No context waits for another one's thread, unless that one holds the requested lock. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** Milliseconds that a page computes without a pause. */
const BUSY = 3000;

eachBrowser('while the eldest page computes', {}, (the) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('./contexts.js').Context} */
  let eldest;

  beforeEach(async () => {
    stage = await Stage.open(the);
    eldest = await stage.tab();
  });

  /** Keeps a page busy, and lets [act] happen meanwhile. @param {import('./contexts.js').Context} page @param {() => any} act */
  const whileBusy = async (page, act) => {
    await page.tell(the.name === 'webkit' ? 'computeAtRest' : 'compute', 'page', BUSY);
    await stage.event('page', 'busy');
    await act();
    await stage.event('page', 'idle');
  };

  /** The events between these two. */
  const meanwhile = () => {
    const events = stage.events();
    return events.slice(events.indexOf('page busy') + 1, events.indexOf('page idle'));
  };

  it('another tab is granted a free lock, and one that a third tab releases', async () => {
    const [holder, other] = [await stage.tab(), await stage.tab()];
    await holder.hold('holder', 'kept');
    await other.queue('next', 'kept');
    await whileBusy(eldest, async () => {
      await Promise.all([other.request('free', 'free'), holder.release('holder')]);
      await Promise.all([stage.event('free', 'granted'), stage.event('next', 'granted')]);
    });
    assert.deepEqual(meanwhile().filter((event) => /granted/.test(event)).sort(), ['free granted', 'next granted']);
  });

  it('another tab is granted a lock that this one has just released', async function () {
    // The store's next transaction waits for the page that has just appended.
    if (the.name === 'webkit') this.skip();
    const other = await stage.tab();
    await eldest.hold('page', 'kept');
    await other.queue('next', 'kept');
    await eldest.tell('releaseAndCompute', 'page', BUSY);
    await Promise.all([stage.event('page', 'idle'), stage.event('next', 'granted')]);
    const events = stage.events();
    assert.ok(events.indexOf('next granted') < events.indexOf('page idle'), events.join(', '));
  });

  // wa-sqlite releases its locks only when another context says that it has asked.
  it('another tab requests, tells the holder, and computes: it comes before the holder\'s next request', async function () {
    // As above.
    if (the.name === 'webkit') this.skip();
    const other = await stage.tab();
    await eldest.tab.evaluate(() => new Promise((inside) => {
      void navigator.locks.request('kept', () => new Promise((release) => {
        new BroadcastChannel('asks').onmessage = () => {
          release();
          void navigator.locks.request('kept', { ifAvailable: true }, (lock) => { self.hasAgain = !!lock; });
        };
        inside(true);
      }));
    }));
    await other.tab.evaluate((/** @type {number} */ milliseconds) => {
      void navigator.locks.request('kept', () => { self.hasIt = true; });
      new BroadcastChannel('asks').postMessage('');
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    }, BUSY);
    await until(() => other.tab.evaluate(() => self.hasIt), 5000, 'the other one has it');
    await until(() => eldest.tab.evaluate(() => self.hasAgain !== undefined), 5000, 'the first one is answered');
    assert.equal(await eldest.tab.evaluate(() => self.hasAgain), false);
  });

  it('its own worker is granted a free lock', async function () {
    // WebKit makes a worker wait for its page with native locks too, as with IndexedDB.
    if (the.name === 'webkit') this.skip();
    const worker = await eldest.add('worker');
    const witness = await stage.tab();
    // A worker's fetch may need its page. Its messages do not.
    await witness.tab.evaluate(() => {
      self.witness = new BroadcastChannel('granted');
      self.witness.onmessage = ({ data }) => fetch('/log', { method: 'POST', body: JSON.stringify(data) });
    });
    await worker.tell('requestInTurn', ['one', 'two', 'three']);
    await whileBusy(eldest, () => witness.tab.evaluate(() => new BroadcastChannel('go').postMessage('')));
    await stage.event('three', 'granted');
    assert.deepEqual(meanwhile(), ['one granted', 'two granted', 'three granted']);
  });

  it('the lock of a tab that dies is released', async () => {
    const [victim, waiter] = [await stage.tab(), await stage.tab()];
    await victim.tab.pid();
    await victim.hold('victim', 'name');
    await waiter.queue('waiter', 'name');
    victim.forget();
    await whileBusy(eldest, async () => {
      await victim.tab.kill();
      await stage.event('waiter', 'granted');
    });
    assert.deepEqual(meanwhile(), ['waiter granted']);
  });

  it('a newcomer gets the state from another member', async () => {
    await stage.tab();
    // Without the time to load.
    const newcomer = await stage.page();
    await whileBusy(eldest, async () => {
      await newcomer.request('newcomer', 'name');
      await stage.event('newcomer', 'granted');
    });
    assert.deepEqual(meanwhile(), ['newcomer granted']);
  });

  it('its own lock stays held', async () => {
    const other = await stage.tab();
    await eldest.hold('eldest', 'name');
    await whileBusy(eldest, () => other.queue('other', 'name'));
    assert.deepEqual(meanwhile(), []);
    await eldest.release('eldest');
    await stage.event('other', 'granted');
  });
});
