/** Data is cleared, and contexts die before all have come back: nothing waits for the dead. */
import assert from 'node:assert/strict';
import { Stage } from './contexts.js';
import { sleep, until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

eachBrowser('after data was cleared', {}, (the) => {
  /** @type {Stage} */
  let stage;

  beforeEach(async () => { stage = await Stage.open(the); });

  /** @param {import('./contexts.js').Context} context */
  const kill = async (context) => {
    context.forget();
    await context.tab.kill();
  };

  /**
   * The register shows so many members, back or not.
   * @param {import('./contexts.js').Context} context
   * @param {number} count
   * @param {(member: {alive: string}) => boolean} [counts] which of them
   */
  const isComplete = (context, count, counts = () => true) => until(async () => {
    const { incomplete, members } = await context.register();
    return !incomplete && Object.values(members).filter(counts).length === count;
  }, 10000, `the register shows ${count}`);

  /** The register shows so many members that are back. @param {import('./contexts.js').Context} context @param {number} count */
  const areBack = (context, count) => isComplete(context, count, ({ alive }) => !!alive);

  it('held locks stay held, a newcomer waits for them, and the dead are followed by the next', async () => {
    const [first, second] = [await stage.tab(), await stage.tab()];
    await first.tab.pid();
    await first.hold('first', 'name');
    await second.queue('second', 'name');
    await the.browser.clearSiteData(stage.origin);
    const third = await stage.tab();
    await third.queue('third', 'name');
    await areBack(third, 3);
    assert.deepEqual(stage.grants(), ['first']);
    await kill(first);
    await stage.event('second', 'granted');
    await second.release('second');
    await stage.event('third', 'granted');
  });

  for (const kind of /** @type {const} */ (['tab', 'worker'])) {
    it(`a ${kind} with a lock ends by the answer that clears data, as at a log-out: the waiter gets the lock`, async function () {
      // guarantees.md: there, the end of a worker does not show.
      if (kind === 'worker' && the.name !== 'chromium') this.skip();
      // The elder knows the other at once.
      const [other, holder] = [await stage.tab(), await stage.context(kind)];
      await holder.hold('holder', 'name');
      await other.queue('other', 'name');
      holder.forget();
      await holder.tab.navigate(`${stage.origin}/clear-site-data`);
      await stage.event('other', 'granted');
    });
  }

  it('a context that is stopped meanwhile keeps its lock', async function () {
    // There several tabs may share a process, so that stopping one stops the other.
    if (the.name === 'webkit') this.skip();
    const [holder, other] = [await stage.tab(), await stage.tab()];
    await holder.tab.pid();
    await holder.hold('holder', 'name');
    await other.queue('other', 'name');
    await holder.tab.stop();
    await the.browser.clearSiteData(stage.origin);
    await isComplete(other, 2);
    // By then it would be known if it had ended.
    await sleep(2000);
    await holder.tab.resume();
    await areBack(other, 2);
    assert.deepEqual(stage.grants(), ['holder']);
    await holder.release('holder');
    await stage.event('other', 'granted');
  });

  it('a later newcomer is granted a stopped holder\'s lock once that is killed, though all that knew it have died', async function () {
    // There several tabs may share a process, so that stopping one stops the other.
    if (the.name === 'webkit') this.skip();
    // The elder knows the other at once.
    const [other, holder] = [await stage.tab(), await stage.tab()];
    for (const { tab } of [holder, other]) await tab.pid();
    await other.hold('elder', 'another name');
    await holder.hold('holder', 'name');
    await other.queue('other', 'name');
    await holder.tab.stop();
    await the.browser.clearSiteData(stage.origin);
    await isComplete(other, 2);
    const newcomer = await stage.tab();
    await newcomer.queue('newcomer', 'name');
    // By then it has seen that the holder lives.
    await sleep(3000);
    await kill(other);
    assert.deepEqual(stage.grants(), ['elder', 'holder']);
    await kill(holder);
    await stage.event('newcomer', 'granted');
  });

  it('all die at once: the next visitor is granted', async () => {
    const contexts = [await stage.tab(), await stage.tab()];
    for (const { tab } of contexts) await tab.pid();
    await contexts[0].hold('first', 'name');
    await contexts[1].queue('second', 'name');
    await the.browser.clearSiteData(stage.origin);
    for (const context of contexts) await kill(context);
    await (await stage.tab()).hold('visitor', 'name');
  });

  it('one dies before it has come back, then the other does: the next visitor is granted, and the one after', async function () {
    // There several tabs may share a process, so that stopping one stops the other.
    if (the.name === 'webkit') this.skip();
    const [first, second] = [await stage.tab(), await stage.tab()];
    for (const { tab } of [first, second]) await tab.pid();
    await first.hold('first', 'name');
    await second.hold('second', 'other');
    await second.tab.stop();
    await the.browser.clearSiteData(stage.origin);
    // The one that has come back knows of the other, but has no name to watch it by.
    await isComplete(first, 2);
    await kill(second);
    await kill(first);
    const visitor = await stage.tab();
    await visitor.hold('visitor', 'name');
    await visitor.hold('visitor too', 'other');
    const next = await stage.tab();
    await next.queue('next', 'name');
    await visitor.release('visitor');
    await stage.event('next', 'granted');
  });
});
