/** A service that knows its callers by name, with a clock that the test moves. */
import { after, before } from 'mocha';
import { authentication } from '../../../claims/source/auth.js';
import { createClient, startService } from './service.js';

/** A clock that stands still until it is moved, by seconds. */
function createClock() {
  let now = 1000;
  return {
    now: () => now, wall: Date.now, observe: () => {}, resume: () => {}, record: () => ({ boot: null, offset: 0 }),
    move: (seconds) => (now += seconds * 1000),
  };
}

export const auth = authentication(async ({ headers: { authorization: owner = 'nobody' } }) => (
  { owner, by: owner, mayRevoke: owner === 'admin' }));

/** A client of that name. */
export const as = (url, name) => createClient(url, { headers: { authorization: name } });

/** To be called in a suite. What is given has its values when the suite's tests run. */
export function useTimedService() {
  let count = 0;
  const used = {
    /** @type {Awaited<ReturnType<typeof startService>>} */
    running: undefined,
    clock: createClock(),
    /** @type {ReturnType<typeof createClient>} that of "me" */
    client: undefined,
    fresh: () => `resource ${(count += 1)}`,
    /** Time moves, and all hear of it. */
    move: async (seconds) => {
      used.clock.move(seconds);
      await used.client.claim(used.fresh());
    },
  };
  before(async () => {
    used.running = await startService({ service: { clock: used.clock }, server: { auth } });
    used.client = as(used.running.url, 'me');
  });
  after(() => used.running.stop());
  return used;
}
