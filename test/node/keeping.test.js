import assert from 'node:assert';
import { createKeeping } from '../../glue/platform/node/keeping.js';
import { stateAfter } from '../model/state.js';

describe('node: what keeps a thread alive', () => {
  /** The state of the world of each test. @type {any} */
  let world;
  /** How many requests do not keep it alive, each time that changes. @type {number[]} */
  let kept;
  /** @type {(() => void)[]} */
  let timers;
  /** @type {ReturnType<typeof createKeeping>} */
  let keeping;

  beforeEach(() => {
    kept = [];
    timers = [];
    world = { waits: true, holds: true, isMember: true, position: 0, state: stateAfter('me exclusive a', 'me exclusive a') };
    keeping = createKeeping(/** @type {any} */ ({
      own: { waits: () => world.waits, holds: () => world.holds, busyBesides: (/** @type {number} */ count) => count },
      core: { requests: () => [...world.state.held, ...world.state.pending] },
      journal: { place: () => String(world.position) },
      membership: { isMember: () => world.isMember, client: () => 'me', keep: (/** @type {number} */ count) => void kept.push(count) },
      setTimer(/** @type {() => void} */ callback, /** @type {number} */ milliseconds) {
        assert.strictEqual(milliseconds, 10);
        timers.push(callback);
      },
    }));
  });
  const fire = () => timers.splice(0).forEach((callback) => callback());

  /** By what its requests are: how many are not worth staying alive for. @type {Record<string, [string[], number]>} */
  const STUCK = {
    'it waits for itself': [['me exclusive a', 'me exclusive a'], 2],
    'readers wait for its writer': [['me exclusive a', 'me shared a', 'me shared a'], 3],
    'its writer waits for its readers': [['me shared a', 'me shared a', 'me exclusive a'], 3],
    'it waits for its own request that waits for it': [['me exclusive a', 'me exclusive a b', 'me exclusive b'], 3],
    'it holds more than it waits for': [['me exclusive a', 'me exclusive b', 'me shared a'], 2],
    'it waits for another client': [['other exclusive a', 'me exclusive b', 'me exclusive a'], 0],
    'two of its requests wait for another client': [['other exclusive a', 'me exclusive b', 'me exclusive a', 'me exclusive a'], 0],
    'another client waits for itself': [['me exclusive b', 'other exclusive a', 'me exclusive c', 'other exclusive a'], 0],
    'its reader waits behind another client\'s writer': [['me shared a', 'other exclusive a', 'me shared a'], 0],
  };
  for (const [title, [lines, count]] of Object.entries(STUCK)) {
    it(`${title}: ${count} requests do not`, () => {
      world.state = stateAfter(...lines);
      keeping.update();
      assert.deepStrictEqual([kept, timers.length], [[], 1]);
      fire();
      assert.deepStrictEqual(kept, count ? [count] : []);
    });
  }

  for (const { title, lines, limits, count } of [
    { title: 'as many of its own as the limit says', lines: ['me shared a', 'me shared a', 'me shared a'], limits: [2, 2, 2], count: 3 },
    { title: 'another client\'s, too', lines: ['me shared a', 'other shared a', 'me shared a'], limits: [2, 2, 2], count: 0 },
    { title: 'its own with another limit', lines: ['me shared a', 'me shared a'], limits: [2, 3], count: 2 },
  ]) {
    it(`a name has a limit, and it waits for ${title}: ${count} requests do not`, () => {
      const all = stateAfter(...lines).held.map((request, index) => ({ ...request, limit: limits[index] }));
      // The model has granted all of them, as it knows of no limit here.
      world.state = { held: all.slice(0, -1), pending: all.slice(-1).map((request) => ({ ...request, fence: 0 })) };
      keeping.update();
      fire();
      assert.deepStrictEqual(kept, count ? [count] : []);
    });
  }

  it('the thread of a context that is no longer a member is neither kept alive nor released', () => {
    keeping.update();
    fire();
    keeping.stop();
    world.waits = false;
    keeping.update();
    assert.deepStrictEqual(kept, [2]);
  });

  it('a request or a lock with a deadline does', () => {
    for (const part of /** @type {const} */ (['held', 'pending'])) {
      const state = stateAfter('me exclusive a', 'me exclusive a');
      state[part][0].deadline = 100;
      world.state = state;
      keeping.update();
      fire();
      assert.deepStrictEqual(kept, []);
    }
  });

  it('a member that holds and waits looks once nothing has happened for a while', () => {
    for (const [lack, value] of [['waits', false], ['holds', false], ['isMember', false]]) {
      keeping.update();
      keeping.update();
      assert.strictEqual(timers.length, 1);
      world[/** @type {string} */ (lack)] = value;
      fire();
      assert.deepStrictEqual([kept, timers], [[], []]);
      if (lack !== 'isMember') keeping.update();
      assert.deepStrictEqual(timers, []);
      world[/** @type {string} */ (lack)] = true;
    }
    keeping.update();
    world.position++;
    fire();
    assert.deepStrictEqual([kept, timers.length], [[], 1]);
    fire();
    assert.deepStrictEqual(kept, [2]);
    keeping.update();
    assert.deepStrictEqual(kept, [2, 0], 'something has happened');
  });

  it('a detached request does not until it has ended, and counts once', () => {
    const request = /** @type {any} */ ({ number: 2, status: 'held' });
    keeping.update();
    assert.deepStrictEqual(kept, []);
    keeping.detach(request);
    keeping.update();
    assert.deepStrictEqual(kept, [1]);
    fire();
    assert.deepStrictEqual(kept, [1, 2]);
    keeping.stop();
    keeping.update();
    assert.deepStrictEqual(kept, [1, 2, 1]);
    request.status = 'ended';
    keeping.update();
    keeping.update();
    assert.deepStrictEqual(kept, [1, 2, 1, 0]);
  });
});
