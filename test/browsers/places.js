/** The common parts of the tests of a browser's place. */
import assert from 'node:assert/strict';
import { Realm } from './realms.js';

export const EXPORTS = { createBrowserPlace: 'platform/browser.js', isBroadcastOneOrder: 'order/broadcast.js' };

/** In a realm: a place with its register open, and its life shown under a name. */
export const settle = async (/** @type {string} */ name, /** @type {string} */ alive) => {
  self.place = self.parts.createBrowserPlace(name, self);
  self.lost = [];
  self.deaths = [];
  const [register, holding] = await Promise.all([
    self.place.openRegister(() => {
      self.lost.push('register');
      // As the log does: not before all have closed the register.
      const { holding } = self;
      void self.place.openRegister(() => {}).then((opened) => opened.append()).then(() => holding.close());
    }),
    self.place.holdAlive(alive, () => self.lost.push('alive')),
  ]);
  holding.announced();
  Object.assign(self, { register, holding });
};

/** In a realm: appends an entry, and gives what the list then says. */
export const append = (/** @type {string} */ what) => self.register.append(what === undefined ? what : { protocol: 4, type: what })
  .then((/** @type {any[]} */ entries) => entries.map(({ value }) => value.type));

/** Two tabs, and a worker in the second, each settled under its own name. @param {import('./engines.js').Scene} the */
export const settleThree = async (the) => {
  const origin = await the.server.newOrigin();
  const [one, two] = [await Realm.tab(the, origin, 'one'), await Realm.tab(the, origin, 'two')];
  const realms = [one, two, await two.add('worker', 'worker')];
  for (const realm of realms) await realm.evaluate(settle, '', realm.name);
  return realms;
};

/** Its entries come from all three. */
export async function isOneList(one, two, third) {
  assert.deepEqual(await one.evaluate(append), []);
  assert.deepEqual(await one.evaluate(append, 'one'), ['one']);
  assert.deepEqual(await two.evaluate(append, 'two'), ['one', 'two']);
  assert.deepEqual(await third.evaluate(append), ['one', 'two']);
  const appendMany = (/** @type {string} */ name) => Promise.all(Array.from({ length: 20 }, (_, each) =>
    self.register.append({ protocol: 4, type: `${name}${each}` }).then((entries) => entries.map(({ value }) => value.type))));
  const lists = (await Promise.all([one, two, third].map((realm) => realm.evaluate(appendMany, realm.name)))).flat();
  const longest = lists.reduce((found, list) => (list.length > found.length ? list : found));
  assert.equal(longest.length, 62);
  for (const list of lists) assert.deepEqual(list, longest.slice(0, list.length));
  assert.equal(new Set(lists.map(({ length }) => length)).size, 60);
}

export async function compacts(one, two) {
  for (const what of ['a', 'b', 'c', 'd']) await one.evaluate(append, what);
  await one.evaluate(async () => {
    const entries = await self.register.append();
    await self.register.compact(entries[2].key, { protocol: 4, type: 'abc' });
    await self.register.compact(entries[1].key, { protocol: 4, type: 'ab' });
  });
  assert.deepEqual(await two.evaluate(append, 'e'), ['ab', 'abc', 'd', 'e']);
  await two.evaluate(async () => {
    const entries = await self.register.append();
    await self.register.compact(entries[entries.length - 1].key, { protocol: 4, type: 'all' });
  });
  assert.deepEqual(await one.evaluate(append, 'f'), ['all', 'f']);
}
