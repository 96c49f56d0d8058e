/** If the browser has no BroadcastChannel, the order is a store's (glue/order/store.js). */
import assert from 'node:assert/strict';
import { holdInTurn, libraryWith } from './companions.js';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

const library = libraryWith('without-broadcast-channel.js', 'delete self.BroadcastChannel;');

eachBrowser('without BroadcastChannel', { library }, (the) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('./contexts.js').Context[]} */
  let contexts;

  beforeEach(async () => {
    stage = await Stage.open(the);
    contexts = [await stage.tab(), await stage.tab()];
    for (const kind of ['frame', 'worker']) contexts.push(await contexts[1].add(kind));
  });

  it('locks are exclusive between all contexts, and granted in the order of the requests', async () => {
    await holdInTurn(stage, contexts);
  });

  it('nonsense on the channel for news does no harm', async () => {
    const [{ tab }, other] = contexts;
    await tab.evaluate(() => {
      self.errors = [];
      self.onerror = (message) => void self.errors.push(message);
    });
    await other.tab.evaluate(() => {
      for (const text of ['{', '[', 'nonsense', '7', 'null', '{"first":1}', '[]', '["text"]', '[1,"old"]']) {
        localStorage.setItem('lockkeeper-store', text);
      }
    });
    await holdInTurn(stage, contexts);
    assert.deepEqual(await tab.evaluate(() => self.errors), []);
  });

  it('a tab that is killed while it holds, and leads, is followed by the next', async () => {
    const [leader, next, , worker] = contexts;
    await leader.tab.pid();
    await leader.hold('leader', 'name');
    await next.queue('next', 'name');
    await worker.queue('worker', 'name');
    const killed = leader.tab.kill();
    leader.forget();
    await stage.event('next', 'granted');
    await killed;
    await next.release('next');
    await stage.event('worker', 'granted');
  });
});
