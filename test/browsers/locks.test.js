/** Locks between tabs, a frame and workers of one origin. */
import assert from 'node:assert/strict';
import { libraryWith } from './companions.js';
import { Stage } from './contexts.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** In a page: the outcomes of its requests. */
const askInVain = async () => {
  const say = (error) => error.name;
  const request = () => navigator.locks.request('a', () => 'granted').catch(say);
  return [await request(), await request(), await navigator.locks.query().catch(say)];
};

eachBrowser('locks between contexts', {}, (the) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('./contexts.js').Context[]} */
  let contexts;

  /** Two tabs; in the second a frame, a worker and (where the engine has them) a shared worker. */
  beforeEach(async () => {
    stage = await Stage.open(the);
    const first = await stage.tab();
    const second = await stage.tab();
    contexts = [first, second];
    for (const kind of ['frame', 'worker', 'shared']) contexts.push(await second.add(kind));
  });

  it('are exclusive, and granted in the order of the requests', async () => {
    const [holder, ...others] = contexts;
    await holder.hold(holder.id, 'printer');
    for (const context of others) await context.queue(context.id, 'printer');
    assert.deepEqual(stage.grants(), [holder.id]);
    for (const [index, context] of contexts.entries()) {
      await stage.event(context.id, 'granted');
      assert.deepEqual(stage.grants(), contexts.slice(0, index + 1).map(({ id }) => id));
      await context.release(context.id);
      await stage.event(context.id, 'ended');
    }
  });

  it('are held by many readers together, and by a writer alone, and later readers do not overtake that writer', async () => {
    const [one, two, writer, late, later] = contexts;
    await one.hold('one', 'file', { mode: 'shared' });
    await two.hold('two', 'file', { mode: 'shared' });
    await writer.queue('writer', 'file');
    await late.queue('late', 'file', { mode: 'shared' });
    await later.queue('later', 'file', { mode: 'shared' });
    await two.release('two');
    await stage.event('two', 'ended');
    assert.deepEqual(stage.grants(), ['one', 'two']);
    await one.release('one');
    await stage.event('writer', 'granted');
    assert.deepEqual(stage.grants(), ['one', 'two', 'writer']);
    await writer.release('writer');
    await stage.event('late', 'granted');
    await stage.event('later', 'granted');
  });

  it('of different names do not block each other', async () => {
    for (const context of contexts) await context.hold(context.id, `name of ${context.id}`);
  });

  it('with ifAvailable, do not wait', async () => {
    const [holder, ...others] = contexts;
    await holder.hold('holder', 'seat', { mode: 'shared' });
    for (const context of others) {
      await context.request(context.id, 'seat', { ifAvailable: true });
      await stage.event(context.id, 'unavailable');
      await stage.event(context.id, 'ended');
    }
    await others[0].request('shared', 'seat', { ifAvailable: true, mode: 'shared' });
    await stage.event('shared', 'granted');
    await others[1].request('free', 'another seat', { ifAvailable: true });
    await stage.event('free', 'granted');
  });

  it('are stolen from any context by any other, and the queue stays behind the thief', async () => {
    const [holder, thief, waiter, last] = contexts;
    await holder.hold('holder', 'purse');
    await waiter.queue('waiter', 'purse');
    await thief.hold('thief', 'purse', { steal: true });
    await stage.event('holder', 'AbortError');
    await last.hold('last', 'purse', { steal: true });
    await stage.event('thief', 'AbortError');
    assert.deepEqual(stage.grants(), ['holder', 'thief', 'last']);
    await last.release('last');
    await stage.event('waiter', 'granted');
  });

  it('are no longer waited for after an abort', async () => {
    const [holder, tired, next] = contexts;
    await holder.hold('holder', 'door');
    await tired.queue('tired', 'door');
    await next.queue('next', 'door', { mode: 'shared' });
    await tired.abort('tired');
    await stage.event('tired', 'AbortError');
    await holder.release('holder');
    await stage.event('next', 'granted');
    assert.deepEqual(stage.grants(), ['holder', 'next']);
  });

  it('are the same in a query from everywhere', async () => {
    const [one, two, three, four] = contexts;
    await one.hold('one', 'shelf', { mode: 'shared' });
    await two.hold('two', 'shelf', { mode: 'shared' });
    await three.queue('three', 'shelf');
    await four.queue('four', 'shelf', { mode: 'shared' });
    const [id1, id2, id3, id4] = await Promise.all([one, two, three, four].map((context) => context.clientId()));
    assert.equal(new Set([id1, id2, id3, id4]).size, 4);
    for (const context of contexts) {
      const { held, pending } = await context.query();
      const shelf = ({ name }) => name === 'shelf';
      assert.deepEqual({ held: held.filter(shelf), pending: pending.filter(shelf) }, {
        held: [{ name: 'shelf', mode: 'shared', clientId: id1 }, { name: 'shelf', mode: 'shared', clientId: id2 }],
        pending: [{ name: 'shelf', mode: 'exclusive', clientId: id3 }, { name: 'shelf', mode: 'shared', clientId: id4 }],
      });
    }
  });

  it('are apart from those of another origin', async () => {
    const elsewhere = await Stage.open(the);
    const stranger = await elsewhere.tab();
    await contexts[0].hold('ours', 'name');
    await stranger.hold('theirs', 'name');
    assert.equal((await stranger.query()).held.length, 1);
  });

  it('leave no transaction waiting when a page goes into the back-forward cache, and come back with it', async () => {
    const { tab } = await stage.page();
    // In a frame: if the top page went, the driver's connection would end too.
    const end = await tab.evaluate(() => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.src = '/pages/context.html?id=hidden';
      frame.onload = () => {
        const { IDBDatabase, PageTransitionEvent, navigator } = self.hidden = frame.contentWindow;
        const { transaction } = IDBDatabase.prototype;
        IDBDatabase.prototype.transaction = function (...given) {
          IDBDatabase.prototype.transaction = transaction;
          const started = transaction.apply(this, given);
          // Committed or given up: it must not stay open. WebKit tells of the request's error alone, once the connection is closed.
          for (const type of ['error', 'complete']) started.addEventListener(type, () => resolve(type));
          Promise.resolve().then(() => self.hidden.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
          return started;
        };
        navigator.locks.request('while it goes', () => {}).catch(() => {});
      };
      document.body.append(frame);
    }));
    assert.match(end, /^(error|complete)$/);
    const granted = await tab.evaluate(() => {
      const { PageTransitionEvent, navigator } = self.hidden;
      self.hidden.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      return navigator.locks.request('when it is back', () => 'granted');
    });
    assert.equal(granted, 'granted');
  });

  it('are lost to a page that goes into the back-forward cache, which is told so', async () => {
    const [, , frame] = contexts;
    await frame.hold('held', 'name');
    await frame.tab.evaluate(() => {
      const { PageTransitionEvent } = frames[0];
      frames[0].dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    });
    await stage.event('held', 'AbortError');
  });

  it('stay with a frozen page, which blocks nothing else', async function () {
    if (!the.browser.canFreeze) this.skip();
    const only = await Stage.open(the);
    const [frozen, member] = [await only.tab(), await only.tab()];
    await frozen.hold('frozen', 'kept');
    await member.hold('member', 'victim');
    await frozen.tab.freeze();
    const newcomer = await only.tab();
    await newcomer.hold('newcomer', 'free');
    await newcomer.queue('waits', 'kept');
    await newcomer.queue('next', 'victim');
    await member.tab.pid();
    member.forget();
    await member.tab.kill();
    await only.event('next', 'granted');
    assert.deepEqual(only.grants(), ['frozen', 'member', 'newcomer', 'next']);
    await frozen.tab.thaw();
    await frozen.release('frozen');
    await only.event('waits', 'granted');
  });

  it('of a removed frame are free, and nothing is reported in its name', async () => {
    const { tab } = await stage.page();
    const told = await tab.evaluate(async () => {
      const told = [];
      self.addEventListener('unhandledrejection', ({ reason }) => told.push(String(reason)));
      const frame = document.body.appendChild(document.createElement('iframe'));
      // The frame has native locks of its own.
      delete frame.contentDocument.defaultView.Navigator.prototype.locks;
      const { locks } = frame.contentWindow.navigator;
      await new Promise((held) => { locks.request('frame', () => new Promise(() => held())); });
      locks.request('frame', () => told.push('granted'));
      const next = navigator.locks.request('frame', () => {});
      await navigator.locks.query();
      frame.remove();
      await next;
      // A rejection would be reported after the task of its origin.
      await new Promise((later) => setTimeout(later));
      return told;
    });
    assert.deepEqual(told, []);
  });

  it('of a frame that is removed in the task of its request: nothing is reported in its name either', async () => {
    const { tab } = await stage.page();
    const told = await tab.evaluate(async () => {
      const told = [];
      const frame = document.body.appendChild(document.createElement('iframe'));
      // The frame has native locks of its own.
      delete frame.contentDocument.defaultView.Navigator.prototype.locks;
      const { locks } = frame.contentWindow.navigator;
      for (const name of ['first', 'second']) {
        locks.request(name, () => told.push('granted')).then(() => told.push('ended'), (error) => told.push(String(error)));
      }
      frame.remove();
      await navigator.locks.request('first', () => {});
      await new Promise((later) => setTimeout(later));
      return told;
    });
    assert.deepEqual(told, []);
  });

  it('are refused if there is no indexedDB, each request with the reason', async () => {
    const { tab } = await stage.page();
    const told = await tab.evaluate(async () => {
      Object.defineProperty(self, 'indexedDB', { value: undefined });
      const say = (error) => error.message;
      return [await navigator.locks.request('a', () => 'granted').catch(say), await navigator.locks.query().catch(say)];
    });
    for (const each of told) assert.match(each, /needs IndexedDB/);
  });

  it('are refused if the page may not use storage, each request with the reason', async () => {
    const { tab } = await stage.page();
    // As in Chromium, if the user has blocked the site's data.
    await tab.evaluate(() => {
      Object.defineProperty(self, 'localStorage', { get() { throw new DOMException('Access is denied.', 'SecurityError'); } });
    });
    assert.deepEqual(await tab.evaluate(askInVain), ['SecurityError', 'SecurityError', 'SecurityError']);
  });
});

