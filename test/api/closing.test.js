/** close() over a scripted log: what it waits for, and in which order it asks. */
import assert from 'node:assert/strict';
import { createClosable } from '../../glue/api/closing.js';
import { deferred } from './kit.js';
import { settle } from './settle.js';

describe('close()', () => {
  /** @type {any[]} */
  let asked;
  /** @type {any[]} */
  let listeners;
  /** @type {any} */
  let answer;
  /** @type {any} */
  let log;
  /** @type {any} */
  let close;

  beforeEach(() => {
    asked = [];
    listeners = [];
    answer = deferred();
    const ask = () => answer.promise;
    const inner = /** @type {any} */ ({
      request(/** @type {any} */ _, /** @type {any} */ listener) {
        listeners.push(listener);
        return { number: listeners.length };
      },
      drop: (/** @type {any} */ { number }) => asked.push(`drop ${number}`),
      query: ask,
      inspect: ask,
      forceRelease: ask,
      leave: () => asked.push('leave'),
    });
    const closable = createClosable(() => inner, /** @type {any} */ ({ DOMException }));
    ({ close } = closable);
    log = closable.openLog();
  });

  const request = () => log.request({}, (/** @type {string} */ outcome) => asked.push(outcome));

  /** The requests to the log, once [promise] is fulfilled. @param {Promise<void>} promise */
  const askedBy = (promise) => promise.then(() => asked.splice(0));

  it('drops and ends all waiting requests, and then leaves', async () => {
    [1, 2, 3].forEach(request);
    const seen = await askedBy(close());
    assert.deepEqual(seen.filter((each) => each !== 'closed'), ['drop 1', 'drop 2', 'drop 3', 'leave']);
    assert.equal(seen.length, 7);
    close();
    await settle();
    assert.deepEqual(asked, []);
  });

  /** @type {Record<string, (held: any) => void>} */
  const ends = {
    'is dropped': (held) => log.drop(held),
    'is lost': () => listeners[0]('broken', 0),
  };
  for (const [title, end] of Object.entries(ends)) {
    it(`leaves once the held lock ${title}`, async () => {
      const held = request();
      listeners[0]('granted', 1);
      asked = [];
      const closed = close();
      await settle();
      assert.deepEqual(asked, []);
      end(held);
      assert.equal((await askedBy(closed)).pop(), 'leave');
    });
  }

  for (const operation of ['query', 'inspect', 'forceRelease']) {
    for (const settles of ['resolve', 'reject']) {
      it(`leaves once the answer of ${operation}() is there: ${settles}`, async () => {
        const given = log[operation](['a']).catch((/** @type {string} */ error) => error);
        const closed = close();
        await settle();
        assert.deepEqual(asked, []);
        answer[settles]('answer');
        assert.equal(await given, 'answer');
        assert.deepEqual(await askedBy(closed), ['leave']);
      });
    }
  }

  it('passes on what the log says of a request: its outcome, its fence and a reason', () => {
    const heard = /** @type {any[]} */ ([]);
    const reason = new Error('no space');
    log.request({}, (/** @type {any[]} */ ...given) => heard.push(given));
    listeners[0]('granted', 7, undefined);
    listeners[0]('lost', 0, reason);
    assert.deepEqual(heard, [['granted', 7, undefined], ['lost', 0, reason]]);
  });

  it('a lock that is released at the moment of its grant is not held', async () => {
    const request = log.request({}, () => log.drop(request));
    listeners[0]('granted', 1);
    assert.deepEqual(await askedBy(close()), ['drop 1', 'leave']);
  });

  it('without a log there is nothing to leave, and no log can be opened any more', async () => {
    const { openLog, close: closeNothing } = createClosable(() => assert.fail('opened'), /** @type {any} */ ({ DOMException }));
    const closed = closeNothing();
    assert.equal(closeNothing(), closed);
    assert.throws(openLog, { name: 'InvalidStateError' });
    await closed;
  });
});
