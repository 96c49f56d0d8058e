/** Where windows have no IndexedDB: the same, over the memory of a shared worker. */
import assert from 'node:assert/strict';
import { holdInTurn, libraryWith } from './companions.js';
import { Stage } from './contexts.js';
import { sleep } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

const without = "Object.defineProperty(self, 'indexedDB', { value: undefined, configurable: true });";
const library = libraryWith('without-indexed-db.js', without, 'indexed-db.js');

eachBrowser('without IndexedDB', { library }, (the) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('./contexts.js').Context[]} */
  let contexts;

  beforeEach(async () => {
    stage = await Stage.open(the);
    contexts = [await stage.tab(), await stage.tab()];
    contexts.push(await contexts[1].add('frame'));
  });

  it('there is nothing but ours, which opens no database but Lockkeeper\'s', async () => {
    const error = await contexts[0].tab.evaluate(() => new Promise((resolve) => {
      const opening = self.indexedDB.open('somebody else\'s');
      opening.onsuccess = () => resolve('opened');
      opening.onerror = () => resolve(opening.error.name);
    }));
    assert.equal(error, 'InvalidStateError');
  });

  it('locks are exclusive between windows, and granted in the order of the requests', async () => {
    await holdInTurn(stage, contexts);
    await contexts[0].nothingIsLeft();
  });

  const ends = {
    'a tab that is closed': (/** @type {any} */ leader) => leader.tab.close(),
    'a tab that goes to another page': (/** @type {any} */ leader) => leader.tab.navigate(`${leader.stage.origin}/blank`),
  };
  for (const [title, end] of Object.entries(ends)) {
    it(`${title} while it holds, and leads, is followed by the next`, async () => {
      const [leader, next, frame] = contexts;
      await leader.hold('leader', 'name');
      await next.queue('next', 'name');
      await frame.queue('frame', 'name');
      leader.forget();
      await end(leader);
      await stage.event('next', 'granted');
      await next.release('next');
      await stage.event('frame', 'granted');
      assert.deepEqual(stage.grants(), ['leader', 'next', 'frame']);
    });
  }

  it('a frame that is removed while it holds is followed by the next', async () => {
    const [first, , frame] = contexts;
    await frame.hold('frame', 'name');
    await first.queue('first', 'name');
    await frame.end();
    await stage.event('first', 'granted');
  });

  it('a stopped window keeps its locks', async function () {
    if (the.name === 'webkit') this.skip();
    const [holder] = contexts;
    await holder.tab.pid();
    await holder.hold('holder', 'name');
    await holder.tab.stop();
    const third = await stage.page();
    const asked = third.tell('request', 'third', 'name');
    await sleep(3500);
    assert.deepEqual(stage.grants(), ['holder']);
    await holder.tab.resume();
    await asked;
    await holder.release('holder');
    await stage.event('third', 'granted');
    assert.deepEqual(stage.grants(), ['holder', 'third']);
  });

  it('a window whose process is killed keeps its lock until another one steals it', async function () {
    if (!['chromium', 'firefox'].includes(the.name)) this.skip();
    const [leader, next] = contexts;
    await leader.tab.pid();
    await leader.hold('leader', 'name');
    await next.queue('next', 'name');
    leader.forget();
    await leader.tab.kill();
    const third = await stage.tab();
    assert.deepEqual(stage.grants(), ['leader']);
    await third.hold('third', 'name', { steal: true });
    await third.release('third');
    await stage.event('next', 'granted');
  });

  it('a worker has no locks: each request is refused, with the reason', async () => {
    const told = await contexts[0].tab.evaluate(() => new Promise((resolve) => {
      const code = `importScripts('${location.origin}/library.js');
        navigator.locks.request('a', () => 'granted').catch((error) => error.message).then((told) => postMessage(told));`;
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
      worker.onmessage = ({ data }) => resolve(data);
    }));
    assert.match(told, /needs IndexedDB/);
  });

  it('the shared worker ends: held locks stay held, and all go on', async function () {
    // A test can end one only in this browser.
    if (the.name !== 'chromium') this.skip();
    const [holder, next, frame] = contexts;
    await holder.hold('holder', 'name');
    await next.queue('next', 'name');
    const connection = /** @type {any} */ (the.browser).connection();
    const { targetInfos } = await connection.send('Target.getTargets');
    const { targetId } = targetInfos.find(({ type, url }) => type === 'shared_worker' && url.startsWith(stage.origin));
    await connection.send('Target.closeTarget', { targetId });
    // A new window starts another one.
    const third = await stage.tab();
    await third.request('third', 'name');
    await frame.queue('frame', 'name');
    assert.deepEqual(stage.grants(), ['holder']);
    await holder.release('holder');
    for (const [context, tag] of /** @type {const} */ ([[next, 'next'], [third, 'third'], [frame, 'frame']])) {
      await stage.event(tag, 'granted');
      await context.release(tag);
    }
    assert.deepEqual(stage.grants(), ['holder', 'next', 'third', 'frame']);
  });
});

// As in private windows of old Firefox.
const refusing = `(function () {
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (name, version) {
    if (name === 'works') return open.call(this, name);
    const request = new EventTarget();
    setTimeout(() => {
      request.error = new DOMException('A mutation operation was attempted on a database that did not allow them', 'InvalidStateError');
      request.onerror({ preventDefault() {} });
    });
    return request;
  };
  Object.defineProperty(navigator, 'userAgent', { value: 'Mozilla/5.0 (X11; Linux x86_64; rv:91.0) Gecko/20100101 Firefox/91.0' });
})();`;
const refused = libraryWith('with-indexed-db-refused.js', refusing, 'indexed-db.js');

eachBrowser('where IndexedDB refuses everything', { library: refused, names: ['chromium'] }, (the) => {
  it('locks are exclusive between windows; other databases are asked for as before', async () => {
    const stage = await Stage.open(the);
    const [holder, next] = [await stage.tab(), await stage.tab()];
    await holder.hold('holder', 'name');
    await next.queue('next', 'name');
    assert.deepEqual(stage.grants(), ['holder']);
    await holder.tab.close();
    await stage.event('next', 'granted');
    assert.equal(await next.tab.evaluate(() => new Promise((resolve) => {
      self.indexedDB.open('works').onsuccess = ({ target }) => resolve(target.result.name);
    })), 'works');
  });
});
