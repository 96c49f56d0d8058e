/** A context that joins at once, by `data-join` or `install({ join: true })`, and has asked for no lock yet. */
import assert from 'node:assert/strict';
import { Context, Stage } from './contexts.js';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

eachBrowser('joining at once', {}, (the) => {
  /** @type {Stage} */
  let stage;

  beforeEach(async () => { stage = await Stage.open(the); });

  /** A page with the tag's attribute. */
  const joiner = async () => {
    const id = stage.newId('joiner');
    return new Context(stage, await the.newTab(`${stage.origin}/pages/joins.html?id=${id}`), id, null);
  };

  /** @param {Context} page @param {number} count so many take part, with the state */
  const takePart = (page, count) => until(async () => Object.values((await page.register()).members)
    .filter(({ stateful }) => stateful).length === count, 10000, `${count} take part`);

  it('a page with data-join takes part before its first request, and another one does not', async () => {
    const page = await stage.page();
    assert.deepEqual((await page.register()).members, {});
    await takePart(await joiner(), 1);
    await takePart(page, 1);
    await takePart(await joiner(), 2);
  });

  it('its first request waits for no other thread', async () => {
    const member = await stage.tab();
    const page = await joiner();
    await takePart(page, 2);
    await member.tell('compute', 'member', 3000);
    await stage.event('member', 'busy');
    await page.request('first', 'name');
    await stage.event('member', 'idle');
    await stage.event('first', 'granted');
    assert.deepEqual(stage.events(), ['member busy', 'first granted', 'member idle']);
  });

  it('the package\'s install({ join: true })', async () => {
    const page = await the.newTab(`${stage.origin}/blank`);
    const install = (/** @type {object} */ options) => page.evaluate(async (/** @type {object} */ given) => {
      delete Navigator.prototype.locks;
      const { install } = await new Function('return import("/dist/lockkeeper.mjs")')();
      install(given);
    }, options);
    const looking = await stage.page();
    await install({});
    assert.deepEqual((await looking.register()).members, {});
    await install({ join: true });
    await takePart(looking, 1);
  });

  it('a context that has joined and is closed blocks nobody', async () => {
    const page = await joiner();
    await takePart(page, 1);
    await page.tab.pid();
    await page.tab.kill();
    await (await stage.tab()).hold('next', 'name');
  });
});
