/** The claims without HTTP and without a log: against a model that searches plain lists, and against their own snapshots. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createCore } from '../../claims/source/core.js';
import { Machine } from '../../claims/source/machine.js';
import { pack, unpack } from '../../claims/source/record.js';
import { createRandom } from './support/random.js';

const STATUSES = ['released', 'revoked', 'aborted', 'withdrawn'];
const RESOURCES = ['a', 'b', 'c', 'd'];

/** Claims as the requirement words them. */
class Model {
  claims = [];
  sessions = [];
  now = 0;

  tick(now) {
    this.now = now;
    // A claim that becomes active now expires with the next tick.
    const due = [...this.claims, ...this.sessions].filter(({ deadline }) => deadline <= Math.floor(now));
    due.sort((one, other) => one.deadline - other.deadline || one.leased - other.leased);
    // A waiter that is gone has no turn.
    this.endTogether(due.flatMap((each) => (each.open ? this.of(each, 'waiting') : each.status === 'waiting' ? [each] : [])), 'expired');
    for (const each of due) {
      if (each.open || (each.status === 'active' && each.deadline <= Math.floor(now))) this.end(each, 'expired', 'active');
      if (each.open) this.close(each);
    }
  }

  of = ({ number }, status) => this.claims.filter((claim) => claim.session === number && claim.status === status);

  close(session) {
    session.open = false;
    session.deadline = Infinity;
  }

  changeSession({ type, id, ttl, owner, by, mayRevoke }) {
    if (type === 'session') {
      const session = { number: this.sessions.length + 1, owner, open: true };
      this.sessions.push(session);
      return this.lease(session, ttl);
    }
    const session = this.sessions[id - 1];
    if (!session?.open) return 'no-session';
    const own = by === undefined || by === session.owner;
    if (!own && !(mayRevoke && type === 'leave')) return 'forbidden';
    if (type === 'renew') return this.lease(session, ttl);
    this.endTogether(this.of(session, 'waiting'), own ? 'withdrawn' : 'revoked');
    this.end(session, own ? 'released' : 'revoked', 'active');
    return this.close(session);
  }

  create({ resources, mode, limit, ttl, waitingTtl, session, owner }) {
    if (session !== null) {
      const found = this.sessions[session - 1];
      if (!found?.open) return 'no-session';
      if (found.owner !== owner) return 'forbidden';
    }
    const most = mode === 'exclusive' ? 1 : limit ?? Infinity;
    const claim = { id: this.claims.length + 1, resources, most, ttl, session, owner, status: 'waiting', steps: ['waiting'] };
    this.claims.push(claim);
    this.settle();
    if (claim.status === 'waiting') this.lease(claim, waitingTtl);
    return undefined;
  }

  update({ id, status, ttl, waitingTtl, by, mayRevoke }) {
    const claim = this.claims[id - 1];
    if (!claim) return 'unknown';
    if (claim.status !== 'active' && claim.status !== 'waiting') return 'final';
    if (by !== undefined && by !== claim.owner && !(mayRevoke && status === 'revoked')) return 'forbidden';
    if (claim.status === 'waiting' && (ttl !== undefined || status === 'released')) return 'not-active';
    if (claim.status === 'active' && waitingTtl !== undefined) return 'not-waiting';
    if (status !== undefined) this.end(claim, status);
    else if (waitingTtl !== undefined) this.lease(claim, waitingTtl);
    else this.lease(Object.assign(claim, { ttl }), ttl);
    return undefined;
  }

  leases = 0;

  lease(each, ttl) {
    each.leased = this.leases += 1;
    const whole = Math.floor(this.now);
    each.deadline = ttl === null ? Infinity : whole + Math.max(1, Math.ceil(this.now + ttl * 1000) - whole);
  }

  /** A claim; or those of a session that are [of] a status, one after the other. */
  end(each, status, of) {
    for (const claim of each.number ? this.of(each, of) : [each]) this.endTogether([claim], status);
  }

  /** None of these becomes active because others of them have ended. */
  endTogether(claims, status) {
    for (const claim of new Set(claims)) {
      claim.status = status;
      claim.deadline = Infinity;
      claim.steps.push(status);
    }
    this.settle();
  }

