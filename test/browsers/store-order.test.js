/** The order that the keys of one IndexedDB store make: glue/order/store.js, in every kind of context. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { company, heardUntil, library, open, openAll, say, tellInOneOrder, withoutChannel } from './orders.js';

/** @typedef {import('./realms.js').Realm} Realm */

/** In a realm: nobody hears what it posts, as if nobody else were awake. */
const tellNobody = () => { BroadcastChannel.prototype.postMessage = () => {}; };

/** In a realm: another order of the same thread, connected. */
const openSecond = (/** @type {string} */ maker) => new Promise((resolve) => {
  self.second = self.parts[maker]('order', (message) => message === 'connected' && resolve(null), () => {});
  self.second.append('connected');
});

for (const [title, script] of Object.entries({ 'a BroadcastChannel that tells': library, 'no BroadcastChannel': withoutChannel })) {
  eachBrowser(`an order by a store, with ${title},`, { library: script }, (the) => {
    it('is the same for all, the sender included', async () => {
      const realms = await company(the);
      await openAll(realms, 'createStoreOrder');
      await tellInOneOrder(realms);
    });

    it('carries lists with bytes', async () => {
      const [one, two] = await company(the);
      await openAll([one, two], 'createStoreOrder');
      await one.evaluate(() => {
        self.order.append([1, new Uint8Array([7, 8])]);
        self.order.append('end');
      });
      for (const realm of [one, two]) {
        await realm.evaluate(heardUntil, 'end');
        assert.deepEqual(await realm.evaluate(() => [self.heard[0][0], Array.from(self.heard[0][1])]), [1, [7, 8]]);
      }
    });

    it('tells a newcomer nothing from before', async () => {
      const [one, two] = await company(the);
      await openAll([one], 'createStoreOrder');
      await one.evaluate(say, 'before', 5);
      await one.evaluate(heardUntil, 'before4');
      await two.evaluate(open, 'createStoreOrder');
      await two.evaluate(() => self.order.append('hello'));
      assert.deepEqual(await two.evaluate(heardUntil, 'hello'), ['hello']);
    });

    it('after its close, nothing is delivered, and what was appended before still travels', async () => {
      const [one, two] = await company(the);
      await openAll([one, two], 'createStoreOrder');
      await one.evaluate(() => {
        self.order.append('last');
        self.order.close();
      });
      await two.evaluate(heardUntil, 'last');
      assert.deepEqual(await one.evaluate(() => self.heard), []);
    });

    it('that has ended opens nothing, whatever others tell', async () => {
      const [one, two] = await company(the);
      await openAll([one, two], 'createStoreOrder');
      await one.evaluate(() => {
        const { open: openReally } = IDBFactory.prototype;
        self.opened = 0;
        IDBFactory.prototype.open = function (...given) {
          self.opened++;
          return openReally.apply(this, given);
        };
        self.order.close();
      });
      // What is told after that comes to it in the same order.
      await one.evaluate(open, 'createStoreOrder');
      await one.evaluate(() => self.order.append('opened'));
      await one.evaluate(heardUntil, 'opened');
      await two.evaluate(say, 'two', 3);
      await one.evaluate(heardUntil, 'two2');
      assert.equal(await one.evaluate(() => self.opened), 1);
    });
  });
}

eachBrowser('an order by a store, told by storage events,', { library: withoutChannel }, (the) => {
  it('does not take other items of the page for news', async () => {
    const [one, two] = await company(the);
    await openAll([one, two], 'createStoreOrder');
    // The place of the next message.
    await two.evaluate(() => addEventListener('storage', ({ newValue }) => {
      const [first, ...messages] = JSON.parse(newValue);
      localStorage.setItem('another', JSON.stringify([first + messages.length, 'nonsense']));
    }, { once: true }));
    await one.evaluate(() => new Promise((resolve) => {
      // The order's listener was there before.
      addEventListener('storage', ({ key }) => key === 'another' && resolve(null));
      self.order.append('one');
    }));
    await two.evaluate(say, 'end', 2);
    assert.deepEqual(await one.evaluate(heardUntil, 'end1'), ['one', 'end0', 'end1']);
  });
});

