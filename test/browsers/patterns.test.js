/** The patterns between tabs of one origin: over Lockkeeper's manager, and over the browser's own where it has one. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { until } from './drivers/wait.js';
import { eachBrowser } from './engines.js';

const folders = { patterns: fileURLToPath(new URL('../patterns', import.meta.url)) };

eachBrowser('the patterns', { folders, library: null }, (the) => {
  for (const manager of ['ours', 'native']) {
    describe(`over ${manager === 'ours' ? 'Lockkeeper\'s manager' : 'the browser\'s own'}`, () => {
      /** @type {string} */
      let origin;

      beforeEach(async function () {
        origin = await the.server.newOrigin();
        const tab = await the.newTab(`${origin}/patterns/pages/context.html?manager=${manager}`);
        const isThere = await tab.evaluate(() => !!navigator.locks);
        if (manager === 'native' && !isThere) this.skip();
      });

      const open = async () => {
        const tab = await the.newTab(`${origin}/patterns/pages/context.html?manager=${manager}`);
        await until(() => tab.evaluate(() => typeof self.actor === 'object'), 10000, 'the page has its modules', 5);
        return tab;
      };
      const queued = (/** @type {any} */ tab, /** @type {string} */ name, /** @type {number} */ count) => until(
        () => tab.evaluate(async (/** @type {string} */ which, /** @type {number} */ many) =>
          (await self.actor.locks.query()).pending.filter((each) => each.name === which).length >= many, name, count),
        10000, `${count} are queued for ${name}`, 2);
      const events = (/** @type {any} */ tab) => tab.evaluate(() => self.actor.events.join());

      it('elect(): one tab leads; when it closes, is robbed or resigns, the next follows', async () => {
        const tabs = [];
        for (const index of [0, 1, 2]) {
          const tab = await open();
          await tab.evaluate(() => {
            const { elect, locks, note } = self.actor;
            self.election = elect('leader', { locks, onLeader: () => note('leads'), onLost: ({ name }) => note(name) });
          });
          if (index) await queued(tab, 'leader', index);
          else await until(() => events(tab), 10000, 'the first leads', 2);
          tabs.push(tab);
        }
        const leading = () => Promise.all(tabs.map((tab) => tab.evaluate(() => self.election.isLeader)));
        assert.deepEqual(await leading(), [true, false, false]);

        await (tabs.shift())?.close();
        await until(async () => (await leading())[0], 10000, 'the second leads', 2);
        assert.deepEqual(await leading(), [true, false]);

        // The thief is first; the waiter stays before the robbed one.
        await tabs[0].evaluate(() => self.actor.locks.request('leader', { steal: true }, () => {}));
        await until(async () => (await leading())[1], 10000, 'the third leads', 2);
        assert.equal(await events(tabs[0]), 'leads,AbortError');
        await queued(tabs[0], 'leader', 1);

        await tabs[1].evaluate(() => self.election.resign());
        await until(async () => (await leading())[0], 10000, 'the second leads again', 2);
        assert.equal(await events(tabs[0]), 'leads,AbortError,leads');
      });

      it('semaphore(): no more than its slots at once, in all tabs, and a closed tab\'s slot is free', async () => {
        const [holder, ...tabs] = [await open(), await open(), await open(), await open()];
        await holder.evaluate(() => new Promise((inside) => {
          const { semaphore, locks } = self.actor;
          void semaphore('pool', 2, { locks }).request(() => {
            inside(true);
            return new Promise(() => {});
          });
        }));
        for (const [index, tab] of tabs.entries()) {
          await tab.evaluate(() => {
            const { semaphore, locks, note } = self.actor;
            void semaphore('pool', 2, { locks }).request(({ slot }) => {
              note(`slot ${slot}`);
              return new Promise((resolve) => {
                self.giveBack = resolve;
              });
            });
          });
          if (index) await queued(tab, index === 1 ? 'pool slot 1' : 'pool queue', 1);
          else await until(() => events(tab), 10000, 'it has the second slot', 2);
        }
        assert.deepEqual(await Promise.all(tabs.map(events)), ['slot 1', '', '']);
        const tried = await tabs[0].evaluate(() => {
          const { semaphore, locks } = self.actor;
          return semaphore('pool', 2, { locks }).request({ ifAvailable: true }, (slot) => slot);
        });
        assert.equal(tried, null);

        await holder.close();
        await until(() => events(tabs[1]), 10000, 'the first in line is in', 2);
        assert.deepEqual(await Promise.all(tabs.map(events)), ['slot 1', 'slot 0', '']);
        await tabs[0].evaluate(() => self.giveBack());
        await until(() => events(tabs[2]), 10000, 'the second in line is in', 2);
        assert.equal(await events(tabs[2]), 'slot 1');
      });

      it('tryAcquire(), isLocked() and withTimeout() see other tabs', async () => {
        const [holder, tab] = [await open(), await open()];
        await holder.evaluate(async () => {
          self.lock = await self.actor.tryAcquire('single', { locks: self.actor.locks });
        });
        const look = () => tab.evaluate(async () => {
          const { isLocked, tryAcquire, withTimeout, locks } = self.actor;
          const lock = await tryAcquire('single', { locks });
          if (lock) {
            lock.release();
            await lock.released;
          }
          return [await isLocked('single', { locks }), !!lock,
            await withTimeout('single', lock ? 10000 : 5, { locks }, () => 'granted').catch(({ name }) => name)];
        });
        assert.deepEqual(await look(), [true, false, 'TimeoutError']);
        await holder.evaluate(() => {
          self.lock.release();
          return self.lock.released;
        });
        assert.deepEqual(await look(), [false, true, 'granted']);
      });
    });
  }
});
