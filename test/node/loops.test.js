/** A loop of requests lets the rest of its thread go on, although each grant comes at once. */
import assert from 'node:assert';
import { draftsOf } from '../../glue/entries/drafts.js';
import { createLockManager, locks } from '../../glue/entries/index.js';

/** A loop has at most so many turns, so that a failing test ends. */
const MOST = 20000;

describe('node: a loop of requests', function () {
  this.timeout(60000);

  const managers = { threads: () => locks, processes: () => createLockManager({ name: `loops ${process.pid}`, scope: 'host' }) };
  for (const [between, create] of Object.entries(managers)) {
    /** @type {Record<string, (manager: LockManager, name: string) => Promise<boolean>>} */
    const loops = {
      'for a lock that is held': (manager, name) => manager.request(name, { ifAvailable: true }, (lock) => !!lock),
      'for another lock': (manager, name) => manager.request('another', async () =>
        !(await manager.query()).held?.some((lock) => lock.name === name)),
      'with many lanes': async (manager, name) => {
        const all = await Promise.all([1, 2, 3, 4].map((lane) => manager.request(`lane ${lane % 2}`, () => manager.query())));
        return !all[0].held?.some((lock) => lock.name === name);
      },
    };
    for (const [title, isReleased] of Object.entries(loops)) {
      it(`${title} lets its timers fire (between ${between})`, async () => {
        const manager = create();
        // The loop ends when the holder's timer has fired.
        const holding = manager.request(title, () => new Promise((resolve) => setTimeout(resolve)));
        let turns = 0;
        while (turns < MOST && !await isReleased(manager, title)) turns++;
        await holding;
        assert.ok(turns < MOST, 'the timer had to wait for the end of the loop');
      });
    }

    it(`of force-releases or inspections lets its timers fire (between ${between})`, async () => {
      const manager = createLockManager({ name: `looks ${process.pid}`, ...(between === 'processes' && { scope: 'host' }) });
      for (const act of [() => draftsOf(manager).forceRelease('nobody has it'), () => manager.inspect()]) {
        let [fired, turns] = [false, 0];
        setTimeout(() => { fired = true; });
        for (; turns < MOST / 10 && !fired; turns++) await act();
        assert.ok(fired, 'the timer had to wait for the end of the loop');
      }
      await manager.close();
    });
  }
});