  settle() {
    const open = this.claims.filter(({ status }) => status === 'waiting' || status === 'active');
    open.forEach((claim, place) => {
      if (claim.status === 'active') return;
      const blocked = claim.resources.some((resource) => {
        const before = open.slice(0, place).filter((other) => other.resources.includes(resource));
        return before.length >= claim.most || before.some(({ most }) => most !== claim.most);
      });
      if (blocked) return;
      claim.status = 'active';
      claim.steps.push('active');
      this.lease(claim, claim.ttl);
    });
  }
}

/** @param {ReturnType<typeof createRandom>} random @param {number} made */
function makeOperation(random, made) {
  const times = [0, 0.005, 0.05, 0.2, 1];
  if (random.chance(0.15)) {
    const id = 1 + random.below(8);
    const asker = random.chance(0.5) ? {} : { by: random.pick(['me', 'you']), mayRevoke: random.chance(0.3) };
    return random.pick([
      { type: 'session', ttl: random.pick(times), owner: random.pick(['me', 'you']) },
      { type: 'renew', id, ttl: random.pick(times), ...asker },
      { type: 'leave', id, ...asker },
    ]);
  }
  if (random.chance(0.45)) {
    const resources = random.chance(0.3) ? RESOURCES.filter(() => random.chance(0.5)) : [random.pick(RESOURCES)];
    const mode = random.chance(0.5) ? 'shared' : 'exclusive';
    return {
      type: 'create', resources: resources.length > 0 ? resources : ['a'], list: false, mode,
      limit: mode === 'shared' && random.chance(0.6) ? random.pick([1, 2, 2, 3]) : null,
      ttl: random.pick([...times, 1e9, null]), waitingTtl: random.pick([null, null, ...times]),
      session: random.chance(0.3) ? 1 + random.below(8) : null, userData: null, owner: random.pick(['me', 'you']),
    };
  }
  const time = { [random.pick(['ttl', 'waitingTtl'])]: random.pick([0, 0.01, 0.1, 1]) };
  const update = random.chance(0.5) ? time : { status: random.pick(STATUSES) };
  const asker = random.chance(0.5) ? {} : { by: random.pick(['me', 'you']), mayRevoke: random.chance(0.3) };
  return { type: 'update', id: made - random.below(12), ...update, ...asker };
}

/** A machine that has gone through a checkpoint. */
function reborn(machine) {
  const { core, ...state } = machine.snapshot();
  const open = [...machine.open.values()].map((claim) => unpack(pack(claim)));
  const other = new Machine(createCore());
  other.restore({ ...JSON.parse(JSON.stringify(state)), core }, open);
  return other;
}

