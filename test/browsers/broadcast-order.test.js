/** The order that BroadcastChannel makes: glue/order/broadcast.js, in every kind of context. */
import assert from 'node:assert/strict';
import { eachBrowser } from './engines.js';
import { company, heardUntil, library, openAll, say, tellInOneOrder } from './orders.js';

eachBrowser('an order by BroadcastChannel', { library }, (the) => {
  before(async function () {
    const tab = await the.newTab('/pages/realm.html');
    if (!await tab.evaluate(() => self.parts.isBroadcastOneOrder())) this.skip();
  });

  it('is the same for all, the sender included', async () => {
    const realms = await company(the);
    await openAll(realms, 'createBroadcastOrder');
    await tellInOneOrder(realms);
  });

  it('never calls back from inside append', async () => {
    const [one] = await company(the);
    await openAll([one], 'createBroadcastOrder');
    assert.deepEqual(await one.evaluate(() => {
      self.order.append('message');
      return self.heard;
    }), []);
  });

  it('closes the object for sending while others talk, and opens another one when it sends again', async () => {
    const [one, two] = await company(the);
    await openAll([one, two], 'createBroadcastOrder');
    await two.evaluate(() => {
      self.closedChannels = 0;
      const { close } = BroadcastChannel.prototype;
      BroadcastChannel.prototype.close = function () {
        self.closedChannels++;
        close.call(this);
      };
    });
    await one.evaluate(say, 'one', 8);
    await two.evaluate(heardUntil, 'one7');
    await two.evaluate(() => self.order.append('two'));
    assert.deepEqual(await one.evaluate(heardUntil, 'two'), await two.evaluate(heardUntil, 'two'));
    assert.equal(await two.evaluate(() => self.closedChannels), 1);
  });

  it('after its close, nothing is delivered, and what was appended before still travels', async () => {
    const [one, two] = await company(the);
    await openAll([one, two], 'createBroadcastOrder');
    await one.evaluate(() => {
      self.order.append('last');
      self.order.close();
    });
    await two.evaluate(heardUntil, 'last');
    assert.deepEqual(await one.evaluate(() => self.heard), []);
  });
});