/** As in Firefox, if the user has blocked the site's data; in workers, too. */
const refusing = `self.BroadcastChannel = class {
  constructor() { throw new DOMException('The operation is insecure.', 'SecurityError'); }
};`;
const library = libraryWith('refused-channel.js', refusing);

eachBrowser('locks where channels are refused', { library }, (the) => {
  it('are refused, each request with the reason', async function () {
    // Only where BroadcastChannel makes the order: the store opens its channel later.
    if (the.name === 'webkit') this.skip();
    const { tab } = await (await Stage.open(the)).page();
    assert.deepEqual(await tab.evaluate(askInVain), ['SecurityError', 'SecurityError', 'SecurityError']);
    // The page is hidden and shown, say: nothing is tried again then, and no error is reported.
    const errors = await tab.evaluate(() => {
      const errors = /** @type {any[]} */ ([]);
      self.onerror = (message) => void errors.push(message);
      document.dispatchEvent(new Event('visibilitychange'));
      return errors;
    });
    assert.deepEqual(errors, []);
  });
});

const late = libraryWith('late-storage.js', `self.late = { indexedDB, IDBKeyRange, BroadcastChannel: self.BroadcastChannel };
  for (const name of Object.keys(self.late)) Object.defineProperty(self, name, { value: undefined, configurable: true, writable: true });`);

