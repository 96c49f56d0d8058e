import assert from 'node:assert';
import { createNotices } from '../../glue/platform/node/notices.js';
import { createPromises } from '../../glue/platform/node/promises.js';
import { schedules } from './simulation/schedules.js';
import { threadSchedules } from './simulation/thread-schedules.js';

describe('node: processes are told, whatever happens to the writer', () => {
  for (const [title, run] of Object.entries(schedules)) it(title, () => run());
});

describe('node: what threads are told', () => {
  for (const [title, run] of Object.entries(threadSchedules)) it(title, () => run());
});

describe('node: what anything writes to the socket of a process', () => {
  it('crashes no process, and is heard only if it is a notice', () => {
    let looks = 0;
    const notices = createNotices(/** @type {any} */ ({
      surroundings: { bell: {}, now: () => 0, setTimer: () => () => {} },
      kernel: { attend() {} }, journal: { path: () => '' }, core: { last: () => 0 }, isNeeded: () => true,
      lookout: { expect: () => looks++ }, promises: { give: () => looks++ },
    }));
    const garbage = [
      [], {}, { from: 5, number: 1 }, { from: 'x' }, { from: 'x', behind: 5, last: 1 }, { from: 'x', behind: ['1'], last: 1 },
      { from: 'x', behind: [1] }, { from: 'x', behind: 5, number: 1 }, { from: 'x', promises: {} }, { from: 'x', number: '1' },
      { client: 'x', number: 1 },
    ];
    for (const each of garbage) notices.hear(/** @type {any} */ (each), () => assert.fail());
    assert.strictEqual(looks, 0);
    notices.hear({ from: 'x', number: 1 }, () => {});
    notices.hear({ from: 'x', behind: [1], last: 1 }, () => {});
    assert.strictEqual(looks, 2);
  });
});

describe('node: a process for which the kernel rings for every entry', () => {
  it('follows the journal into its next file', () => {
    const attended = /** @type {string[]} */ ([]);
    const journal = { path: () => 'first', place: () => '' };
    const notices = createNotices(/** @type {any} */ ({
      surroundings: { bell: {}, now: () => 0, setTimer: () => () => {} },
      kernel: { attend: (/** @type {string} */ path) => attended.push(path) }, journal, client: () => 'a', isNeeded: () => true,
      core: { last: () => 0, requestCount: () => 1 }, lookout: { expect() {} },
    }));
    notices.settle();
    assert.deepStrictEqual(attended, []);
    notices.hear({ from: 'b', number: 1 }, () => {});
    journal.path = () => 'next';
    notices.settle();
    assert.deepStrictEqual(attended, ['first', 'next']);
  });
});

describe('node: a registered process', () => {
  it('is forgotten once the request has ended, however that was', () => {
    const open = new Set([1, 2]);
    const parts = { core: { last: () => 0 }, client: () => 'a', isOpen: (/** @type {number} */ each) => open.has(each) };
    const promises = createPromises(/** @type {any} */ (parts));
    const told = /** @type {any[]} */ ([]);
    promises.give({ from: 'b', last: 0, behind: [1] }, (message) => told.push(message));
    // It has expired.
    open.delete(1);
    promises.give({ from: 'c', last: 0, behind: [2] }, (message) => told.push(message));
    assert.deepStrictEqual(told.splice(0), [{ from: 'a', promises: [1] }, { from: 'a', promises: [2] }]);
    promises.leave();
    assert.deepStrictEqual(told, [{ from: 'a', number: Number.MAX_SAFE_INTEGER }], 'leaving tells c alone');
  });

  it('is rung for at once if one of the requests has ended before, and promised the others', () => {
    const parts = { core: { last: () => 0 }, client: () => 'a', isOpen: (/** @type {number} */ each) => each === 2 };
    const promises = createPromises(/** @type {any} */ (parts));
    const told = /** @type {any[]} */ ([]);
    promises.give({ from: 'b', last: 0, behind: [1, 2] }, (message) => told.push(message));
    assert.deepStrictEqual(told.splice(0), [{ from: 'a', promises: [2] }, undefined]);
    promises.give({ from: 'b', last: 0, behind: [1] }, (message) => told.push(message));
    assert.deepStrictEqual(told, [undefined]);
  });

  it('is told of an end once, though that is written again behind the end of a file', () => {
    const promises = createPromises(/** @type {any} */ ({ core: { last: () => 0 }, client: () => 'a', isOpen: () => true }));
    const told = /** @type {any[]} */ ([]);
    promises.give({ from: 'b', last: 0, behind: [2] }, (message) => told.push(message));
    for (let time = 0; time < 2; time++) promises.announce([{ type: 'drop', client: 'a', number: 3, request: 2 }]);
    assert.deepStrictEqual(told, [{ from: 'a', promises: [2] }, { from: 'a', number: 3 }]);
    promises.leave();
    assert.strictEqual(told.length, 2, 'nothing is left to be told');
  });

  it('is forgotten if its client has gone, and if this context is no longer a member', () => {
    const forgotten = /** @type {string[]} */ ([]);
    const notices = createNotices(/** @type {any} */ ({
      surroundings: {}, kernel: { unattend() {}, rest() {} },
      promises: { forget: (/** @type {string} */ gone) => forgotten.push(gone), forgetAll: () => forgotten.push('all') },
    }));
    notices.forget('b');
    notices.stop();
    assert.deepStrictEqual(forgotten, ['b', 'all']);
  });

  it('is forgotten once its client has gone, and when this context begins anew and reuses the numbers of its requests', () => {
    const promises = createPromises(/** @type {any} */ ({ core: { last: () => 0 }, client: () => 'a', isOpen: () => true }));
    const told = /** @type {string[]} */ ([]);
    const register = () => ['b', 'c'].forEach((from) => promises.give({ from, last: 0, behind: [2] }, () => told.push(from)));
    const tellOfEnd = () => {
      told.length = 0;
      promises.announce([{ type: 'drop', client: 'a', number: 3, request: 2 }]);
      const wereTold = ['b', 'c'].filter(promises.wasTold);
      promises.written();
      assert.deepStrictEqual(wereTold, told);
      return told.join();
    };
    register();
    promises.forget('b');
    assert.strictEqual(tellOfEnd(), 'c');
    register();
    promises.forgetAll();
    assert.strictEqual(tellOfEnd(), '');
    assert.deepStrictEqual(['b', 'c'].filter(promises.wasTold), [], 'a process that was told of one end is rung for at the next');
  });
});