describe('claims: the machine', () => {
  const SEEDS = Number(process.env.CLAIMS_SEEDS ?? 40);

  it(`${SEEDS} random histories agree with the model, also across snapshots`, function () {
    this.timeout(60_000);
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = createRandom(seed);
      const model = new Model();
      let machine = new Machine(createCore());
      const steps = [];
      let now = 0;
      for (let turn = 0; turn < 150; turn += 1) {
        now += random.pick([0, 0.25, 1, 7.125, 40]);
        const operations = Array.from({ length: random.below(4) }, () => makeOperation(random, model.claims.length + 1));
        if (random.chance(0.1)) machine = reborn(machine);
        const twin = random.chance(0.2) ? reborn(machine) : undefined;
        const batch = { now, wall: 1000 + turn, operations };
        const { results, transitions } = machine.apply(batch);
        for (const { claim, view } of transitions) (steps[claim.id] ??= []).push(view.status);
        model.tick(now);
        const where = `seed ${seed}, turn ${turn}`;
        operations.forEach((operation, place) => {
          const { type } = operation;
          const refusal = type === 'create' || type === 'update' ? model[type](operation) : model.changeSession(operation);
          assert.equal(results[place].refusal, refusal, `${where}: ${JSON.stringify(operation)}`);
        });
        for (const claim of model.claims) assert.deepEqual(steps[claim.id], claim.steps, `${where}: claim ${claim.id}`);
        if (!twin) continue;
        assert.deepEqual(twin.apply(batch).results, results, where);
        assert.deepEqual(twin.snapshot(), machine.snapshot(), where);
      }
    }
  });

  it('names the claim that blocks another', () => {
    const machine = new Machine(createCore());
    const create = (resources, mode = 'exclusive') => machine.apply({
      now: 1, wall: 1, operations: [{ type: 'create', resources, list: false, mode, ttl: 60, userData: null, owner: null }],
    });
    create(['a'], 'shared');
    create(['b']);
    create(['c', 'a'], 'shared');
    create(['a', 'b']);
    create(['c'], 'shared');
    create(['c', 'b']);
    create(['d', 'a'], 'shared');
    const contender = (id) => machine.activate(id).contender;
    assert.deepEqual([1, 2, 3, 5].map((id) => machine.activate(id).view?.status), ['active', 'active', 'active', 'active']);
    assert.deepEqual([4, 6, 7].map(contender), [1, 2, 4]);
  });

  it('names the claim that blocks one with a limit', () => {
    const machine = new Machine(createCore());
    const create = (limit, mode = 'shared') => machine.apply({
      now: 1, wall: 1, operations: [{ type: 'create', resources: ['a'], list: false, mode, limit, ttl: 60, userData: null, owner: null }],
    });
    for (const limit of [2, 2, 2, 3, 2]) create(limit);
    assert.deepEqual([1, 2].map((id) => machine.activate(id).view?.status), ['active', 'active']);
    assert.deepEqual([3, 4, 5].map((id) => machine.activate(id).contender), [1, 1, 1]);
    machine.apply({ now: 2, wall: 2, operations: [1, 2, 3].map((id) => ({ type: 'update', id, status: 'released' })) });
    assert.deepEqual([4, 5].map((id) => machine.activate(id).contender), [undefined, 4]);
  });

  it('forgets keys after a day, and all but the last 10,000', () => {
    const machine = new Machine(createCore());
    const claim = { type: 'create', resources: ['a'], list: false, mode: 'shared', ttl: 60, userData: null, owner: null, digest: '' };
    const create = (key, wall) => machine.apply({ now: 1, wall, operations: [{ ...claim, key }] }).results[0];
    create('first', 0);
    assert.equal(create('first', 24 * 3600 * 1000 - 1).replayed, 1);
    assert.equal(create('first', 24 * 3600 * 1000).view.id, 2);
    for (let turn = 0; turn < 10_001; turn += 1) create(`key ${turn}`, 24 * 3600 * 1000);
    assert.ok(create('first', 24 * 3600 * 1000).view);
    assert.equal(create('key 5000', 24 * 3600 * 1000).replayed, 5003);
  });

  it('knows the keys of open claims, however old, also after a restart; not where an older version shares the log', () => {
    let machine = new Machine(createCore());
    const day = 24 * 3600 * 1000;
    const claim = { type: 'create', resources: ['a'], list: false, mode: 'shared', ttl: 60, userData: null, owner: null, digest: '' };
    const apply = (operation, wall) => machine.apply({ now: 1, wall, operations: [operation] }).results[0];
    const create = (key, wall, keepsKey) => apply({ ...claim, key, ...(keepsKey && { keepsKey }) }, wall);
    const end = (id, wall) => apply({ type: 'update', id, status: 'released' }, wall);
    for (const key of ['kept', 'ended early', 'ended late']) create(key, 0, true);
    create('as an older version made it', 0);
    end(2, 0);
    for (let turn = 0; turn < 10_000; turn += 1) end(create(`key ${turn}`, 0, true).view.id, 0);
    assert.ok(create('as an older version made it', day).view);
    assert.ok(create('ended early', day).view);
    for (const isAgain of [false, true]) {
      if (isAgain) {
        const claims = [...machine.open.values()];
        const snapshot = JSON.parse(JSON.stringify(machine.snapshot()));
        machine = new Machine(createCore());
        machine.restore({ ...snapshot, core: new Uint8Array(Object.values(snapshot.core)) }, claims);
      }
      assert.equal(machine.keys.peek(null, 'kept').id, 1);
      assert.equal(create('kept', 2 * day).replayed, 1);
      assert.equal(create('ended late', 2 * day).replayed, 3);
    }
    end(3, 2 * day);
    // The wall clock may go back.
    assert.ok(create('ended late', 0).view);
    assert.equal(create('kept', 9 * day).replayed, 1);
    end(1, 9 * day);
    assert.ok(create('kept', 9 * day).view);
    // Nothing is left of those that have ended.
    assert.equal(create('other', 20 * day).view.status, 'active');
    assert.deepEqual(machine.keys.snapshot().map(([name]) => JSON.parse(name)[1]), ['other']);
  });
});
