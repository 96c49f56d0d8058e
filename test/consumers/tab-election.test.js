/** tab-election: pages and workers elect a leader by a lock; tabs with the leader are killed. */
import assert from 'node:assert/strict';
import { until } from '../browsers/drivers/wait.js';
import { besideNative } from './libraries/scenes.js';

const TABS = ['a', 'b', 'c'];

besideNative('election', (the) => {
  /** @type {any[]} */
  let tabs;

  beforeEach(async () => {
    tabs = [];
    for (const id of TABS) {
      const tab = await the.open();
      await tab.evaluate((/** @type {string} */ one) => self.election.join(one), id);
      tabs.push(tab);
    }
  });

  const members = TABS.flatMap((id) => [id, `${id}'s worker`]);
  /** What every living member says. @param {string} method */
  const all = async (method) => (await Promise.all(tabs.map((tab) => (tab
    ? tab.evaluate((/** @type {string} */ each) => self.election.both(each), method) : [null, null])))).flat();
  const leaders = async () => (await all('leads')).flatMap((leads, i) => (leads ? [members[i]] : []));
  const asked = async () => [...new Set((await all('ask')).filter(Boolean).map(({ leader }) => leader))];

  it('one of six members leads, and answers the calls of all', async () => {
    assert.deepEqual(await leaders(), ['a']);
    assert.deepEqual(await asked(), ['a']);
    assert.deepEqual(await leaders(), ['a']);
  });

  it('when the leader gives up, the next member leads', async () => {
    await asked();
    await tabs[0].evaluate(() => self.election.both('relinquish'));
    await until(async () => (await leaders()).join() === 'b', 5000, 'b leads');
    assert.deepEqual(await asked(), ['b']);
  });

  it('when the leader\'s tab is killed, a member of the next tab leads; and again', async () => {
    assert.deepEqual(await asked(), ['a']);
    for (const [victim, next] of /** @type {const} */ ([[0, 'b'], [1, 'c']])) {
      await tabs[victim].kill();
      tabs[victim] = null;
      // Calls from before the death was noticed are answered too.
      assert.deepEqual(await asked(), [next]);
      assert.deepEqual(await leaders(), [next]);
    }
  });
});
