/** What a browser without IndexedDB gives the log, with the companion: glue/platform/browser.js over browser-memory.js. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';
import { append, compacts, EXPORTS, isOneList, settle } from './places.js';
import { libraryOf, Realm } from './realms.js';

const lacking = ['indexedDB', 'IDBKeyRange'].map((name) =>
  `Object.defineProperty(self, '${name}', { value: undefined, writable: true, configurable: true });`);
const withoutStorage = libraryOf('place-without-storage.js', EXPORTS, lacking.join(' '), ['entries/indexed-db.js']);

eachBrowser('a place without IndexedDB', { library: withoutStorage }, (the) => {
  /** @type {Realm} */
  let one;
  /** @type {Realm} */
  let two;
  /** @type {Realm} */
  let frame;

  beforeEach(async function () {
    const origin = await the.server.newOrigin();
    one = await Realm.tab(the, origin, 'one');
    if (!await one.evaluate(() => 'SharedWorker' in self)) this.skip();
    two = await Realm.tab(the, origin, 'two');
    frame = await two.add('frame', 'frame');
    for (const realm of [one, two, frame]) await realm.evaluate(settle, '', realm.name);
  });

  it('has a register that is one list for all', () => isOneList(one, two, frame));

  it('compacts the list; late and twice does no harm', () => compacts(one, two));

  it('tells of windows that have gone to another page', async () => {
    await one.evaluate(() => {
      for (const name of ['two', 'frame']) self.place.watchAlive(name, () => self.deaths.push(name));
    });
    await one.evaluate(append, 'entry');
    assert.deepEqual(await one.evaluate(() => self.deaths), []);
    await two.tab.navigate(`${two.origin}/blank`);
    await until(async () => (await one.evaluate(() => self.deaths)).sort().join() === 'frame,two', 5000, 'both are told');
  });
});