eachBrowser('locks where storage is provided after the library was loaded', { library: late }, (the) => {
  it('are exclusive', async () => {
    const stage = await Stage.open(the);
    const [one, two] = [await stage.page(), await stage.page()];
    for (const { tab } of [one, two]) await tab.evaluate(() => void Object.assign(self, self.late));
    await one.hold('held', 'name');
    await two.queue('next', 'name');
    await one.release('held');
    await stage.event('next', 'granted');
  });
});

const lacking = libraryWith('channel-in-one.js', "if (self.location.search === '?id=tab2') delete self.BroadcastChannel;");

eachBrowser('locks where one page has no BroadcastChannel', { library: lacking }, (the) => {
  it('are not granted there beside those of the others, and the page is told why', async function () {
    if (the.name === 'webkit') this.skip();
    const stage = await Stage.open(the);
    const [other, { tab }] = [await stage.tab(), await stage.page()];
    await other.hold('held', 'name');
    await tab.evaluate(() => {
      self.errors = [];
      self.onunhandledrejection = ({ reason }) => void self.errors.push(String(reason));
      console.warn = (text) => void self.errors.push(text);
      navigator.locks.request('name', () => { self.granted = true; });
    });
    const errors = await until(() => tab.evaluate(() => self.errors.length && self.errors), 5000, 'a warning');
    assert.deepEqual(errors, ['Lockkeeper: BroadcastChannel is missing here; waiting until the pages that use it are closed']);
    await other.hold('another', 'free');
    assert.equal(await tab.evaluate(() => self.granted), null);
    other.forget();
    await other.tab.close();
    await until(() => tab.evaluate(() => self.granted), 5000, 'the lock');
  });
});
