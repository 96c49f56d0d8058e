/** supabase's auth client: tabs share a session, and a lock has one of them refresh it; that tab is killed while it does. */
import assert from 'node:assert/strict';
import { until } from '../browsers/drivers/wait.js';
import { besideNative } from './libraries/scenes.js';

const TABS = 4;
const ROUNDS = 5;

besideNative('supabase', (the) => {
  /** The requests to the server, and their tokens. @type {{token: string, ok: boolean}[]} */
  let refreshes;
  /** The token that is good for the next refresh. */
  let current = '';

  beforeEach(() => {
    refreshes = [];
    current = 'refresh 0';
    the.server.onEntry = ({ refresh_token: token }) => {
      const ok = token === current;
      refreshes.push({ token, ok });
      if (!ok) return { error: 'invalid_grant', error_description: `${token} was used before` };
      current = `refresh ${refreshes.length}`;
      return {
        access_token: `access ${refreshes.length}`, refresh_token: current, token_type: 'bearer', expires_in: 3600,
        expires_at: Math.round(Date.now() / 1000) + 3600, user: { id: 'one' },
      };
    };
  });

  const openAll = async () => {
    const tabs = [];
    for (let i = 0; i < TABS; i++) tabs.push(await the.open());
    return tabs;
  };

  it('an expired session is refreshed once, however many tabs want it', async () => {
    const tabs = await openAll();
    for (let round = 1; round <= ROUNDS; round++) {
      await tabs[0].evaluate((/** @type {string} */ token) => self.supabase.expire(token), current);
      const sessions = await Promise.all(tabs.map((tab) => tab.evaluate(() => self.supabase.session())));
      assert.deepEqual(sessions, tabs.map(() => ({ access: `access ${round}`, refresh: `refresh ${round}` })));
      assert.equal(refreshes.length, round);
    }
  });

  it('the tab that refreshes is killed meanwhile: the next one does it, once', async () => {
    const tabs = await openAll();
    const answer = the.server.onEntry;
    // The first request comes to the server, and is not carried out.
    let lost = 0;
    the.server.onEntry = (entry) => (lost++ ? answer?.(entry) : {});
    await tabs[1].evaluate((/** @type {string} */ token) => {
      self.supabase.beSlow(20000);
      return self.supabase.expire(token);
    }, current);
    tabs[1].evaluate(() => self.supabase.session()).catch(() => {});
    await until(() => lost, 5000, 'one refreshes');
    const others = tabs.filter((_, i) => i !== 1);
    const waiting = Promise.all(others.map((tab) => tab.evaluate(() => self.supabase.session())));
    const isQueued = async () => (await tabs[0].evaluate(async () => (await navigator.locks.query()).pending.length)) === others.length;
    await until(isQueued, 5000, 'the others wait');
    await tabs[1].kill();
    assert.deepEqual(await waiting, others.map(() => ({ access: 'access 1', refresh: 'refresh 1' })));
    assert.deepEqual(refreshes, [{ token: 'refresh 0', ok: true }]);
  });
});
