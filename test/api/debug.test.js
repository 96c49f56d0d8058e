/** The lines that a context prints with LOCKKEEPER_DEBUG or the option `debug`. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withDebug } from '../../glue/api/debug.js';
import { createObservation } from '../../glue/api/observation.js';
import { createLockManager, install } from '../../glue/entries/index.js';
import { createLog } from '../../glue/log/log.js';
import { facesOver } from '../drafts/kit.js';
import { runProgram } from '../node/support.js';
import { createCore } from '../simulation/core.js';
import { createWorld } from '../drafts/worlds.js';
import { deferred, rejection } from './kit.js';

/**
 * What a line says, without times and fences; the contexts of [ids] are A, B and so on.
 * @param {string} line
 * @param {string[]} ids
 */
const read = (line, ids) => {
  const [, text] = /^lockkeeper \d\d:\d\d:\d\d\.\d{3} (.*)$/.exec(line) || [];
  assert.ok(text, line);
  const named = ids.reduce((sofar, id, index) => id ? sofar.replaceAll(id, 'AB'[index]) : sofar, text);
  return named.replace(/\d+ ms/g, 'T').replace(/fence \d+/, 'fence F');
};

describe('debug: what a context prints', () => {
  it('over the log: joins, requests, their blockers, losses, deaths and leaders', async () => {
    /** @type {string[][]} */
    const printed = [[], []];
    const scene = createWorld(3, 0);
    const contexts = printed.map((lines) => {
      const context = scene.world.createContext();
      const now = () => Math.floor(scene.world.time);
      const observation = createObservation(now);
      const open = withDebug(() => createLog(context.place, observation.watch(createCore)),
        { label: '', now, observation, hasLeader: true, choosePrinter: () => (line) => void lines.push(line) });
      return { context, ...facesOver(open(), observation) };
    });
    const [one, two] = contexts;
    const ids = () => contexts.map(({ log }) => log.clientId());
    const taken = () => printed.map((lines) => lines.splice(0).map((line) => read(line, ids())));

    const ends = [deferred(), deferred()];
    const first = one.locks.request('a', () => ends[0].promise);
    await scene.pass(1000);
    assert.deepEqual(taken(), [[
      '(new) #1 exclusive "a": requested',
      'A this context joined: 1 member; the leader is this context',
      'A #1 exclusive "a": granted after T; fence F',
    ], []]);

    const second = two.acquire(['a', 'b'], { mode: 'shared', timeout: 60000, hold: 5000 }, () => ends[1].promise);
    await scene.pass(1000);
    assert.deepEqual(taken(), [['A B joined: 2 members'], [
      '(new) #1 shared "a" + "b" (timeout T, lease T): requested',
      'B has the state: 1 member; the leader is A',
      'B this context joined: 2 members',
      'B #1 shared "a" + "b" (timeout T, lease T): blocked, A holds exclusive "a"',
    ]]);

    const controller = new AbortController();
    const third = rejection(one.locks.request('b', { signal: controller.signal }, () => {}));
    await scene.pass(1000);
    assert.deepEqual(taken()[0], [
      'A #2 exclusive "b": requested',
      'A #2 exclusive "b": blocked, B waits for shared "a" + "b"',
    ]);
    controller.abort();
    await scene.settled(third);
    assert.deepEqual(taken()[0], ['A #2 exclusive "b": aborted after T']);
    await scene.settled(two.forceRelease('a'));
    assert.equal((await scene.settled(rejection(first))).name, 'AbortError');
    await scene.pass(1000);
    assert.deepEqual(taken(), [
      ['A #1 exclusive "a": lost after T, broken by forceRelease() by B'],
      ['B forceRelease "a"', 'B #1 shared "a" + "b" (timeout T, lease T): granted after T; fence F'],
    ]);
    await scene.settled(one.locks.request('a', { ifAvailable: true }, (/** @type {any} */ lock) => assert.equal(lock, null)));
    one.context.kill();
    await scene.pass(1000);
    assert.deepEqual(taken(), [
      ['A #3 exclusive "a" (ifAvailable): requested', 'A #3 exclusive "a" (ifAvailable): not available'],
      ['B A is gone: it ended or left; 1 member; the leader is this context'],
    ]);
    assert.equal((await scene.settled(rejection(second))).name, 'TimeoutError');
    assert.deepEqual(taken()[1], ['B #1 shared "a" + "b" (timeout T, lease T): lost after T, its lease is over']);
  });

  describe('over a log that does as it is told', () => {
    const ME = 'a client of 20 chars';
    /** @type {string[]} */
    let lines;
    /** @type {any} */
    let log;
    /** The log reports on the last request. @type {(outcome: any, fence?: number, reason?: Error) => void} */
    let tell;
    /** @type {import('../../glue/api/observation.js').Listener} */
    let observe;
    /** @type {any} */
    let state;
    let time = 0;
    /** What the log was asked besides. @type {string[]} */
    let asked;

    const open = (client = ME) => {
      let numbers = 0;
      const failed = async () => {
        throw new Error('no answer');
      };
      return withDebug(() => /** @type {any} */ ({
        clientId: () => client,
        request: (/** @type {any} */ { names, mode }, /** @type {typeof tell} */ listener) => {
          if (names[0] === 'full') throw new Error('no memory');
          tell = listener;
          if (names[0] === 'at once') observe({ type: 'request', client, number: numbers + 1, names, mode }, []);
          return { number: ++numbers };
        },
        query: failed, inspect: failed, forceRelease: failed,
        drop: (/** @type {any} */ { number }) => void asked.push(`drop ${number}`),
        leave: () => void asked.push('leave'),
      }), {
        label: '', now: () => time, hasLeader: true, choosePrinter: () => (line) => void lines.push(line),
        observation: /** @type {any} */ ({ state: () => state, listen: (/** @type {typeof observe} */ listener) => (observe = listener) }),
      })();
    };
    const request = (/** @type {any} */ description) => log.request({ names: ['a'], mode: 'exclusive', ...description }, () => {});
    const taken = () => lines.splice(0).map((line) => read(line, [ME]));

    beforeEach(() => {
      [lines, asked] = [[], []];
      state = { members: [], held: [], pending: [] };
      time = 0;
      log = open();
    });

    it('the outcome of a request', () => {
      /** @type {Record<string, [() => void, string]>} what ends it, and what is printed of that */
      const ends = {
        timeout: [() => tell('expired'), 'timed out after T'],
        'this context is lost': [() => tell('lost'), 'lost after T, this context has left, or the others took it for dead'],
        'the log has a reason': [() => tell('lost', 0, new Error('no space')), 'lost after T, no space'],
        'a lock of another context, with the same number, was broken': [() => {
          const events = [{ type: /** @type {const} */ ('broken'), client: 'other', number: 1, fence: 1 }];
          observe({ type: 'force-release', client: 'other', number: 2, names: ['a'] }, events);
          tell('broken');
        }, 'lost after T, stolen, or broken by forceRelease()'],
        'it is unknown which context broke it': [() => tell('broken'), 'lost after T, stolen, or broken by forceRelease()'],
      };
      for (const [title, [end, text]] of Object.entries(ends)) {
        log = open();
        request({ steal: true });
        end();
        assert.deepEqual(taken(), ['A #1 exclusive "a" (steal): requested', `A #1 exclusive "a" (steal): ${text}`], title);
      }
    });

    it('the context that has stolen or broken a lock', () => {
      for (const [operation, text] of /** @type {[any, string][]} */ ([
        [{ type: 'request', client: 'thief', number: 1 }, 'stolen by thief'],
        [{ type: 'request', client: ME, number: 2 }, 'stolen by this context'],
        [{ type: 'force-release', client: 'thief', number: 2 }, 'broken by forceRelease() by thief'],
      ])) {
        log = open();
        request({});
        tell('granted', 7);
        taken();
        observe(operation, [{ type: 'broken', client: ME, number: 1, fence: 7 }]);
        tell('broken');
        assert.deepEqual(taken(), [`A #1 exclusive "a": lost after T, ${text}`]);
      }
    });

    it('the first three that block a request, and how many more there are', () => {
      const client = 'other';
      const names = ['a'];
      const waiting = [1, 2, 3, 4].map((number) => ({ client, number, mode: 'shared', names, fence: 0 }));
      for (const [count, more] of /** @type {[number, string][]} */ ([[2, ''], [3, ' and 1 more'], [4, ' and 2 more']])) {
        log = open();
        request({});
        state = {
          members: [], held: [{ client, number: 9, mode: 'exclusive', names, fence: 1 }],
          pending: [...waiting.slice(0, count), { client: ME, number: 1, mode: 'exclusive', names, fence: 0 }],
        };
        observe({ type: 'request', client: ME, number: 1, names, mode: 'exclusive' }, []);
        assert.equal(taken()[1], 'A #1 exclusive "a": blocked, other holds exclusive "a", other waits for shared "a", ' +
          `other waits for shared "a"${more}`);
      }
    });

    it('nothing of a request that was aborted before it was applied', () => {
      log.drop(request({}));
      taken();
      observe({ type: 'request', client: ME, number: 1, names: ['a'], mode: 'exclusive' }, []);
      assert.deepEqual(taken(), []);
    });

    it('no shared lock as the blocker of a shared request', () => {
      request({ mode: 'shared' });
      const other = { client: 'other', names: ['a'], fence: 0 };
      state.pending = [
        { ...other, number: 2, mode: 'shared' }, { ...other, number: 3, mode: 'exclusive' },
        { client: ME, number: 1, mode: 'shared', names: ['a'], fence: 0 },
      ];
      observe({ type: 'request', client: ME, number: 1, names: ['a'], mode: 'shared' }, []);
      assert.equal(taken()[1], 'A #1 shared "a": blocked, other waits for exclusive "a"');
    });

    it('that a request is blocked, even before the log has returned it', () => {
      state.held = [{ client: 'other', number: 2, mode: 'exclusive', names: ['at once'], fence: 1 }];
      request({ names: ['at once'] });
      assert.equal(taken()[1], 'A #1 exclusive "at once": blocked, other holds exclusive "at once"');
    });

    it('failures', async () => {
      assert.throws(() => request({ names: ['full'] }), { message: 'no memory' });
      assert.deepEqual(taken(), ['A #1 exclusive "full": requested', 'A #1 exclusive "full": failed, Error: no memory']);
      // It is forgotten.
      request({});
      observe({ type: 'force-release', client: 'other', number: 1, names: ['a'] }, [{ type: 'broken', client: ME, number: 1, fence: 1 }]);
      tell('broken');
      assert.equal(taken()[1], 'A #2 exclusive "a": lost after T, broken by forceRelease() by other');
      for (const operation of ['query', 'inspect', 'forceRelease']) {
        assert.equal((await rejection(log[operation](['a', 'b']))).message, 'no answer');
        const asked = operation === 'forceRelease' ? ['A forceRelease "a" + "b"'] : [];
        assert.deepEqual(taken(), [...asked, `A ${operation}() failed: Error: no answer`]);
      }
    });

    it('the leader, if there is one', () => {
      state.members = [{ client: 'first', last: 1 }, { client: ME, last: 1 }];
      observe({ type: 'join', client: ME, number: 1 }, []);
      state.members = [];
      observe({ type: 'gone', client: 'first' }, []);
      assert.deepEqual(taken(), [
        'A this context joined: 2 members; the leader is first',
        'A first is gone: it ended or left; 0 members',
      ]);
    });

    it('and hands on all that is asked and told', () => {
      const heard = /** @type {any[]} */ ([]);
      const ask = () => log.request({ names: ['a'], mode: 'exclusive' }, (/** @type {any[]} */ ...given) => heard.push(given));
      const reason = new Error('no space');
      const first = ask();
      tell('granted', 7);
      log.drop(first);
      ask();
      tell('lost', 0, reason);
      log.leave();
      assert.deepEqual(heard, [['granted', 7, undefined], ['lost', 0, reason]]);
      assert.deepEqual(asked, ['drop 1', 'leave']);
    });

    it('an id of more than 20 characters is shortened to 8', () => {
      log = open('a client of 21 chars.');
      log.leave();
      assert.match(lines[0], / a client leaves$/);
    });
  });

  it('nothing, and at no cost, without the option', () => {
    const observation = createObservation(() => 0);
    observation.listen = () => assert.fail('there is no listener');
    const log = /** @type {any} */ ({});
    let asked = 0;
    const open = withDebug(() => log, { label: '', now: () => 0, observation, choosePrinter: () => void asked++ });
    assert.equal(open(), log);
    assert.equal(open(), log);
    assert.equal(asked, 1);
  });

  describe('in Node', function () {
    this.timeout(60000);

    /** A thread holds a lock and ends; the main thread waits for it. */
    const program = (/** @type {string} */ setting = '') => `
      ${setting};
      import { Worker, isMainThread, parentPort } from 'node:worker_threads';
      const { locks } = await import(${JSON.stringify(new URL('../../glue/entries/index.js', import.meta.url).href)});
      if (isMainThread) {
        const worker = new Worker(process.argv[1]);
        await new Promise((resolve) => worker.once('message', resolve));
        const granted = locks.request('a', () => console.log('granted'));
        await locks.query();
        await worker.terminate();
        await granted;
      } else {
        await locks.request('a', () => new Promise(() => parentPort.postMessage('held')));
      }`;

    /** @param {Record<string, string>} env @param {string} [setting] */
    const linesOf = async (env, setting) => {
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-debug-'));
      try {
        const file = path.join(directory, 'program.mjs');
        fs.writeFileSync(file, program(setting));
        const { out, error } = await runProgram(process.execPath, ['--no-warnings', file], { env });
        assert.equal(out, 'granted\n', error);
        return error.split('\n').filter(Boolean);
      } finally {
        fs.rmSync(directory, { recursive: true });
      }
    };

    it('LOCKKEEPER_DEBUG=1 prints the lines of all threads on the standard error output', async () => {
      const lines = await linesOf({ LOCKKEEPER_DEBUG: '1' });
      const [, thread] = /(\w{8}) this context joined: 1 member$/m.exec(lines.join('\n')) || [];
      const [, main] = /(\w{8}) this context joined: 2 members$/m.exec(lines.join('\n')) || [];
      assert.ok(thread && main, lines.join('\n'));
      const own = (/** @type {string} */ id) => lines.map((line) => read(line, [thread, main])).filter((line) => line.startsWith(`${id} `));
      assert.deepEqual(own('A').slice(0, 2), ['A this context joined: 1 member', 'A #1 exclusive "a": granted after T; fence F']);
      assert.deepEqual(own('B'), [
        'B A joined: 1 member',
        'B this context joined: 2 members',
        'B #1 exclusive "a": blocked, A holds exclusive "a"',
        'B A is gone: it ended or left; 1 member',
        'B #1 exclusive "a": granted after T; fence F',
        'B #1 exclusive "a": released after T',
      ]);
    });

    it('so does the variable of the realm; 0 and an empty text mean no', async () => {
      assert.ok((await linesOf({}, 'globalThis.LOCKKEEPER_DEBUG = true')).length > 5);
      for (const off of ['0', '', 'false']) assert.deepEqual(await linesOf({ LOCKKEEPER_DEBUG: off }), []);
    });

    it('the option of a manager gives each line to a function, which may use the manager', async () => {
      /** @type {string[]} */
      const lines = [];
      const answers = [];
      let isClosed = false;
      const manager = createLockManager({
        name: `debug ${process.pid}`,
        debug(line) {
          lines.push(line);
          if (!isClosed) answers.push(manager.query());
        },
      });
      const done = manager.request('a', () => {});
      assert.deepEqual(lines, [], 'no call of the manager calls it');
      await done;
      await Promise.all(answers);
      isClosed = true;
      await manager.close();
      assert.ok(lines.every((line) => line.startsWith(`lockkeeper[debug ${process.pid}] `)), lines.join('\n'));
      assert.ok(lines.some((line) => line.includes('#1 exclusive "a": released after ')), lines.join('\n'));
    });

    it('install() takes the option, too; a value of another kind is refused', () => {
      for (const debug of ['yes', 1, null, {}]) {
        const message = /^The option debug must be true, false or a function that is given each line, not /;
        assert.throws(() => createLockManager(/** @type {any} */ ({ name: 'x', debug })), { name: 'TypeError', message });
        assert.throws(() => install(/** @type {any} */ ({ debug })), { name: 'TypeError', message });
        assert.throws(() => createLockManager(/** @type {any} */ ({ url: 'http://localhost', debug })), { name: 'TypeError', message });
      }
    });
  });
});
