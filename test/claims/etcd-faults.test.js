/**
 * Two service processes over three members of etcd, under load, while things break. No resource ever has two owners. The answers that
 * clients got show it (one claim, lists, long polls, events, updates). Nothing acknowledged is lost; service resumes within 5 s.
 * CLAIMS_ETCD_ROUNDS repeats it all (38: 304 faults). CLAIMS_FAULT_SECONDS is how long a fault of etcd's leader lasts; others last half as
 * long.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { hasEtcd, startCluster, startProxy } from './support/etcd-cluster.js';
import { createHistory } from './support/history.js';
import { startProcess } from './support/process.js';
import { openEvents } from './support/events.js';
import { createRandom, seed } from './support/random.js';
import { until } from './support/service.js';

const LASTS = 1000 * Number(process.env.CLAIMS_FAULT_SECONDS ?? 3);
const ROUNDS = Number(process.env.CLAIMS_ETCD_ROUNDS ?? 1);
const WORKERS = 8;
const RESOURCES = ['a', 'b', 'c'];
const RESUMES_WITHIN = 5000;
/** How many claims are listed at once. */
const PAGE = 50;

describe('claims: several servers while things break', function () {
  this.timeout(120_000);
  let cluster;
  const random = createRandom(seed);
  /** A service process, and the ways from it to the members. */
  const services = [];
  const history = createHistory();
  const now = () => performance.now();
  let working = true;
  let workers;
  let followers;
  let probes;
  let etcdProbes;
  let answers = 0;
  let unknown = 0;
  /** When the service last took an operation, and the longest time between two. */
  let taken;
  let gap;
  /** The longest time in which etcd itself took nothing: on a machine with other things to do its election may take long. */
  let etcdGap = 0;

  const startServer = async (place) => {
    const { proxies } = services[place];
    // A long run makes more claims than are kept by default.
    services[place].process = await startProcess(['--etcd', proxies.map(({ url }) => url).join(','), '--keep', '1000000']);
    services[place].running = true;
  };

  before(async function () {
    if (!hasEtcd) this.skip();
    cluster = await startCluster();
    for (const place of [0, 1]) {
      services.push({ proxies: await Promise.all(cluster.members.map(({ host, port }) => startProxy(host, port))), running: false });
      await startServer(place);
    }
    workers = Array.from({ length: WORKERS }, () => work(createRandom(random.below(2 ** 31))));
    followers = [0, 1].map(follow);
    probes = probe();
    etcdProbes = probeEtcd();
    await until(() => answers > 50, 'the first answers');
  });

  after(async () => {
    working = false;
    await Promise.allSettled([...(workers ?? []), probes, etcdProbes]);
    for (const stop of stopFollowing) stop();
    await Promise.allSettled(followers ?? []);
    for (const { process, proxies } of services) {
      process.child.kill('SIGCONT');
      await process.stop('SIGKILL');
      for (const proxy of proxies) proxy.stop();
    }
    await cluster?.stop();
  });

  /** Asks a service; undefined if it is not known what was done. */
  async function ask(place, method, path, body) {
    const asked = now();
    try {
      const response = await fetch(`${services[place].process.url}${path}`, {
        method,
        body: body && JSON.stringify(body),
        headers: body && { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(8000),
      });
      const text = await response.text();
      assert.ok(response.status < 500 || response.status === 503, `${response.status} ${text}`);
      if (response.status === 503) throw new Error(text);
      answers += 1;
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), asked, answered: now() };
    } catch (error) {
      if (error.code === 'ERR_ASSERTION') throw error;
      unknown += 1;
      await delay(20);
      return undefined;
    }
  }

  async function work(own) {
    let paths = [];
    /** A session, and what was made in it. @type {{path: string, claims: string[]} | undefined} */
    let session;
    while (working) {
      const place = own.below(2);
      const path = own.chance(0.75) ? own.pick(paths) : undefined;
      if (!path) {
        const time = session && own.chance(0.5) ? { session: session.path } : { ttl: own.pick([0.3, 2, 30]) };
        const result = await ask(place, 'POST', '/v1/claims/', {
          resource: own.pick(RESOURCES), ...time, ...(own.chance(0.3) && { waiting_ttl: own.pick([0.2, 1]) }),
        });
        if (result?.status === 400) session = undefined;
        if (!result || result.status === 400) continue;
        history.shown(result.body, result.asked, result.answered);
        paths.push(new URL(result.body.url).pathname);
        if (time.session === session?.path) session?.claims.push(paths.at(-1));
        continue;
      }
      const what = own.below(7);
      if (what === 0) {
        const result = await ask(place, 'GET', path);
        if (result?.status === 200) history.shown(result.body, result.asked, result.answered);
        else if (result) history.missed(path);
      } else if (what === 1) {
        const result = await ask(place, 'PATCH', path, { status: 'active' });
        if (result?.status === 200) history.shown(result.body, result.asked, result.answered);
        if (result?.status === 400) paths = paths.filter((each) => each !== path);
      } else if (what === 2) {
        const result = await ask(place, 'PATCH', path, { ttl: 1 });
        if (result?.status === 200) history.shown(result.body, result.asked, result.answered);
      } else if (what === 3) {
        const wait = own.pick([0.1, 0.5, 2]);
        const result = await ask(place, 'GET', `${path}?wait=${wait}${own.pick(['', '&while=waiting', '&while=active'])}`);
        // Its answer is true when it ends, not only at some time since the request.
        const since = result && result.answered - result.asked >= wait * 1000 ? result.asked + wait * 1000 : result?.asked;
        if (result?.status === 200) history.shown(result.body, since, result.answered);
      } else if (what === 4) {
        const result = await ask(place, 'GET', '/v1/claims/?status=active');
        if (result) history.listed(result.body.filter(({ resource }) => RESOURCES.includes(resource)), result.asked, result.answered);
      } else if (what === 5) {
        session = await useSession(session, own, place);
      } else {
        const status = own.pick(['released', 'withdrawn', 'aborted']);
        const result = await ask(place, 'PATCH', path, { status });
        if (result?.status === 204) history.ended(path, status, result.answered);
        if (result?.status === 204 || /final/.test(JSON.stringify(result?.body ?? ''))) paths = paths.filter((each) => each !== path);
      }
    }
  }

  /** Begins a session, renews it or ends it. */
  async function useSession(session, own, place) {
    if (!session) {
      const result = await ask(place, 'POST', '/v1/sessions/', { ttl: own.pick([0.5, 2, 30]) });
      return result && { path: new URL(result.body.url).pathname, claims: [] };
    }
    if (own.chance(0.7)) {
      const result = await ask(place, 'PATCH', session.path, { ttl: own.pick([0.5, 2]) });
      if (!result) return session;
      for (const url of result.body.active ?? []) history.inSession(new URL(url).pathname, result);
      return result.status === 200 ? session : undefined;
    }
    const result = await ask(place, 'DELETE', session.path);
    if (result?.status === 204) for (const path of session.claims) history.inSession(path, { answered: result.answered });
    return undefined;
  }

  const stopFollowing = new Set();

  /** Follows a service's events, from the last one on when they were interrupted. */
  async function follow(place) {
    let last;
    while (working) {
      try {
        const events = await openEvents(services[place].process.url, '', last ? { 'last-event-id': last } : {});
        stopFollowing.add(events.close);
        for (;;) {
          const [{ id, event, data }] = await events.take(1);
          if (event === 'reset') last = undefined;
          else history.told(last = id, data);
        }
      } catch {
        await delay(50);
      }
    }
  }

  /** Takes and releases a resource of its own, at whichever service works. */
  async function probe() {
    taken = now();
    gap = 0;
    for (let turn = 0; working; turn += 1) {
      const place = services[turn % 2].running ? turn % 2 : 1 - (turn % 2);
      const result = await ask(place, 'POST', '/v1/claims/', { resource: `probe ${turn}`, ttl: 0.05 });
      if (result?.status !== 201) continue;
      gap = Math.max(gap, result.answered - taken);
      taken = result.answered;
      await delay(50);
    }
  }

  async function probeEtcd() {
    let last = now();
    const body = JSON.stringify({ key: Buffer.from('/probe').toString('base64'), value: '' });
    while (working) {
      const puts = cluster.urls.map(async (url) => {
        const { ok } = await fetch(`${url}/v3/kv/put`, { method: 'POST', body, signal: AbortSignal.timeout(500) });
        assert.ok(ok);
      });
      if (await Promise.any(puts).then(() => true, () => false)) {
        etcdGap = Math.max(etcdGap, now() - last);
        last = now();
      }
      await delay(50);
    }
  }

  const faults = {
    'a member is killed': async () => {
      const leader = await cluster.leader();
      const member = random.pick(cluster.members.filter((each) => each !== leader));
      await cluster.kill(member);
      return () => cluster.restart(member);
    },
    'etcd\'s leader is killed': async () => {
      const leader = await cluster.leader();
      await cluster.kill(leader);
      return () => cluster.restart(leader);
    },
    'etcd\'s leader is paused': async () => {
      const leader = await cluster.leader();
      cluster.pause(leader);
      return () => cluster.resume(leader);
    },
    'etcd\'s leader is cut off': async (test) => {
      if (!cluster.canCut) test.skip();
      const leader = await cluster.leader();
      cluster.cut(leader);
      return () => cluster.heal(leader);
    },
    'a service process is killed': async () => {
      services[0].running = false;
      await services[0].process.stop('SIGKILL');
      return () => startServer(0);
    },
    'a service process is paused': async () => {
      services[1].running = false;
      services[1].process.child.kill('SIGSTOP');
      return async () => {
        services[1].process.child.kill('SIGCONT');
        services[1].running = true;
      };
    },
    'a service process is cut off from etcd': async () => {
      services[0].running = false;
      for (const proxy of services[0].proxies) proxy.cut();
      return async () => {
        for (const proxy of services[0].proxies) proxy.heal();
        services[0].running = true;
      };
    },
  };

  faults['the way from a service to etcd is slow'] = async () => {
    for (const proxy of services[1].proxies) proxy.slow(200);
    return async () => {
      for (const proxy of services[1].proxies) proxy.slow(0);
    };
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [what, cause] of Object.entries(faults)) {
      it(what, async function () {
        await cluster.well();
        gap = etcdGap = 0;
        const heal = await cause(this);
        // An election of etcd takes up to three seconds. Everything else breaks at once.
        await delay(/leader/.test(what) ? LASTS : LASTS / 2);
        await heal();
        await cluster.well();
        const healed = now();
        await until(() => taken > healed, 'an operation after the fault');
        assert.deepEqual(history.contradictions(), []);
        console.log(`      longest time without an operation: ${Math.round(gap)} ms; etcd itself: ${Math.round(etcdGap)} ms`);
        assert.ok(gap < Math.max(RESUMES_WITHIN, etcdGap + 2500), `no operation for ${gap} ms`);
      });
    }
  }

  it('all answers are consistent with one owner at a time, and nothing acknowledged is lost', async () => {
    working = false;
    await Promise.all([...workers, probes]);
    for (const place of [0, 1]) {
      // The knowledge from before the list was asked for: a claim may expire between the two lists.
      const known = [...history.claims.values()].map(({ path, final, fence }) => ({ path, final, fence }));
      const list = new Map();
      for (let result; result === undefined || result.body.length === PAGE;) {
        result = await until(() => ask(place, 'GET', `/v1/claims/?limit=${PAGE}&offset=${list.size}`), 'the list');
        for (const claim of result.body) {
          const { pathname } = new URL(claim.url);
          list.set(pathname, claim);
          if (history.claims.has(pathname)) history.shown(claim, result.asked, result.answered);
        }
      }
      for (const { path, final, fence } of known) {
        const claim = list.get(path);
        assert.ok(claim, `${path} is lost`);
        if (final) assert.equal(claim.status, final, path);
        if (fence) assert.equal(claim.fence, fence, path);
      }
    }
    assert.deepEqual(history.contradictions(), []);
    const faulted = ROUNDS * Object.keys(faults).length;
    console.log(`      ${faulted} faults, ${history.claims.size} claims, ${answers} answers, ${unknown} requests without an answer; `
      + `${history.events.size} events; seed ${seed}`);
    // Much less would prove little.
    assert.ok(answers > 100 && history.events.size > 100);
  });
});
