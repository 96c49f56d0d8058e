/** LOCKKEEPER_DEBUG in pages and workers: the lines stand in the console. */
import assert from 'node:assert/strict';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

/** In the page: keeps what the console is given. */
const record = () => {
  self.lines = [];
  const { log } = console;
  console.log = (...values) => {
    self.lines.push(values.join(' '));
    log.apply(console, values);
  };
};

eachBrowser('LOCKKEEPER_DEBUG', { library: null }, (the) => {
  /** @type {string} */
  let origin;
  beforeEach(async () => {
    origin = await the.server.newOrigin();
  });

  /** @param {any} tab */
  const load = async (tab) => {
    await tab.evaluate(record);
    await tab.evaluate(async () => {
      self.locks = (await import('/dist/lockkeeper.mjs')).locks;
    });
  };
  const printed = (/** @type {any} */ tab, /** @type {RegExp} */ line) => until(
    () => tab.evaluate((/** @type {string} */ text) => self.lines.some((each) => new RegExp(text).test(each)), line.source),
    10000, () => `a line ${line}`, 5);

  it('prints in all pages of the origin, and nothing without', async () => {
    const [one, two] = [await the.newTab(`${origin}/`), await the.newTab(`${origin}/`)];
    await one.evaluate(() => {
      localStorage.LOCKKEEPER_DEBUG = 1;
    });
    await load(one);
    await load(two);
    await one.evaluate(() => new Promise((inside) => void self.locks.request('a', () => {
      inside(true);
      return new Promise(() => {});
    })));
    await printed(one, /^lockkeeper [\d:.]{12} \(new\) #1 exclusive "a": requested$/);
    await printed(one, /this context joined: 1 member; the leader is this context$/);
    await printed(one, /#1 exclusive "a": granted after \d+ ms/);
    await two.evaluate(() => {
      self.done = self.locks.request('a', () => {});
    });
    await printed(two, /#1 exclusive "a": blocked, \S+ holds exclusive "a"$/);
    await one.close();
    await printed(two, / is gone: it ended or left; 1 member; the leader is this context$/);
    await two.evaluate(() => self.done);
    await printed(two, /#1 exclusive "a": released after \d+ ms$/);

    await two.evaluate(() => localStorage.removeItem('LOCKKEEPER_DEBUG'));
    const three = await the.newTab(`${origin}/`);
    await load(three);
    await three.evaluate(() => self.locks.request('a', () => {}));
    assert.deepEqual(await three.evaluate(() => self.lines), []);
  });

  it('the variable of the realm does the same', async () => {
    const tab = await the.newTab(`${origin}/`);
    await tab.evaluate(() => {
      self.LOCKKEEPER_DEBUG = true;
    });
    await load(tab);
    await tab.evaluate(() => self.locks.request('a', () => {}));
    await printed(tab, /#1 exclusive "a": released after \d+ ms$/);
  });
});
