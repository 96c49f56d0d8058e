/** The common parts of the tests of the orders: contexts that append to one, and what each of them hears. */
import assert from 'node:assert/strict';
import { libraryOf, Realm } from './realms.js';

const EXPORTS = {
  createStoreOrder: 'order/store.js', createBroadcastOrder: 'order/broadcast.js', isBroadcastOneOrder: 'order/broadcast.js',
};
export const library = libraryOf('orders.js', EXPORTS);
export const withoutChannel = libraryOf('orders-without-channel.js', EXPORTS, 'delete self.BroadcastChannel;');

/** In a realm: opens an order; self.heard has what it delivers, "gap" included. */
export const open = (/** @type {string} */ maker) => {
  self.heard = [];
  self.order = self.parts[maker]('order', (message) => self.heard.push(message), () => self.heard.push('gap'));
};

/** In a realm: appends in as many tasks as there are messages. */
export const say = (/** @type {string} */ name, /** @type {number} */ count) => new Promise((resolve) => {
  let said = 0;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    if (said === count) return resolve(null);
    self.order.append(`${name}${said++}`);
    port2.postMessage(0);
    return null;
  };
  port2.postMessage(0);
});

/** In a realm: what it has heard once [what] is in it. */
export const heardUntil = (/** @type {string} */ what) => new Promise((resolve) => {
  const look = () => (self.heard.includes(what) ? resolve(self.heard) : setTimeout(look, 2));
  look();
});

/** Opens an order in each, and returns when all hear each other. */
export async function openAll(realms, maker) {
  for (const realm of realms) await realm.evaluate(open, maker);
  await realms[0].evaluate(() => self.order.append('begin'));
  // A realm that has not heard it came too late for it.
  for (const realm of realms) {
    await realm.evaluate((name) => self.order.append(name), `here ${realm.name}`);
    await realm.evaluate(heardUntil, `here ${realm.name}`);
  }
  for (const realm of realms) await realm.evaluate(heardUntil, `here ${realms[realms.length - 1].name}`);
  for (const realm of realms) await realm.evaluate(() => { self.heard = []; });
}

/** Contexts of two tabs: windows, frames and workers. */
export async function company(the, origin = '') {
  origin = origin || await the.server.newOrigin();
  const one = await Realm.tab(the, origin, 'one');
  const two = await Realm.tab(the, origin, 'two');
  return [one, two, await one.add('worker', 'worker'), await two.add('frame', 'frame')];
}

export async function tellInOneOrder(realms) {
  await Promise.all(realms.map((realm) => realm.evaluate(say, realm.name, 40)));
  // Each one's last, delivered to each.
  for (const realm of realms) for (const { name } of realms) await realm.evaluate(heardUntil, `${name}39`);
  const all = await Promise.all(realms.map((realm) => realm.evaluate(() => self.heard)));
  assert.equal(all[0].length, 40 * realms.length);
  for (const heard of all) assert.deepEqual(heard, all[0]);
  for (const { name } of realms) {
    assert.deepEqual(all[0].filter((each) => each.replace(/\d+$/, '') === name), Array.from({ length: 40 }, (_, at) => name + at));
  }
}
