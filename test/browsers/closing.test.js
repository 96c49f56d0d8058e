/** A manager of createLockManager() is closed in one tab, while others of its name go on. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { libraryOf, Realm } from './realms.js';

/** Counts the open channels and connections to databases of a context. */
const counting = `
  self.opened = { channels: new Set(), databases: new Set() };
  (function () {
    const { channels, databases } = self.opened;
    const Native = self.BroadcastChannel;
    self.BroadcastChannel = class extends Native {
      constructor(name) {
        super(name);
        channels.add(this);
      }
      close() {
        channels.delete(this);
        super.close();
      }
    };
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...all) {
      const opening = open.apply(this, all);
      opening.addEventListener('success', () => databases.add(opening.result));
      return opening;
    };
  })();
  // A closed connection takes no transaction; an open one refuses only what it does not have.
  self.isOpen = (database) => {
    try {
      return !!database.transaction('entries');
    } catch (error) {
      return error.name === 'NotFoundError';
    }
  };
  self.countOpen = () => [self.opened.channels.size, [...self.opened.databases].filter(self.isOpen).length].join();
`;
const library = libraryOf('closing.js', { createLockManager: 'entries/index.js' }, counting);

/** In a realm: makes a manager. */
const create = (/** @type {string} */ name) => {
  self.manager = self.parts.createLockManager({ name });
  self.told = [];
};

/** In a realm: asks for a lock and holds it until release(); notes the outcome. */
const ask = (/** @type {string} */ lock) => {
  const note = (/** @type {string} */ what) => self.told.push(`${lock} ${what}`);
  self.manager.request(lock, () => {
    note('granted');
    return new Promise((resolve) => { self.release = resolve; });
  }).then(() => note('ended'), (/** @type {Error} */ error) => note(error.name));
};

const release = () => self.release();
const told = () => self.told.join();

/** In a realm: begins to close. */
const close = () => {
  self.closing = self.manager.close().then(() => self.told.push('closed'));
};

const pending = () => self.manager.query().then(({ pending: all }) => all.map(({ name }) => name).join());
const members = () => self.manager.inspect().then(({ members: all }) => all.length);

/** @param {Realm} realm @param {() => any} question @param {any} answer */
const says = (realm, question, answer) => {
  let last;
  return until(async () => {
    last = await realm.evaluate(question);
    return last === answer;
  }, 10000, () => `${realm.name} says ${JSON.stringify(answer)}, and not ${JSON.stringify(last)}`, 5);
};

eachBrowser('a manager that is closed', { library }, (the) => {
  /** @type {string} */
  let origin;
  /** @type {Realm} */
  let one;
  /** @type {Realm} */
  let two;

  beforeEach(async () => {
    origin = await the.server.newOrigin();
    [one, two] = [await Realm.tab(the, origin, 'one'), await Realm.tab(the, origin, 'two')];
    for (const tab of [one, two]) {
      await tab.evaluate(create, 'shop');
      await tab.evaluate(() => self.manager.query());
    }
  });

  it('ends pending requests, keeps held locks until they end, and leaves; the others go on, and it refuses requests', async () => {
    await one.evaluate(ask, 'a');
    await says(one, told, 'a granted');
    await two.evaluate(ask, 'b');
    await says(two, told, 'b granted');
    await one.evaluate(ask, 'b');
    await two.evaluate(ask, 'a');
    await says(two, pending, 'b,a');

    await one.evaluate(close);
    await says(one, told, 'a granted,b AbortError');
    await says(two, pending, 'a');
    const refusals = await one.evaluate(() => Promise.all([self.manager.request('c', () => {}), self.manager.query()]
      .map((each) => each.then(() => 'none', (error) => error.name))));
    assert.deepEqual(refusals, ['InvalidStateError', 'InvalidStateError']);
    assert.equal(await two.evaluate(members), 2);

    await one.evaluate(release);
    await says(two, told, 'b granted,a granted');
    await one.evaluate(() => self.closing);
    await says(one, () => self.told.slice(2).sort().join(), 'a ended,closed');
    await says(two, members, 1);
  });

  it('leaves no channel, no connection and no database', async () => {
    assert.match(await one.evaluate(() => self.countOpen()), /^[12],[23]$/);
    await one.evaluate(ask, 'a');
    await says(one, told, 'a granted');
    await one.evaluate(release);
    await one.evaluate(close);
    await one.evaluate(() => self.closing);
    await says(one, () => self.countOpen(), '0,0');
    // The register, the other one's life, and the order if a store makes it.
    if (the.browser.canList) {
      const shown = () => indexedDB.databases().then((all) => all.filter(({ name }) => /running/.test(name)).length);
      await says(two, shown, 1);
      assert.match(await two.evaluate(() => self.countOpen()), /^[12],[23]$/);
    }
    await two.evaluate(ask, 'a');
    await says(two, told, 'a granted');
  });

  it('leaves no name of a life either where nobody else has watched it', async function () {
    if (!the.browser.canList) this.skip();
    const shown = () => indexedDB.databases().then((all) => all.filter(({ name }) => /running/.test(name)).length);
    const third = await Realm.tab(the, origin, 'third');
    await third.evaluate(create, 'alone');
    await third.evaluate(() => self.manager.query());
    assert.equal(await third.evaluate(shown), 3);
    await third.evaluate(close);
    await third.evaluate(() => self.closing);
    await says(third, shown, 2);
  });

  it('in the task of its first request: nothing stays open, and it is no member', async () => {
    const third = await (await Realm.tab(the, origin, 'page of the third')).add('worker', 'third');
    await third.evaluate(create, 'shop');
    await third.evaluate(`((${ask})('a'), (${close})())`);
    await third.evaluate(() => self.closing);
    assert.equal(await third.evaluate(told), 'a AbortError,closed');
    await says(third, () => self.countOpen(), '0,0');
    await says(two, members, 2);
    await two.evaluate(ask, 'a');
    await says(two, told, 'a granted');
  });

  it('is followed by another one of its name, in the same tab', async () => {
    await one.evaluate(close);
    await one.evaluate(() => self.closing);
    await two.evaluate(ask, 'a');
    await says(two, told, 'a granted');
    await one.evaluate(create, 'shop');
    await one.evaluate(ask, 'a');
    await says(two, pending, 'a');
    assert.equal(await two.evaluate(members), 2);
    await two.evaluate(release);
    await says(one, told, 'a granted');
  });

  it('by disposal, where the language has it', async function () {
    if (!await one.evaluate(() => !!Symbol.asyncDispose)) this.skip();
    await one.evaluate(ask, 'a');
    await says(one, told, 'a granted');
    await one.evaluate(async () => {
      self.closing = self.manager[Symbol.asyncDispose]().then(() => self.told.push('closed'));
    });
    await one.evaluate(release);
    await one.evaluate(() => self.closing);
    await says(one, () => self.countOpen(), '0,0');
    await says(two, members, 1);
  });
});
