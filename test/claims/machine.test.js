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
  now = 0;

  tick(now) {
    this.now = now;
    for (;;) {
      const due = this.claims.filter(({ status, deadline }) => status === 'active' && deadline <= Math.floor(now));
      due.sort((one, other) => one.deadline - other.deadline || one.leased - other.leased);
      // What becomes active now expires with the next tick.
      const first = due.find(({ since }) => since < now);
      if (!first) return;
      this.end(first, 'expired');
    }
  }

  create({ resources, mode, limit, ttl, owner }) {
    const most = mode === 'exclusive' ? 1 : limit ?? Infinity;
    this.claims.push({ id: this.claims.length + 1, resources, most, ttl, owner, status: 'waiting', steps: ['waiting'] });
    this.settle();
  }

  update({ id, status, ttl, by, mayRevoke }) {
    const claim = this.claims[id - 1];
    if (!claim) return 'unknown';
    if (claim.status !== 'active' && claim.status !== 'waiting') return 'final';
    if (by !== undefined && by !== claim.owner && !(mayRevoke && status === 'revoked')) return 'forbidden';
    if (claim.status === 'waiting' && (ttl !== undefined || status === 'released')) return 'not-active';
    if (ttl === undefined) this.end(claim, status);
    else this.lease(Object.assign(claim, { ttl }));
    return undefined;
  }

  leases = 0;

  lease(claim) {
    claim.since = this.now;
    claim.leased = this.leases += 1;
    claim.deadline = Math.floor(this.now) + Math.max(1, Math.ceil(this.now + claim.ttl * 1000) - Math.floor(this.now));
  }

  end(claim, status) {
    claim.status = status;
    claim.steps.push(status);
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
      this.lease(claim);
    });
  }
}

/** @param {ReturnType<typeof createRandom>} random @param {number} made */
function makeOperation(random, made) {
  if (random.chance(0.45)) {
    const resources = random.chance(0.3) ? RESOURCES.filter(() => random.chance(0.5)) : [random.pick(RESOURCES)];
    const mode = random.chance(0.5) ? 'shared' : 'exclusive';
    return {
      type: 'create', resources: resources.length > 0 ? resources : ['a'], list: false, mode,
      limit: mode === 'shared' && random.chance(0.6) ? random.pick([1, 2, 2, 3]) : null,
      ttl: random.pick([0, 0.005, 0.05, 0.2, 1, 1e9]), userData: null, owner: random.pick(['me', 'you']),
    };
  }
  const update = random.chance(0.4) ? { ttl: random.pick([0, 0.01, 0.1, 1]) } : { status: random.pick(STATUSES) };
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

  it(`${SEEDS} random histories are as the model has them, also across snapshots`, function () {
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
          if (operation.type === 'create') model.create(operation);
          else assert.equal(results[place].refusal, model.update(operation), `${where}: ${JSON.stringify(operation)}`);
        });
        for (const claim of model.claims) assert.deepEqual(steps[claim.id], claim.steps, `${where}: claim ${claim.id}`);
        if (!twin) continue;
        assert.deepEqual(twin.apply(batch).results, results, where);
        assert.deepEqual(twin.snapshot(), machine.snapshot(), where);
      }
    }
  });

  it('names the claim that is in the way', () => {
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

  it('names the claim that is in the way of one with a limit', () => {
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
});
