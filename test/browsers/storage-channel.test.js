/** Where the browser has no BroadcastChannel: the same, over IndexedDB and storage events. */
import assert from 'node:assert/strict';
import { holdInTurn, libraryWith } from './companions.js';
import { Stage } from './contexts.js';
import { eachBrowser } from './engines.js';

const library = libraryWith('without-broadcast-channel.js', 'delete self.BroadcastChannel;', 'broadcast-channel.js');

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

  it('there is none but ours', async () => {
    assert.equal(await contexts[0].tab.evaluate(() => String(self.BroadcastChannel).includes('native')), false);
  });

  it('locks are exclusive between all contexts, and granted in the order of the requests', async () => {
    await holdInTurn(stage, contexts);
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

  it('messages come to all in one order, and not to their sender', async () => {
    const [one, two] = contexts;
    const hear = () => {
      self.heard = [];
      self.channel = new BroadcastChannel('order');
      const listener = new BroadcastChannel('order');
      listener.onmessage = ({ data }) => self.heard.push(data);
      self.channel.onmessage = ({ data }) => self.heard.push(`other ${data}`);
      return new Promise((ready) => {
        const probe = new BroadcastChannel('order probe');
        const echo = new BroadcastChannel('order probe');
        echo.onmessage = ready;
        probe.postMessage(0);
      }).then(() => 'ready');
    };
    for (const { tab } of [one, two]) await tab.evaluate(hear);
    const say = (/** @type {string} */ name) => {
      for (let each = 0; each < 50; each++) setTimeout(() => self.channel.postMessage(`${name}${each}`), each);
      return name;
    };
    await Promise.all([one.tab.evaluate(say, 'a'), two.tab.evaluate(say, 'b')]);
    const all = (/** @type {any} */ context) => context.tab.evaluate(() => new Promise((resolve) => {
      const look = () => (self.heard.length < 150 ? setTimeout(look, 5) : resolve(self.heard));
      look();
    }));
    const [heardByOne, heardByTwo] = [await all(one), await all(two)];
    const plain = (/** @type {string[]} */ list) => list.filter((each) => !each.startsWith('other'));
    assert.deepEqual(plain(heardByOne), plain(heardByTwo));
    assert.equal(new Set(plain(heardByOne)).size, 100);
    assert.deepEqual(heardByOne.filter((each) => each.startsWith('other')).map((each) => each[6]), Array(50).fill('b'));
  });
});
