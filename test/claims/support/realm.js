/** A realm with a clock that the test moves, and a claims service in it that does what the test says. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createClaimsLockManager } from '../../../glue/claims/manager.js';

const TAKEN = ['URL', 'DOMException', 'AbortController', 'Headers'];
/** The headers of the service's answers. */
const MARKED = { 'lockkeeper-claims': '1' };
const LONGEST_TIMER = 2 ** 31 - 1;

/** Until all promises have settled that can. */
export const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** @param {{marks?: boolean, readWallClock?: () => number}} [options] [marks]: whether the service marks its answers */
export function createRealm({ marks = true, readWallClock = () => Date.now() } = {}) {
  let now = 0;
  /** In the order of their times. */
  const timers = new Set();
  /** Resolves when so many milliseconds have passed. */
  const after = (milliseconds) => new Promise((resolve) => timers.add({ call: resolve, at: now + milliseconds, keepsAlive: false }));
  const service = createService(() => now, after, marks ? MARKED : {});

  const next = (end) => [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  const fire = (timer) => {
    timers.delete(timer);
    now = Math.max(now, timer.at);
    timer.call();
  };

  /** Time passes, and each timer fires in time. */
  async function advance(milliseconds) {
    const end = now + milliseconds;
    await settle();
    for (let timer; (timer = next(end));) {
      fire(timer);
      await settle();
    }
    now = end;
  }

  /** The thread stands still. Then the timers that are due fire, and only promises settle between them. */
  async function stall(milliseconds) {
    now += milliseconds;
    for (const timer of [...timers].filter(({ at }) => at <= now).sort((one, other) => one.at - other.at)) {
      if (timers.has(timer)) fire(timer);
      for (let tick = 0; tick < 50; tick++) await undefined;
    }
  }

  const time = {
    readClock: () => now,
    readWallClock,
    // As in Node.
    setTimeout(call, milliseconds) {
      const timer = {
        call, at: now + (milliseconds > LONGEST_TIMER ? 1 : Math.max(1, milliseconds)), keepsAlive: true,
        unref: () => (timer.keepsAlive = false),
      };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer),
  };

  /**
   * @param {object} [options] of the manager
   * @param {(asked: string, send: () => Promise<Response>, how: RequestInit) => unknown} [fail] what fetch() does instead, for a request
   *   such as 'PATCH claims 1 {"status":"released"}'; undefined: nothing else
   * @param {object} [members] of the global object
   */
  function create(options = {}, fail = () => undefined, members = {}) {
    const asked = [];
    const warnings = [];
    const global = {
      ...Object.fromEntries(TAKEN.map((name) => [name, globalThis[name]])),
      console: { warn: (text) => warnings.push(text) },
      performance: {},
      fetch(url, how) {
        const { method = 'GET', body = '', signal } = how;
        const [, kind, id, query] = /v1\/(\w+)\/(\d*)\/?(.*)$/.exec(String(url));
        const text = [method, kind, id, body || query].filter(Boolean).join(' ');
        const key = how.headers.get('idempotency-key');
        const send = () => (signal.aborted ? cut() : service.answer({ method, kind, id, query, body, signal, key }));
        asked.push(text);
        return fail(text, send, how) ?? send();
      },
      ...members,
    };
    const { manager, openLog } = createClaimsLockManager(global, time, { url: 'http://x', ...options }, randomUUID, () => options.debug);
    return { manager, openLog, asked, warnings };
  }

  return {
    service, advance, stall, create, after,
    now: () => now,
    /** Whether a timer keeps the process alive. */
    isKeptAlive: () => [...timers].some(({ keepsAlive }) => keepsAlive),
  };
}

/** A service with exclusive locks. */
function createService(now, after, headers) {
  let starts = 0;
  let begun = 0;
  let sessions = new Map();
  let claims = new Map();
  let watchers = new Set();
  const url = (kind, id) => `http://x/v1/${kind}/${id}/`;
  const of = (status, session) => (
    [...claims.values()].filter((claim) => claim.status === status && (!session || claim.session === session)));
  const showClaim = ({ id, status, created, resource, data }) => (
    { url: url('claims', id), status, created, resource, ttl: null, fence: Number(id), user_data: data });
  const showSession = ({ id, created }) => (
    { url: url('sessions', id), created, ttl: 30, active: of('active', id).map((claim) => url('claims', claim.id)) });

  function move() {
    for (const claim of claims.values()) {
      if (!claim.isOver && !(sessions.get(claim.session)?.end > now())) Object.assign(claim, { isOver: true, status: 'expired' });
    }
    for (const { id, end } of sessions.values()) if (end <= now()) sessions.delete(id);
    for (const claim of of('waiting')) {
      if (!of('active').some(({ resource }) => resource === claim.resource)) claim.status = 'active';
    }
    for (const watcher of watchers) watcher();
  }

  // A service that does not mark its answers does not look.
  const isOther = (one, query, name = 'created') => headers === MARKED && query.has(name) && one.created !== query.get(name);
  const list = (query) => {
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(query.get(name)));
    const found = query.has('status') ? of(query.get('status')) : [...claims.values()];
    return found.map(showClaim).slice(offset, offset + limit);
  };

  const routes = {
    'POST sessions'({ ttl }) {
      const id = String(++begun);
      sessions.set(id, { id, created: `start ${starts}, session ${id}`, end: now() + ttl * 1000 });
      return [201, showSession(sessions.get(id))];
    },
    'PATCH sessions'({ ttl }, id, _, query) {
      const session = sessions.get(id);
      if (!session || isOther(session, query)) return [404, { error: `There is no session ${id}, or not any more.` }];
      session.end = now() + ttl * 1000;
      return [200, showSession(session)];
    },
    'DELETE sessions'(_, id, __, query) {
      const session = sessions.get(id);
      if (!session || isOther(session, query)) return [404, { error: `There is no session ${id}, or not any more.` }];
      for (const claim of of('waiting', id)) Object.assign(claim, { isOver: true, status: 'withdrawn' });
      for (const claim of of('active', id)) Object.assign(claim, { isOver: true, status: 'released' });
      sessions.delete(id);
      move();
      return [204, undefined];
    },
    'POST claims'({ resource, session, user_data: data }, _, key, query) {
      let claim = [...claims.values()].find((each) => each.key === key);
      if (!claim) {
        const found = sessions.get(session);
        if (!found || isOther(found, query, 'session_created')) return [400, { session: 'There is no such session, or not any more.' }];
        const id = String(claims.size + 1);
        claim = { id, key, resource, session, data, status: 'waiting', created: `start ${starts}, claim ${id}` };
        claims.set(id, claim);
        move();
      }
      return [claim.status === 'waiting' ? 202 : 201, showClaim(claim)];
    },
    'GET claims'(_, id, __, query) {
      if (!id) return [200, list(query)];
      return claims.has(id) ? [200, showClaim(claims.get(id))] : [404, { error: `There is no claim ${id}.` }];
    },
    'PATCH claims'({ status }, id, _, query) {
      const claim = claims.get(id);
      if (!claim || isOther(claim, query)) return [404, { error: `There is no claim ${id}.` }];
      if (claim.isOver) return [400, { status: `The claim is ${claim.status}, and that is final.` }];
      Object.assign(claim, { isOver: true, status });
      move();
      return [204, undefined];
    },
  };

  async function answer({ method, kind, id, query, body, signal, key }) {
    move();
    if (query.includes('wait=') && claims.get(id)?.status === 'waiting') {
      await new Promise((resolve, reject) => {
        const watcher = () => {
          if (claims.get(id)?.status === 'waiting') return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        void after(Number(new URLSearchParams(query).get('wait')) * 1000).then(() => {
          watchers.delete(watcher);
          resolve();
        });
        signal.addEventListener('abort', () => {
          watchers.delete(watcher);
          reject(new DOMException('ended', 'AbortError'));
        });
      });
    }
    const [status, content] = routes[`${method} ${kind}`](body ? JSON.parse(body) : {}, id, key, new URLSearchParams(query));
    return respond(status, content === undefined ? '' : JSON.stringify(content), headers);
  }

  return {
    answer,
    sessions: () => {
      move();
      return sessions.size;
    },
    statuses: (resource) => {
      move();
      return [...claims.values()].filter((claim) => claim.resource === resource).map(({ status }) => status);
    },
    /** It starts anew without its latest claim. */
    loseLatest() {
      starts++;
      claims.delete(String(claims.size));
    },
    /** It starts anew without its data. Waiting clients lose the connection. */
    lose() {
      starts++;
      begun = 0;
      sessions = new Map();
      claims = new Map();
      watchers = new Set();
    },
  };
}

/** What a service says that marks its answers. */
export const respond = async (status, text = '{"error":"no"}', headers = MARKED) => (
  { status, text: async () => text, headers: new Headers(headers) });
/** The answers of a gateway. */
export const respondForeign = (status, text, headers = {}) => respond(status, text, headers);
/** The connection is cut. A test need not wait for the answer. */
export const cut = () => {
  const answer = Promise.reject(new TypeError('there is no network'));
  answer.catch(() => {});
  return answer;
};
/** Never answers. */
export const silence = ({ signal }) => new Promise((_, reject) => {
  signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')));
});

/** A request and what has become of it so far. */
export function requestOf(manager, name, options = {}) {
  const request = { lock: undefined, isOver: false, error: undefined, release: () => assert.fail('it was not granted') };
  request.result = manager.request(name, options, (lock) => new Promise((resolve) => {
    Object.assign(request, { lock, release: resolve });
  })).catch((error) => (request.error = error)).finally(() => (request.isOver = true));
  return request;
}

/** A lock that is held. */
export async function hold(manager, name) {
  const request = requestOf(manager, name);
  await settle();
  assert.ok(request.lock, `${name} was granted`);
  return request;
}
