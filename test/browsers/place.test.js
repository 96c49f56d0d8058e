/** What a browser gives the log: glue/platform/browser.js. The orders have tests of their own. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { append, compacts, EXPORTS, isOneList, settle, settleThree } from './places.js';
import { libraryOf } from './realms.js';

const library = libraryOf('place.js', EXPORTS);

const deletions = {
  'all at once': async () => {
    await Promise.all((await indexedDB.databases()).map(({ name }) => new Promise((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = resolve;
      deleting.onerror = () => reject(deleting.error);
    })));
  },
  'one after another': async () => {
    for (const { name } of await indexedDB.databases()) {
      await new Promise((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name);
        deleting.onsuccess = resolve;
        deleting.onerror = () => reject(deleting.error);
      });
    }
  },
};

eachBrowser('a place', { library }, (the) => {
  /** @type {import('./realms.js').Realm} */
  let one;
  /** @type {import('./realms.js').Realm} */
  let two;
  /** @type {import('./realms.js').Realm} */
  let worker;

  beforeEach(async () => {
    [one, two, worker] = await settleThree(the);
  });

  it('has the same order in every kind of context, whatever the user agent string says', async () => {
    const orders = [];
    for (const realm of [one, worker, await one.add('frame', 'frame')]) {
      orders.push(await realm.evaluate(() => {
        const value = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';
        Object.defineProperty(self.navigator, 'userAgent', { value });
        return self.parts.createBrowserPlace('', self).order;
      }));
    }
    const expected = the.name === 'webkit' ? 'store' : 'broadcast';
    assert.deepEqual(orders, [expected, expected, expected]);
  });

  it('opens both kinds of order, each for its manager alone', async () => {
    const open = (/** @type {string} */ kind, /** @type {string} */ name) => {
      self.heard = [];
      const hear = (message) => self.heard.push(message);
      self.order = self.parts.createBrowserPlace(name, self).openOrder(kind, hear, () => hear('gap'));
    };
    const say = (/** @type {string} */ message) => new Promise((resolve) => {
      self.order.append(message);
      const look = () => (self.heard.includes(message) ? resolve(self.heard) : setTimeout(look, 2));
      look();
    });
    // The third is no well-formed text. The fourth is what it could be taken for.
    const names = ['', 'a', '\ud800', '\ufffd'];
    for (const kind of ['broadcast', 'store']) {
      const realms = [];
      for (const name of names) {
        const realm = await one.add('frame', `${kind} ${escape(name)}`);
        await realm.evaluate(open, kind, name);
        realms.push(realm);
      }
      for (const realm of realms) await realm.evaluate(say, `first of ${realm.name}`);
      for (const realm of realms) assert.deepEqual(await realm.evaluate(say, 'last'), [`first of ${realm.name}`, 'last']);
    }
  });

  it('has a register that is one list for all', () => isOneList(one, two, worker));

  it('compacts the list; late and twice does no harm', () => compacts(one, two));

  it('keeps managers apart, whatever their names are', async () => {
    for (const name of ['a', '\ud800', '\ufffd', 'b c/d']) {
      await worker.evaluate(settle, name, `worker of ${escape(name)}`);
      assert.deepEqual(await worker.evaluate(append, 'entry'), ['entry']);
    }
  });

  it('makes nobody wait for a context that computes while its entry is written', async function () {
    if (!await one.evaluate(() => self.parts.isBroadcastOneOrder() && 'commit' in IDBTransaction.prototype)) this.skip();
    const first = the.server.log.length;
    const entries = () => the.server.log.slice(first).map(({ event }) => event);
    const computing = one.evaluate(() => {
      void self.register.append({ protocol: 4, type: 'one' });
      const request = new XMLHttpRequest();
      request.open('POST', '/log?wait=3000', false);
      request.send(JSON.stringify({ event: 'computes' }));
      return fetch('/log', { method: 'POST', body: JSON.stringify({ event: 'has computed' }) }).then(() => null);
    });
    await until(() => entries().length, 5000, 'it computes', 1);
    await two.evaluate(append, 'two');
    the.server.record({ event: 'written' });
    await computing;
    assert.deepEqual(entries(), ['computes', 'written', 'has computed']);
  });

  it('a page that goes away while it writes keeps nobody waiting', async () => {
    await one.evaluate(() => addEventListener('pagehide', () => {
      void self.register.append({ protocol: 4, type: 'last' });
      self.holding.close();
      self.register.close(true);
    }));
    await one.tab.navigate(`${one.origin}/blank`);
    assert.ok((await two.evaluate(append, 'two')).includes('two'));
  });

  it('a worker that is terminated while many of its entries are on their way keeps nobody waiting', async () => {
    const write = `() => {
      const again = () => self.register.append({ protocol: 4, type: 'of the worker' }).then(again);
      for (let left = 4; left; left--) again();
      postMessage('writes');
    }`;
    for (let round = 0; round < 12; round++) {
      const script = `importScripts('${one.origin}/library.js'); (${settle})('', 'ending ${round}').then(${write});`;
      await one.evaluate((/** @type {string} */ code) => new Promise((resolve) => {
        const ending = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
        ending.onmessage = () => setTimeout(() => {
          ending.terminate();
          resolve(null);
        }, 10);
      }), script);
      assert.ok((await two.evaluate(append, 'two')).includes('two'));
    }
  });

  it('tells of deaths, and of no living context', async () => {
    const frame = await two.add('frame', 'frame');
    await frame.evaluate(settle, '', 'frame');
    await one.evaluate(() => {
      for (const name of ['two', 'worker', 'frame']) self.place.watchAlive(name, () => self.deaths.push(name));
    });
    await one.evaluate(append, 'entry');
    assert.deepEqual(await one.evaluate(() => self.deaths), []);
    await frame.evaluate(() => self.holding.close());
    await until(() => one.evaluate(() => self.deaths.length === 1), 5000, 'one death is told');
    await two.tab.close();
    await until(() => one.evaluate(() => self.deaths.length === 3), 5000, 'all deaths are told');
    assert.deepEqual(await one.evaluate(() => [self.deaths[0], self.lost]), ['frame', []]);
  });

  it('tells every context whether a free name was held before, though the browser tells only one of them', async () => {
    // Connections that were closed from outside leave a database that no context holds.
    await one.evaluate(() => new Promise((resolve) => {
      indexedDB.open('lockkeeper-running-free').onsuccess = ({ target }) => resolve(target.result.close());
    }));
    const watch = () => {
      for (const name of ['worker', 'free']) self.place.watchAlive(name, (wasHeld) => self.deaths.push(`${name} ${wasHeld}`));
    };
    for (const realm of [one, two]) await realm.evaluate(watch);
    for (const realm of [one, two]) await until(() => realm.evaluate(() => self.deaths.length), 5000, 'the free one is told');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await worker.evaluate(() => self.holding.close());
    for (const realm of [one, two]) {
      await until(() => realm.evaluate(() => self.deaths.length > 1), 5000, 'the other one is told');
      assert.deepEqual(await realm.evaluate(() => self.deaths), ['free false', 'worker true']);
    }
  });

  it('takes no free name for held, however long storage takes to delete it, and opens no database to learn of deaths', async () => {
    await one.evaluate(() => {
      self.opened = 0;
      const { open, deleteDatabase } = indexedDB;
      indexedDB.open = (name) => {
        self.opened++;
        return open.call(indexedDB, name);
      };
      indexedDB.deleteDatabase = (name) => {
        const slow = { readyState: 'pending' };
        setTimeout(() => {
          deleteDatabase.call(indexedDB, name).onsuccess = () => {
            slow.readyState = 'done';
            slow.onsuccess();
          };
        }, 300);
        return slow;
      };
      for (const name of ['worker', 'free']) self.place.watchAlive(name, (wasHeld) => self.deaths.push(`${name} ${wasHeld}`));
    });
    await until(() => one.evaluate(() => self.deaths.length), 5000, 'the free one is told');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await worker.evaluate(() => self.holding.close());
    await until(() => one.evaluate(() => self.deaths.length > 1), 5000, 'the other one is told');
    assert.deepEqual(await one.evaluate(() => [self.deaths, self.opened]), [['free false', 'worker true'], 0]);
  });

  it('begins one deletion for all watches of a name, since it cannot be cancelled; a stopped watch is told nothing', async () => {
    const begun = await one.evaluate(() => {
      let deletions = 0;
      const deleteDatabase = indexedDB.deleteDatabase;
      indexedDB.deleteDatabase = function (...parameters) {
        deletions++;
        return deleteDatabase.apply(this, parameters);
      };
      const watch = (told) => self.place.watchAlive('worker', () => self.deaths.push(told));
      for (let each = 0; each < 3; each++) watch('stopped')();
      for (const told of ['first', 'second']) watch(told);
      delete indexedDB.deleteDatabase;
      return deletions;
    });
    assert.equal(begun, 1);
    await worker.evaluate(() => self.holding.close());
    await until(() => one.evaluate(() => self.deaths.length > 1), 5000, 'the death is told');
    assert.deepEqual(await one.evaluate(() => self.deaths), ['first', 'second']);
  });

  it('is told when the browser clears the data; after that no entry can be written over the old connection', async () => {
    await one.evaluate(append, 'before');
    await the.browser.clearSiteData(one.origin);
    for (const realm of [one, two, worker]) {
      await until(() => realm.evaluate(() => self.lost.includes('register')), 5000, 'it is told');
      await assert.rejects(realm.evaluate(append, 'entry'));
    }
    for (const realm of [one, two, worker]) await realm.evaluate(settle, '', `${realm.name} again`);
    assert.deepEqual(await two.evaluate(append, 'after'), ['after']);
  });

  for (const [how, deleteAll] of Object.entries(deletions)) {
    it(`is told when the page deletes all databases, ${how}; all deletions end, and a newcomer can join`, async function () {
      // WebKit's list is in no order: a page that waits for the first one's end may wait for an alive name.
      if (how !== 'all at once' && the.name === 'webkit') this.skip();
      if (!await one.evaluate(() => 'databases' in indexedDB)) this.skip();
      // As members do: they act on a death by an entry over the connection that was open when the watch began.
      const watch = (name) => {
        const { register } = self;
        self.place.watchAlive(name, () => register.append({ protocol: 4, type: 'remove' }).then(() => self.deaths.push(name), () => {}));
      };
      await one.evaluate(watch, 'two');
      await two.evaluate(watch, 'one');
      await one.evaluate(append, 'before');
      const deleting = two.evaluate(deleteAll);
      const newcomer = await one.add('frame', 'newcomer');
      await newcomer.evaluate(settle, '', 'newcomer');
      await deleting;
      for (const realm of [one, two, worker]) {
        await until(() => realm.evaluate(() => self.lost.length), 5000, 'it is told');
        await assert.rejects(realm.evaluate(append, 'entry'));
        assert.deepEqual(await realm.evaluate(() => [self.lost, self.deaths]), [['register'], []]);
      }
    });
  }

  it('settles what is written when the data is cleared just then', async () => {
    for (let round = 0; round < 5; round++) {
      for (const realm of [one, two, worker]) {
        await realm.evaluate(() => {
          self.settled = self.asked = 0;
          self.traffic = setInterval(() => {
            self.asked++;
            const done = () => void self.settled++;
            self.register.append({ protocol: 4, type: 'entry' }).then(done, done);
          }, 2);
        });
      }
      await the.browser.clearSiteData(one.origin);
      for (const realm of [one, two, worker]) {
        await until(() => realm.evaluate(() => self.lost.includes('register')), 5000, 'it is told');
        await realm.evaluate(() => clearInterval(self.traffic));
        await until(() => realm.evaluate(() => self.settled === self.asked), 5000, 'all is settled');
        await realm.evaluate(settle, '', `${realm.name} ${round}`);
      }
    }
  });

  it('says at once that the page is hidden, if it is: it may have loaded in the background', async function () {
    if (!the.browser.canFreeze) this.skip();
    const told = () => {
      self.told = [];
      self.parts.createBrowserPlace('', self).onLifecycle((/** @type {string} */ state) => self.told.push(state));
      return self.told;
    };
    assert.deepEqual(await one.evaluate(told), []);
    await one.tab.show(false);
    await until(() => one.evaluate(() => document.hidden), 5000, 'the tab behind the other one is hidden');
    assert.deepEqual(await one.evaluate(told), ['hidden']);
    await one.tab.show(true);
    await until(() => one.evaluate(() => self.told.includes('visible')), 5000, 'it is shown');
  });

  it('tells each state of its page, and nothing where a script dispatches a pagehide of its own', async () => {
    // In WebKit, the driver's part in the top page hears `pagehide`, too.
    const frame = await two.add('frame', 'frame');
    const told = await frame.evaluate(() => {
      let hidden = false;
      let states = [];
      Object.defineProperty(document, 'hidden', { get: () => hidden });
      self.parts.createBrowserPlace('', self).onLifecycle((/** @type {string} */ state) => states.push(state));
      const told = (/** @type {EventTarget} */ target, /** @type {Event} */ event, isHidden = false) => {
        states = [];
        hidden = isHidden;
        target.dispatchEvent(event);
        return states.join();
      };
      return [
        told(document, new Event('visibilitychange'), true),
        told(document, new Event('visibilitychange')),
        told(document, new Event('freeze'), true),
        told(document, new Event('resume'), true),
        told(document, new Event('resume')),
        told(self, new CustomEvent('pagehide')),
        told(self, new PageTransitionEvent('pagehide', { persisted: true })),
        told(self, new PageTransitionEvent('pageshow', { persisted: true }), true),
        told(self, new PageTransitionEvent('pageshow', { persisted: true })),
        told(self, new PageTransitionEvent('pagehide', { persisted: false })),
      ];
    });
    assert.deepEqual(told, ['hidden', 'visible', 'frozen', 'hidden', 'visible', '', 'away', 'visible,hidden', 'visible,visible', 'over']);
  });

  it('still tells when its document was written anew; but where a store makes the order, whose listeners are gone, nothing', async () => {
    const frame = await two.add('frame', 'frame');
    const [order, told] = await frame.evaluate(async () => {
      const place = self.parts.createBrowserPlace('', self);
      const told = [];
      place.onLifecycle((/** @type {string} */ state) => told.push(state));
      document.open();
      document.write('<p>new</p>');
      document.close();
      await undefined;
      self.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      return [place.order, told];
    });
    assert.deepEqual(told, order === 'broadcast' ? ['away'] : []);
  });

  it('stays a member for ten seconds in a worker that nothing tells of a freeze, where pages are frozen only after minutes', async () => {
    const shared = await one.evaluate(() => 'SharedWorker' in self) ? [await one.add('shared', 'shared')] : [];
    const idle = [];
    for (const realm of [one, worker, ...shared]) {
      idle.push(await realm.evaluate(() => self.parts.createBrowserPlace('', self).idle || 'as usual'));
    }
    assert.deepEqual(idle, ['as usual', the.name === 'firefox' ? 1000 : 10000, 1000].slice(0, idle.length));
  });

  it('shares its event loop with frames, openers and windows that it has opened; not with others', async () => {
    const shares = () => self.parts.createBrowserPlace('', self).sharesEventLoop();
    assert.equal(await one.evaluate(shares), false);
    assert.equal(await worker.evaluate(shares), false);
    // As the library does in a page at its first request.
    const popup = () => new Promise((resolve) => {
      const opened = /** @type {any} */ (window.open('/pages/realm.html'));
      const look = () => (opened.parts ? resolve(opened.parts.createBrowserPlace('', opened).sharesEventLoop()) : setTimeout(look, 5));
      look();
    });
    const placeOfOne = () => { self.shared = self.parts.createBrowserPlace('', self); };
    await one.evaluate(placeOfOne);
    assert.equal(await one.evaluate(() => self.shared.sharesEventLoop()), false);
    assert.equal(await one.evaluate(popup), true);
    assert.equal(await one.evaluate(() => self.shared.sharesEventLoop()), true);
    assert.equal(await two.evaluate(shares), false);
    assert.equal(await two.evaluate(() => {
      const opener = new Proxy({}, { set() { throw new DOMException('of another origin', 'SecurityError'); } });
      return self.parts.createBrowserPlace('', { opener, parent: self, length: 0 }).sharesEventLoop();
    }), true, 'a frame');
    assert.equal(await two.evaluate(() => {
      const opener = new Proxy({}, { set() { throw new DOMException('of another origin', 'SecurityError'); } });
      return self.parts.createBrowserPlace('', { opener, length: 0 }).sharesEventLoop();
    }), false, 'another origin\'s opener');
    const frame = await two.add('frame', 'frame');
    assert.deepEqual([await frame.evaluate(shares), await two.evaluate(shares)], [true, true]);
  });
});
