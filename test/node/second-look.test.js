import assert from 'node:assert';
import { withSecondLook } from '../../glue/platform/node/second-look.js';
import { deferred } from '../api/kit.js';
import { settle } from '../api/settle.js';

describe('node: an if-available request that was refused', () => {
  /** The requests in the log. @type {any[]} */
  let asked;
  /** @type {string[]} */
  let calls;
  /** @type {string[]} */
  let heard;
  /** The result of the look at the holders. @type {any} */
  let found;
  /** @type {import('../../glue/log/types.js').LockLog} */
  let log;

  beforeEach(() => {
    asked = [];
    calls = [];
    heard = [];
    found = deferred();
    const note = (/** @type {string} */ what) => (/** @type {any} */ request) => void calls.push(`${what} ${asked.indexOf(request)}`);
    log = withSecondLook(/** @type {any} */ ({
      request(/** @type {any} */ description, /** @type {any} */ listener) {
        asked.push({ number: asked.length + 2, description, listener });
        return asked[asked.length - 1];
      },
      drop: note('drop'), detach: note('detach'), leave: () => void calls.push('leave'),
    }), (names) => {
      calls.push(`look ${names}`);
      return found && found.promise;
    });
  });

  const ask = (ifAvailable = true) => log.request({ names: ['a', 'b'], mode: 'shared', ifAvailable },
    (...outcome) => void heard.push(outcome.filter((each) => each !== undefined).join(' ')));

  it('is asked again if a holder was dead; every later call is made on the one in the log', async () => {
    const request = ask();
    asked[0].listener('unavailable', 0);
    assert.deepStrictEqual([calls, heard], [['look a,b'], []]);
    found.resolve(true);
    await settle();
    assert.deepStrictEqual([asked.length, asked[1].description, request.number], [2, asked[0].description, 3]);
    asked[1].listener('granted', 7);
    assert.deepStrictEqual([heard, request.fence], [['granted 7'], 7]);
    log.detach?.(request);
    log.drop(request);
    assert.deepStrictEqual(calls.slice(1), ['detach 1', 'drop 1']);
  });

  it('looks again each time', async () => {
    ask();
    asked[0].listener('unavailable', 0);
    found.resolve(true);
    await settle();
    found = deferred();
    asked[1].listener('unavailable', 0);
    found.resolve(false);
    await settle();
    assert.deepStrictEqual([asked.length, heard], [2, ['unavailable 0']]);
  });

  it('is refused if all live, or if no holder can be checked', async () => {
    for (const looking of [deferred(), undefined]) {
      found = looking;
      ask();
      asked[asked.length - 1].listener('unavailable', 0);
      if (!looking) assert.strictEqual(heard.length, 2, 'it is told at once');
      looking?.resolve(false);
      await settle();
    }
    assert.deepStrictEqual([asked.length, heard], [2, ['unavailable 0', 'unavailable 0']]);
  });

  it('is not asked again if it was dropped meanwhile', async () => {
    const request = ask();
    asked[0].listener('unavailable', 0);
    log.drop(request);
    found.resolve(true);
    await settle();
    assert.deepStrictEqual([asked.length, heard, calls], [1, [], ['look a,b', 'drop 0']]);
  });

  it('is lost if this context has left meanwhile', async () => {
    ask();
    asked[0].listener('unavailable', 0);
    log.leave();
    found.resolve(true);
    await settle();
    assert.deepStrictEqual([asked.length, heard, calls], [1, ['lost 0'], ['look a,b', 'leave']]);
  });

  it('other ends, and other requests, are passed on', () => {
    const request = ask();
    asked[0].listener('granted', 5);
    asked[0].listener('broken', 0, new Error('why'));
    assert.strictEqual(request.fence, 5);
    const other = ask(false);
    asked[1].listener('unavailable', 0);
    assert.deepStrictEqual(heard, ['granted 5', 'broken 0 Error: why', 'unavailable 0']);
    log.detach?.(other);
    log.drop(request);
    log.drop(other);
    assert.deepStrictEqual(calls, ['detach 1', 'drop 0', 'drop 1']);
  });
});
