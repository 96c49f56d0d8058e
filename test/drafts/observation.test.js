import assert from 'node:assert/strict';
import { watchContention } from '../../glue/api/drafts/contention.js';
import { createHeld } from '../../glue/api/drafts/held.js';
import { createObservation } from '../../glue/api/observation.js';
import { createModel } from '../model/model.js';

describe('what a context observes', () => {
  let time = 0;
  /** @type {ReturnType<typeof createObservation>} */
  let observation;
  /** @type {import('../../glue/core/types.js').Core} */
  let core;

  beforeEach(() => {
    time = 1;
    observation = createObservation(() => time++);
    core = observation.watch(createModel)();
    core.apply({ type: 'join', client: 'one', number: 1 });
    core.apply({ type: 'join', client: 'two', number: 1 });
    time = 100;
  });

  /** @param {string} client @param {number} number @param {object} [more] */
  const request = (client, number, more = {}) => core.apply({ type: 'request', client, number, names: ['a'], mode: 'exclusive', ...more });

  it('the time since when a request waits, and then since when it is held', () => {
    request('one', 2);
    request('two', 2);
    assert.deepEqual([observation.sinceOf('one', 2), observation.sinceOf('two', 2)], [100, 101]);
    core.apply({ type: 'drop', client: 'one', number: 3, request: 2 });
    assert.equal(observation.sinceOf('two', 2), 102);
    request('two', 3);
    assert.deepEqual([observation.sinceOf('two', 2), observation.sinceOf('two', 3)], [102, 103]);
  });

  it('for older requests, the time when this context got the state', () => {
    request('one', 2);
    const bytes = core.snapshot();
    time = 500;
    const other = observation.watch(createModel)();
    other.restore(bytes);
    assert.equal(observation.sinceOf('one', 2), 500);
    assert.deepEqual(observation.state().held.map(({ client }) => client), ['one']);
    other.apply({ type: 'request', client: 'two', number: 2, names: ['a'], mode: 'shared' });
    assert.equal(observation.sinceOf('two', 2), 501);
  });

  it('the state of the core that was used last, as it is once the state was replaced', () => {
    /** @type {string[][]} */
    const seen = [];
    const clients = () => observation.state().members.map(({ client }) => client);
    observation.listen((operation) => operation || seen.push(clients()));
    const bytes = core.snapshot();
    const other = observation.watch(createModel)();
    other.reset(0);
    core.restore(bytes);
    core.reset(0);
    assert.deepEqual(seen, [[], ['one', 'two'], []]);
  });

  it('nothing of a request that has ended', () => {
    request('one', 2);
    request('two', 2, { ifAvailable: true });
    request('two', 3, { steal: true });
    assert.deepEqual([observation.sinceOf('one', 2), observation.sinceOf('two', 2), observation.sinceOf('two', 3)], [0, 0, 102]);
  });

  it('each operation with its events, and that the state was replaced', () => {
    /** @type {string[]} */
    const heard = [];
    const stop = observation.listen((operation, events = []) => heard.push(
      operation ? `${operation.type}: ${events.map(({ type }) => type)}` : 'replaced'));
    request('one', 2);
    request('two', 2, { ifAvailable: true });
    assert.throws(() => request('two', 7));
    core.restore(core.snapshot());
    core.apply({ type: 'gone', client: 'one' });
    core.reset(0);
    stop();
    core.apply({ type: 'join', client: 'one', number: 1 });
    assert.deepEqual(heard, ['request: granted', 'request: unavailable', 'replaced', 'gone: removed', 'replaced']);
  });

  it('each request that waits for a lock, once, also if the state was replaced', async () => {
    /** @type {string[]} */
    const told = [];
    request('one', 2);
    const held = createHeld(globalThis, ['a'], 'exclusive', 1);
    let listening = 0;
    const counted = {
      ...observation,
      listen(/** @type {import('../../glue/api/observation.js').Listener} */ listener) {
        const end = observation.listen(listener);
        listening++;
        return () => {
          listening--;
          end();
        };
      },
    };
    const stop = watchContention(counted, held, ({ clientId, mode }) => void told.push(`${clientId} ${mode}`));
    request('two', 2);
    const other = createModel();
    other.restore(core.snapshot());
    other.apply({ type: 'request', client: 'two', number: 3, names: ['a'], mode: 'shared' });
    core.restore(other.snapshot());
    await Promise.resolve();
    assert.deepEqual(told, ['two exclusive', 'two shared']);
    request('two', 4);
    stop();
    request('two', 5);
    await Promise.resolve();
    assert.equal(listening, 0);
    assert.equal(told.length, 2, 'it is told nothing after the end, not even of earlier requests');
  });

  it('a core that is compiled only asynchronously', async () => {
    const late = await observation.watch(async (/** @type {number} */ fence) => createModel({ fence }))(7);
    late.apply({ type: 'join', client: 'late', number: 1 });
    assert.deepEqual(observation.state().members.map(({ client }) => client), ['late']);
  });
});