eachBrowser('an order by a store', { library }, (the) => {
  /** @type {Realm} */
  let one;
  /** @type {Realm} */
  let two;
  /** In the tab of one. @type {Realm} */
  let worker;
  /** In the tab of two, and stopped without it. @type {Realm} */
  let frame;

  beforeEach(async () => {
    [one, two, worker, frame] = await company(the);
    await openAll([one, two, worker, frame], 'createStoreOrder');
  });

  it('puts what a task appends into one transaction', async () => {
    assert.equal(await one.evaluate(() => {
      let writing = 0;
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        if (mode === 'readwrite') writing++;
        return transaction.call(this, names, mode);
      };
      for (let each = 0; each < 20; each++) self.order.append(`m${each}`);
      return new Promise((resolve) => {
        const look = () => (self.heard.includes('m19') ? resolve(writing) : setTimeout(look, 2));
        look();
      });
    }), 1);
  });

  it('of a worker with two managers has one transaction at a time', async () => {
    const most = await worker.evaluate(() => {
      let running = 0;
      let highest = 0;
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        const begun = transaction.call(this, names, mode);
        if (this.name !== 'order') return begun;
        highest = Math.max(highest, ++running);
        begun.addEventListener('complete', () => running--);
        return begun;
      };
      const other = self.parts.createStoreOrder('other', () => {}, () => {});
      let left = 50;
      return new Promise((resolve) => {
        const go = () => {
          if (!left--) return resolve(highest);
          other.append('other');
          self.order.append(`worker${left}`);
          return setTimeout(go);
        };
        go();
      });
    });
    assert.equal(most, 1);
  });

  it('delivers messages that others tell without reading the store', async () => {
    await two.evaluate(() => {
      IDBDatabase.prototype.transaction = () => { throw new DOMException('not now', 'UnknownError'); };
    });
    await one.evaluate(say, 'told', 30);
    assert.deepEqual(await two.evaluate(heardUntil, 'told29'), Array.from({ length: 30 }, (_, each) => `told${each}`));
  });

  it('is read if no sender tells: the sender may have been stopped before it could', async () => {
    await one.evaluate(tellNobody);
    await one.evaluate(() => self.order.append('silent'));
    await two.evaluate(heardUntil, 'silent');
  });

  it('is read if a told message has no place yet; told nonsense does no harm', async () => {
    await one.evaluate(() => {
      self.errors = [];
      self.onerror = (message) => void self.errors.push(message);
    });
    await two.evaluate(() => {
      const channel = new BroadcastChannel('order');
      channel.postMessage([Date.now() * 2000, 'nonsense']);
      channel.postMessage([1, 'old']);
      for (const news of [[], ['text'], 'text', 7, null, undefined, { first: 1 }]) channel.postMessage(news);
    });
    await one.evaluate(say, 'true', 3);
    assert.deepEqual(await two.evaluate(heardUntil, 'true2'), ['true0', 'true1', 'true2']);
    await two.evaluate(say, 'too', 3);
    assert.deepEqual(await one.evaluate(heardUntil, 'too2'), ['true0', 'true1', 'true2', 'too0', 'too1', 'too2']);
    assert.deepEqual(await one.evaluate(() => self.errors), []);
  });

  it('goes on in a page that comes back, without a gap', async () => {
    await frame.evaluate(() => void self.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await one.evaluate(tellNobody);
    await one.evaluate(say, 'meanwhile', 30);
    await one.evaluate(heardUntil, 'meanwhile29');
    await frame.evaluate(() => {
      self.order.append('appended while away');
      self.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    const heard = await frame.evaluate(heardUntil, 'appended while away');
    assert.deepEqual(heard, await one.evaluate(heardUntil, 'appended while away'));
    assert.equal(heard.length, 31);
  });

  it('an order that was closed while its page was away says nothing more when the page comes back', async () => {
    await frame.evaluate((maker) => {
      self.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      self.order.append('old');
      self.order.close();
      self.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      self.order = self.parts[maker]('order', (message) => self.heard.push(message), () => {});
    }, 'createStoreOrder');
    for (const name of ['new', 'newer', 'newest']) {
      await frame.evaluate((what) => self.order.append(what), name);
      await one.evaluate(heardUntil, name);
      await frame.evaluate(heardUntil, name);
    }
    assert.deepEqual(await one.evaluate(() => self.heard), ['new', 'newer', 'newest']);
  });

  it('opens another connection if its own is closed and no event has said so', async () => {
    await one.evaluate(() => {
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        IDBDatabase.prototype.transaction = transaction;
        this.close();
        return transaction.call(this, names, mode);
      };
      self.order.append('lost');
    });
    await one.evaluate(heardUntil, 'gap');
    await openedAnew();
    assert.deepEqual(await two.evaluate(() => self.heard), ['again one', 'again two']);
  });

  it('an order closed just before its page goes away, which opens only after its return, says nothing more', async () => {
    await frame.evaluate((maker) => {
      const { open: openReally } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (...given) {
        const request = {};
        self.openLate = () => {
          openReally.apply(this, given).onsuccess = ({ target }) => request.onsuccess(Object.assign(request, { result: target.result }));
        };
        return request;
      };
      const order = self.parts[maker]('order', () => {}, () => {});
      IDBFactory.prototype.open = openReally;
      order.append('old');
      order.close();
      self.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      self.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      self.openLate();
    }, 'createStoreOrder');
    for (const name of ['new', 'newer', 'newest']) {
      await frame.evaluate((what) => self.order.append(what), name);
      await one.evaluate(heardUntil, name);
    }
    assert.deepEqual(await one.evaluate(() => self.heard), ['new', 'newer', 'newest']);
  });

  it('loses nothing that is appended after a gap was told, whenever another order of the thread has found that gap', async () => {
    await one.evaluate(openSecond, 'createStoreOrder');
    for (let jobs = 4; jobs <= 10; jobs++) {
      await one.evaluate(async (count) => {
        self.heard = [];
        const { transaction } = IDBDatabase.prototype;
        IDBDatabase.prototype.transaction = function (names, mode) {
          IDBDatabase.prototype.transaction = transaction;
          this.close();
          return transaction.call(this, names, mode);
        };
        self.order.append('before');
        for (let left = count; left; left--) await undefined;
        self.second.append('second');
        self.isTold = self.heard.includes('gap');
        self.order.append('after');
      }, jobs);
      await one.evaluate(heardUntil, 'gap');
      await one.evaluate(() => self.order.append('end'));
      const heard = await one.evaluate(heardUntil, 'end');
      if (await one.evaluate(() => self.isTold)) assert.ok(heard.includes('after'), `after ${jobs} promise jobs: ${heard}`);
    }
  });

  it('an order that was closed still sends its last message, though the page deletes the database just then', async () => {
    await one.evaluate(() => {
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        IDBDatabase.prototype.transaction = transaction;
        indexedDB.deleteDatabase('order');
        // The versionchange event comes first. Otherwise the message may be stored before, and is deleted with the rest.
        this.onversionchange(new IDBVersionChangeEvent('versionchange', { oldVersion: 1, newVersion: null }));
        return transaction.call(this, names, mode);
      };
      self.order.append('last');
      self.order.close();
    });
    await two.evaluate(heardUntil, 'last');
  });

  it('does not change the order of its own messages if only the later one can be added', async () => {
    await one.evaluate(openSecond, 'createStoreOrder');
    await one.evaluate(() => {
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        const begun = transaction.call(this, names, mode);
        if (mode !== 'readwrite') return begun;
        IDBDatabase.prototype.transaction = transaction;
        if (begun.commit) begun.commit = () => {};
        Promise.resolve().then(() => begun.abort());
        return begun;
      };
      self.order.append('earlier');
      self.second.append('second');
      self.order.append('later');
    });
    await one.evaluate(heardUntil, 'later');
    await one.evaluate(() => self.order.append('end'));
    const heard = await one.evaluate(heardUntil, 'end');
    assert.deepEqual(heard.filter((each) => /gap|er$/.test(each)), ['gap', 'later']);
  });

  it('ends only when all that it has appended is told, and opens nothing later', async () => {
    await one.evaluate(openSecond, 'createStoreOrder');
    const opened = await one.evaluate(async () => {
      let count = 0;
      const { open: openReally } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (...given) {
        count++;
        return openReally.apply(this, given);
      };
      self.order.append('first');
      // Until its transaction has begun.
      for (let left = 40; left; left--) await undefined;
      self.order.append('last');
      self.second.append('second');
      self.order.close();
      await new Promise((resolve) => setTimeout(resolve, 300));
      IDBFactory.prototype.open = openReally;
      return count;
    });
    assert.equal(opened, 0);
    await two.evaluate(heardUntil, 'last');
  });

  it('says that there is a gap if missed messages were swept, before anything later', async () => {
    await frame.evaluate(() => void self.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await one.evaluate(tellNobody);
    // Each batch is one transaction; the first after 256 sweeps, and 4,096 are kept.
    for (let batch = 0; batch < 46; batch++) {
      await one.evaluate((name) => {
        for (let each = 0; each < 100; each++) self.order.append(`${name} ${each}`);
      }, `batch${batch}`);
      await one.evaluate(heardUntil, `batch${batch} 99`);
    }
    await frame.evaluate(() => void self.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    const heard = await frame.evaluate(heardUntil, 'batch45 99');
    assert.equal(heard[0], 'gap');
    assert.equal(heard.filter((each) => each === 'gap').length, 1);
    assert.ok(heard.length > 4000 && heard.length < 4500, `${heard.length}`);
    const all = await one.evaluate(() => self.heard);
    assert.equal(all.includes('gap'), false);
    assert.deepEqual(heard.slice(1), all.slice(1 - heard.length));
  });

  it('a page that goes away while it appends keeps nobody waiting', async () => {
    const [leaver] = await company(the, one.origin);
    // Before the store's own listener: the transaction has begun when that is called.
    await leaver.evaluate(() => addEventListener('pagehide', () => {
      for (let each = 0; each < 3; each++) self.order.append('bye');
    }));
    await openAll([leaver], 'createStoreOrder');
    await leaver.tab.navigate(`${leaver.origin}/blank`);
    await two.evaluate(() => self.order.append('on'));
    await two.evaluate(heardUntil, 'on');
  });

  it('sends what could not be written, and reads meanwhile', async () => {
    await one.evaluate(() => {
      const { add } = IDBObjectStore.prototype;
      self.failing = true;
      IDBObjectStore.prototype.add = function (value) {
        if (self.failing) throw new DOMException('full', 'QuotaExceededError');
        return add.call(this, value);
      };
      self.order.append('late');
    });
    await two.evaluate(say, 'two', 3);
    await one.evaluate(heardUntil, 'two2');
    await one.evaluate(() => { self.failing = false; });
    assert.deepEqual(await one.evaluate(heardUntil, 'late'), ['two0', 'two1', 'two2', 'late']);
    assert.deepEqual(await two.evaluate(heardUntil, 'late'), ['two0', 'two1', 'two2', 'late']);
  });

  it('adds nothing twice if its connection is closed from outside during the commit', async () => {
    await one.evaluate(() => {
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (names, mode) {
        const begun = transaction.call(this, names, mode);
        if (mode !== 'readwrite') return begun;
        IDBDatabase.prototype.transaction = transaction;
        // Nothing stops the transaction, and nothing tells of its end.
        Promise.resolve().then(() => this.dispatchEvent(new Event('close')));
        return begun;
      };
      self.order.append('once');
    });
    await one.evaluate(heardUntil, 'gap');
    await openedAnew();
    await one.evaluate(() => self.order.append('end'));
    const heard = await two.evaluate(heardUntil, 'end');
    assert.deepEqual(heard.filter((each) => /once|gap/.test(each)), ['once']);
  });

  for (const [by, clear] of Object.entries({
    'the browser clears the data': () => the.browser.clearSiteData(one.origin),
    'the page deletes the database': deleteDatabase,
  })) {
    it(`says that there is a gap if ${by}, and goes on`, async () => {
      await clear();
      for (const realm of [one, two, frame]) await realm.evaluate(heardUntil, 'gap');
      await openedAnew();
      await one.evaluate(say, 'one', 3);
      await two.evaluate(heardUntil, 'one2');
      await two.evaluate(say, 'two', 3);
      await one.evaluate(heardUntil, 'two2');
      await one.evaluate(() => self.order.append('end'));
      const heard = await one.evaluate(heardUntil, 'end');
      assert.deepEqual(heard.slice(-7), ['one0', 'one1', 'one2', 'two0', 'two1', 'two2', 'end']);
      assert.deepEqual((await two.evaluate(heardUntil, 'end')).slice(-7), heard.slice(-7));
    });
  }

  it('is the same for all again each time after the data was cleared in the middle of traffic', async () => {
    for (let round = 0; round < 5; round++) {
      for (const realm of [one, two, frame]) {
        await realm.evaluate((name) => {
          self.heard = [];
          let said = 0;
          self.traffic = setInterval(() => self.order.append(`${name}${said++}`), 3);
        }, realm.name);
      }
      await clearInTraffic();
      for (const realm of [one, two, frame]) {
        await realm.evaluate(heardUntil, 'gap');
        await realm.evaluate(() => clearInterval(self.traffic));
      }
      // A realm that has heard itself since then no longer misses anything.
      for (const realm of [one, two, frame]) {
        await realm.evaluate((name) => self.order.append(name), `${realm.name} after ${round}`);
        await realm.evaluate(heardUntil, `${realm.name} after ${round}`);
      }
      await one.evaluate(() => self.order.append('end'));
      const lists = await Promise.all([one, two, frame].map((realm) => realm.evaluate(heardUntil, 'end')));
      const since = (/** @type {string[]} */ list) => list.slice(list.indexOf(`frame after ${round}`));
      for (const list of lists) assert.deepEqual(since(list), since(lists[0]));
      assert.ok(lists.every((list) => list.lastIndexOf('gap') < list.indexOf(`frame after ${round}`)));
    }
  });

  /** Once in 300 times, Chromium clears nothing and says it has: all go on with the same database, and a newcomer finds it. */
  async function clearInTraffic() {
    await the.browser.clearSiteData(one.origin);
    const isLost = () => one.evaluate(() => self.heard.includes('gap'));
    await until(isLost, 1000, 'a gap').catch(deleteDatabase);
  }

  /** The page itself clears the data. */
  function deleteDatabase() {
    return one.evaluate(() => new Promise((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase('order');
      deleting.onsuccess = () => resolve(null);
      deleting.onerror = () => reject(deleting.error);
    }));
  }

  /** Both have a connection to the new database: each has heard itself. */
  async function openedAnew() {
    for (const realm of [one, two]) {
      await realm.evaluate((name) => self.order.append(name), `again ${realm.name}`);
      await realm.evaluate(heardUntil, `again ${realm.name}`);
    }
    await one.evaluate(heardUntil, 'again two');
  }
});
