/** A context's own requests by themselves, for faults that no schedule shows. */
import assert from 'node:assert/strict';
import { createOwnRequests } from '../../glue/log/own-requests.js';

describe('own requests', () => {
  const description = /** @type {const} */ ({ names: ['a'], mode: 'exclusive', ifAvailable: false, steal: false });

  it('a request that was granted in a lost life, but not told to its listener, is made again without its fence', () => {
    /** @type {string[]} */
    const told = [];
    const own = createOwnRequests(() => {}, () => false);
    own.begin('one');
    const request = own.request(description, (outcome, fence) => told.push(`${outcome} ${fence}`));
    own.operationDelivered(2);
    const granted = /** @type {const} */ ({ type: 'granted', client: 'one', number: 2, fence: 7 });
    own.eventHappened(granted, { type: 'request', client: 'one', number: 2, ...description });
    own.lose(false);
    own.begin('two');
    own.operationDelivered(2);
    own.enterEarly([{ type: 'granted', client: 'two', number: request.number, fence: 9 }]);
    own.tellListeners(() => {});
    assert.deepEqual(told, ['granted 0']);
    // It is entered, but the log has not granted it yet: a steal breaks it.
    own.eventHappened({ type: 'granted', client: 'three', number: 5, fence: 9 },
      { type: 'request', client: 'three', number: 5, ...description, steal: true });
    own.tellListeners(() => {});
    assert.deepEqual(told, ['granted 0', 'broken 0']);
  });

  it('nothing more is entered once a listener ends the right to it: in Firefox, messages arrive while an alert() is open', () => {
    /** @type {string[]} */
    const told = [];
    let mayEnter = true;
    const own = createOwnRequests(() => {}, () => false);
    own.begin('one');
    for (const name of ['a', 'b']) {
      const { number } = own.request({ ...description, names: [name] }, (outcome) => {
        told.push(`${name} ${outcome}`);
        mayEnter = false;
      });
      own.operationDelivered(number);
      own.eventHappened({ type: 'granted', client: 'one', number, fence: number },
        { type: 'request', client: 'one', number, ...description, names: [name] });
    }
    own.tellListeners(() => told.push('again'), () => mayEnter);
    assert.deepEqual(told, ['a granted']);
    mayEnter = true;
    own.tellListeners(() => {}, () => mayEnter);
    assert.deepEqual(told, ['a granted', 'b granted']);
  });

  it('very many operations are delivered one after another, and each promise resolves at its own', async () => {
    const COUNT = 40000;
    const own = createOwnRequests(() => {}, () => false);
    own.begin('one');
    let resolved = 0;
    const marks = Array.from({ length: COUNT }, () => own.mark().then(() => { resolved++; }));
    for (let number = 1; number <= COUNT / 2; number++) {
      own.operationDelivered(number);
      assert.equal(own.lastDelivered(), number);
    }
    await marks[COUNT / 2 - 2];
    // The first operation is the join.
    assert.equal(resolved, COUNT / 2 - 1);
    assert.deepEqual(own.outstanding().map(({ number }) => number), Array.from({ length: COUNT / 2 + 1 }, (_, at) => COUNT / 2 + 1 + at));
    own.operationDelivered(Infinity);
    await Promise.all(marks);
    assert.deepEqual(own.outstanding(), []);
  });
});
