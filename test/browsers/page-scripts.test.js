/** Pages with scripts of their own beside Lockkeeper: they write documents anew, dispatch events, and replace clocks. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

eachBrowser('locks and a page\'s scripts', {}, (the) => {
  /** @type {Stage} */
  let stage;

  beforeEach(async () => { stage = await Stage.open(the); });

  const targets = { 'the window': (window) => window, 'an element': ({ document }) => document.body };
  for (const [title, target] of Object.entries(targets)) {
    it(`a pagehide that a library dispatches at ${title} ends nothing`, async function () {
      // In WebKit, the driver's part in the top page hears `pagehide`, too.
      const [holder, other] = [await (await stage.page()).add('frame'), await stage.tab()];
      await holder.hold('held', 'name');
      await other.queue('waits', 'name');
      await holder.tab.evaluate(`(${target})(frames[0]).dispatchEvent(new CustomEvent('pagehide', { bubbles: true })) && null`);
      await holder.hold('another', 'free');
      assert.deepEqual(stage.grants(), ['held', 'another']);
      await holder.release('held');
      await stage.event('waits', 'granted');
    });
  }

  it('a page that has written its document anew holds nothing in the back-forward cache', async function () {
    // There, the listeners of the store (glue/order/store.js) would have to be added again, too.
    if (the.name === 'webkit') this.skip();
    const [holder, other] = [await (await stage.page()).add('frame'), await stage.tab()];
    await holder.hold('held', 'name');
    await other.queue('waits', 'name');
    await holder.tab.evaluate(async () => {
      const { contentDocument, contentWindow } = document.querySelector('iframe');
      contentDocument.open();
      contentDocument.write('<p>new</p>');
      contentDocument.close();
      await undefined;
      contentWindow.dispatchEvent(new contentWindow.PageTransitionEvent('pagehide', { persisted: true }));
    });
    await stage.event('waits', 'granted');
  });

  for (const isAtOnce of [false, true]) {
    const when = isAtOnce ? 'and is removed in the same task' : 'and is removed later';
    it(`a blank frame whose document was written anew, ${when}, leaves no lock behind`, async function () {
      // In WebKit nothing reports a later removal.
      if (the.name === 'webkit' && !isAtOnce) this.skip();
      const [{ tab }, other] = [await stage.page(), await stage.tab()];
      await tab.evaluate(() => new Promise((held) => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        const { Navigator } = frame.contentDocument.defaultView;
        delete Navigator.prototype.locks;
        frame.contentWindow.navigator.locks.request('name', () => new Promise(() => held()));
      }));
      await other.queue('waits', 'name');
      await tab.evaluate(async (/** @type {boolean} */ atOnce) => {
        const frame = document.querySelector('iframe');
        frame.contentDocument.open();
        frame.contentDocument.write('<p>new</p>');
        frame.contentDocument.close();
        if (!atOnce) await undefined;
        frame.remove();
      }, isAtOnce);
      await stage.event('waits', 'granted');
    });
  }

  const libraries = {
    'gives arrays a toJSON()': () => { Array.prototype.toJSON = function toJSON() { return `[${this.join()}]`; }; },
    'replaces reduce()': () => { Array.prototype.reduce = function first() { return this[0]; }; },
    'puts others in the place of storage and channels': () => {
      Object.defineProperty(self, 'indexedDB', { value: { open: () => ({}), deleteDatabase: () => ({}) } });
      self.IDBKeyRange = class {};
      self.BroadcastChannel = class extends EventTarget { postMessage() {} close() {} };
    },
    // Names of members that may be absent in what contexts exchange or store, and of some that may not.
    'gives all objects further members': () => [
      'dead', 'wait', 'hold', 'limit', 'resolve', 'here', 'epoch', 'unseen', 'client', 'request', 'number', 'now', 'log', 'alive',
      'stateful', 'incomplete', 'order', 'fence', 'news', 'members', 'generation',
    ].forEach((name) => {
      Object.defineProperty(Object.prototype, name, { value() {}, configurable: true, writable: true });
    }),
  };
  for (const [title, changes] of Object.entries(libraries)) {
    it(`a page that ${title} still takes part, as old libraries did`, async () => {
      const [page, other] = [await (await stage.page()).add('frame'), await stage.tab()];
      await page.tab.evaluate(`frames[0].eval(${JSON.stringify(`(${changes})()`)}) && null`);
      await page.hold('held', 'name');
      await other.queue('waits', 'name');
      await page.release('held');
      await stage.event('waits', 'granted');
      await page.request('waits again', 'name');
      // Lists of such a page do not reach the test.
      const pending = await page.tab.evaluate('frames[0].navigator.locks.query().then(({ pending }) => pending.length)');
      assert.equal(pending, 1);
      assert.deepEqual(stage.grants(), ['held', 'waits']);
      await other.release('waits');
      await stage.event('waits again', 'granted');
    });
  }

  it('a page whose tests have stopped its timers and clocks still takes part', async () => {
    const page = await stage.page();
    await page.tab.evaluate(() => {
      self.setTimeout = () => 0;
      performance.now = Date.now = () => 0;
    });
    await stage.joined(page);
    await page.hold('held', 'name');
    const newcomer = await stage.tab();
    await newcomer.hold('other', 'other name');
    await page.queue('waits for the dead', 'other name');
    await newcomer.queue('waits', 'name');
    await page.release('held');
    await stage.event('waits', 'granted');
    await newcomer.tab.close();
    await stage.event('waits for the dead', 'granted');
  });

  it('a page whose clock shows an impossible time before the library is loaded takes part', async () => {
    const page = await stage.page();
    const grants = await page.tab.evaluate(async () => {
      const grants = [];
      for (const now of ['1e300', 'NaN', '-5.5', '1e15']) {
        const program = `Date.now = () => ${now}; importScripts('${location.origin}/library.js');
          navigator.locks.request('name', () => postMessage('${now}'));`;
        const worker = new Worker(URL.createObjectURL(new Blob([program])));
        grants.push(await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); }));
        worker.terminate();
      }
      return grants;
    });
    assert.deepEqual(grants, ['1e300', 'NaN', '-5.5', '1e15']);
  });

  for (const isAlone of [true, false]) {
    const company = isAlone ? 'alone' : 'beside another tab';
    it(`a program that calls at the end of its stack, ${company}, leaves nothing half done`, async function () {
      // It takes long to reach the end of the stack there.
      if (the.name === 'webkit') this.skip();
      const page = await stage.page();
      if (!isAlone) await (await stage.tab()).hold('other', 'other name');
      const left = await page.tab.evaluate(async () => {
        const { locks } = navigator;
        /** Calls [next] that many calls above the end of the stack, or just so if [depth] is negative. */
        const callAbove = (depth, next) => {
          if (depth < 0) return void next();
          let risen = 0;
          const dig = () => {
            try {
              dig();
            } catch {
              if (!risen) risen = 1;
            }
            if (risen++ === depth) next();
          };
          try {
            dig();
          } catch {
            // The stack has ended in [next].
          }
        };
        const ask = (name, ...rest) => locks.request(name, ...rest, () => {});
        // Until all is compiled: engines compile nothing near the end of the stack.
        for (let i = 0; i < 300; i++) await Promise.all([ask('warm up'), ask('warm up'), ask(`warm up ${i}`, { ifAvailable: true })]);
        for (let depth = -5; depth < 60; depth++) {
          callAbove(depth, () => void ask(`name ${depth}`).catch(() => {}));
          await ask(`name ${depth}`);
          const controller = new AbortController();
          let aborted;
          await locks.request('held', () => {
            aborted = ask('held', { signal: controller.signal }).catch(({ name }) => name);
            callAbove(depth, () => controller.abort());
            controller.abort();
          });
          // At the very end of the stack no listener hears of the abort. Then the request ends when it would be granted.
          if (await aborted !== 'AbortError') throw new Error(`not aborted at ${depth}`);
        }
        const { held, pending } = await locks.query();
        return [...held, ...pending].map(({ name }) => name);
      });
      assert.deepEqual(left, isAlone ? [] : ['other name']);
    });
  }

  it('a worker whose first request comes near the end of its stack, where engines compile nothing, is granted later ones', async () => {
    const page = await stage.page();
    const answers = await page.tab.evaluate(async (/** @type {string} */ library) => {
      const program = (depth) => `importScripts('${library}');
        let isTold = true, risen = 0;
        const ask = (name) => navigator.locks.request(name, () => {});
        const act = () => { if (!isTold) ask('name ${depth}').catch(() => {}); };
        const dig = () => { try { dig(); } catch { if (!risen) risen = 1; } if (risen++ === ${depth}) act(); };
        act();
        isTold = false;
        try { dig(); } catch {}
        ask('name ${depth}').then(() => ask('other name')).then(() => postMessage('granted'));`;
      const answers = [];
      for (let depth = 470; depth < 560; depth += 5) {
        const worker = new Worker(URL.createObjectURL(new Blob([program(depth)])));
        answers.push(await new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          setTimeout(resolve, 3000, `nothing at ${depth}`);
        }));
        worker.terminate();
      }
      return answers.filter((answer) => answer !== 'granted');
    }, `${stage.origin}/library.js`);
    assert.deepEqual(answers, []);
  });
});
