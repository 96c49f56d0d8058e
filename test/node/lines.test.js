import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLines } from '../../glue/platform/node/lines.js';
import { sockets } from '../../glue/platform/node/sockets.js';
import { until } from './threads.js';

describe('node: connections between processes', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** @param {string} client */
  const begin = async (client) => {
    const lines = createLines(sockets, (other) => join(directory, other));
    const heard = /** @type {any[]} */ ([]);
    const life = await lines.hold(client);
    const cuts = /** @type {string[]} */ ([]);
    lines.listen(client, (message) => heard.push(message), (from) => cuts.push(from));
    return { lines, life, heard, cuts };
  };
  /** @param {Awaited<ReturnType<typeof begin>>} context */
  const leave = ({ lines, life }) => {
    lines.close();
    life.close();
  };

  it('the last message before leaving is heard, over a new connection, and over one that the other has opened', async () => {
    const [one, other, third] = await Promise.all(['one', 'other', 'third'].map(begin));
    one.lines.say('other', { number: 1 });
    leave(one);
    await until(() => other.heard.length === 1);
    other.lines.say('third', { number: 2 });
    await until(() => third.heard.length === 1);
    third.lines.say('other', { number: 3 });
    leave(third);
    await until(() => other.heard.length === 2);
    leave(other);
    assert.deepStrictEqual([other.heard, third.heard], [[{ number: 1 }, { number: 3 }], [{ number: 2 }]]);
  });

  it('the end of a connection is noticed, although the other end has connected again before', async () => {
    const other = await begin('other');
    const callers = [];
    try {
      for (let each = 1; each <= 2; each++) {
        const socket = connect(join(directory, 'other'));
        callers.push(socket);
        socket.write('one\n\n');
        await until(() => other.heard.length === each);
      }
      for (let each = 1; each <= 2; each++) {
        callers[each - 1].destroy();
        await until(() => other.cuts.length === each);
        if (each === 2) break;
        // The one that is left takes what is said.
        other.lines.say('one', { number: 1 });
        await new Promise((resolve) => callers[1].once('data', resolve));
      }
      assert.deepStrictEqual(other.cuts, ['one', 'one']);
    } finally {
      callers.forEach((socket) => socket.destroy());
      leave(other);
    }
  });

  it('a life that could not be watched can be watched again', () => {
    const failures = /** @type {((error: Error) => void)[]} */ ([]);
    const lines = createLines({
      holdAlive: async () => assert.fail('it need not live'),
      watchAlive(path, onDeath, onFailure = () => {}) {
        failures.push(onFailure);
        return () => {};
      },
    }, (client) => client);
    const told = /** @type {string[]} */ ([]);
    lines.listen('one', () => {}, (client) => told.push(`cut ${client}`));
    lines.say('other');
    failures[0](new Error('not permitted'));
    lines.watch('other', () => {}, ({ message }) => told.push(message));
    failures[1](new Error('still not'));
    assert.deepStrictEqual(told, ['cut other', 'cut other', 'still not']);
    lines.watch('other', () => {}, () => assert.fail('it watches no more'))();
    failures[2](new Error('and still not'));
  });

  /** Lines whose connections exist only for the test, with a note of each that is opened and ended. */
  const createPlain = () => {
    const noted = /** @type {string[]} */ ([]);
    const deaths = /** @type {Map<string, () => void>} */ (new Map());
    const sent = /** @type {string[]} */ ([]);
    const socket = /** @type {any} */ ({
      destroyed: false, writableLength: 0, setEncoding() {}, on() {},
      write: (/** @type {string} */ text) => void sent.push(text),
      destroy: () => void noted.push('destroyed'),
    });
    const lines = createLines({
      holdAlive: async () => assert.fail('it need not live'),
      watchAlive(path, onDeath, onFailure, use = () => {}) {
        noted.push(`open ${path}`);
        deaths.set(path, onDeath);
        use(socket);
        return (gently) => void noted.push(`end ${path}${gently ? ' gently' : ''}`);
      },
    }, (client) => client);
    lines.listen('one', () => {}, (client) => noted.push(`cut ${client}`));
    return { lines, noted, deaths, sent, socket };
  };

  it('64 connections stay open; beyond that, the oldest one without a watcher is ended', () => {
    const { lines, noted } = createPlain();
    const ignore = () => {};
    lines.watch('watched', ignore, ignore);
    const stop = lines.watch('not any more', ignore, ignore);
    for (let each = 2; each < 64; each++) lines.say(`other ${each}`);
    stop();
    noted.length = 0;
    lines.say('one more');
    lines.say('another');
    assert.deepStrictEqual(noted, ['open one more', 'end not any more', 'cut not any more', 'open another', 'end other 2', 'cut other 2']);
  });

  it('a death is told to those that still watch, and messages and watches share a connection', () => {
    const { lines, noted, deaths } = createPlain();
    const died = /** @type {string[]} */ ([]);
    for (const client of ['a', 'b']) {
      lines.say(client);
      const stop = lines.watch(client, () => died.push(client), () => {});
      if (client === 'b') stop();
      lines.say(client, { number: 1 });
      deaths.get(client)?.();
    }
    assert.deepStrictEqual([died, noted], [['a'], ['open a', 'end a', 'open b', 'end b']]);
  });

  it('the late end of an earlier connection does not end the next one', () => {
    const { lines, noted, deaths } = createPlain();
    lines.say('other');
    const die = deaths.get('other');
    lines.forget('other');
    lines.say('other');
    die?.();
    noted.length = 0;
    lines.say('other');
    assert.deepStrictEqual(noted, []);
    lines.close();
    assert.deepStrictEqual(noted, ['end other gently']);
  });

  it('a process that leaves and comes back opens its connections anew: the former ones show no death', () => {
    const { lines, noted, deaths } = createPlain();
    lines.watch('other', () => assert.fail('it has left'), () => {});
    lines.close();
    lines.listen('two', () => {}, () => {});
    lines.watch('other', () => noted.push('dead'), () => {});
    deaths.get('other')?.();
    assert.deepStrictEqual(noted, ['open other', 'end other gently', 'open other', 'end other', 'dead']);
  });

  it('a living process that counts as gone for another notices it, whichever of the two has opened their connection', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map(begin));
    for (const [from, to] of [[one, other], [other, one]]) {
      from.lines.say(to === one ? 'one' : 'other');
      await until(() => to.heard.length);
      one.lines.forget('other');
      await until(() => other.cuts.length);
      other.cuts.length = 0;
    }
    leave(one);
    leave(other);
  });

  it('after an end, a message goes over a new connection', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map(begin));
    one.lines.say('other', { number: 1 });
    await until(() => other.heard.length === 1);
    other.lines.say('one', { number: 2 });
    await until(() => one.heard.length === 1);
    one.lines.forget('other');
    await until(() => other.cuts.length === 1);
    other.lines.say('one', { number: 3 });
    await until(() => one.heard.length === 2);
    assert.deepStrictEqual([one.heard, other.cuts], [[{ number: 2 }, { number: 3 }], ['one']]);
    leave(one);
    leave(other);
  });

  it('a message that waits for a tenth of a second closes the connection, each time', async () => {
    const { lines, noted, socket } = createPlain();
    // A timer of this length that is set later fires later.
    const patience = () => new Promise((resolve) => setTimeout(resolve, 100));
    socket.writableLength = 1;
    lines.say('other');
    socket.writableLength = 0;
    await patience();
    assert.deepStrictEqual(noted, ['open other']);
    socket.writableLength = 1;
    lines.say('other');
    await patience();
    assert.deepStrictEqual(noted, ['open other', 'destroyed']);
    lines.close();
  });

  it('a message is sent at once, unless too much waits already: then the connection is closed', () => {
    const { lines, noted, sent, socket } = createPlain();
    lines.say('other', { number: 1 });
    lines.say('other');
    assert.deepStrictEqual(sent, ['one\n', '{"number":1}\n', '\n']);
    socket.writableLength = 64 * 1024;
    lines.say('other');
    assert.deepStrictEqual([sent.length, noted], [4, ['open other']]);
    socket.writableLength++;
    lines.say('other');
    assert.deepStrictEqual([sent.length, noted], [4, ['open other', 'destroyed']]);
    socket.destroyed = true;
    lines.say('other');
    assert.strictEqual(noted.length, 2);
  });

  it('an answer goes back over the connection that the message came by', async () => {
    const other = await begin('other');
    const socket = connect(join(directory, 'other'));
    let text = '';
    socket.setEncoding('utf8').on('data', (more) => (text += more));
    other.lines.listen('other', (message, answer) => answer({ from: 'other', number: message ? 1 : 2 }), () => {});
    socket.write('one\n{}\n\n');
    await until(() => text.endsWith('\n') && text.split('\n').length === 3);
    assert.strictEqual(text, '{"from":"other","number":1}\n{"from":"other","number":2}\n');
    socket.destroy();
    leave(other);
  });

  it('messages for a process that reads nothing do not keep this one alive: the connection is cut', async () => {
    const stopped = createServer((socket) => void socket.pause()).listen(join(directory, 'stopped'));
    const opened = /** @type {import('node:net').Socket[]} */ ([]);
    const lines = createLines({
      ...sockets,
      watchAlive: (path, onDeath, onFailure, use = () => {}) => sockets.watchAlive(path, onDeath, onFailure, (socket) => {
        opened.push(socket);
        use(socket);
      }),
    }, (client) => join(directory, client));
    let isCut = false;
    lines.listen('one', () => {}, () => (isCut = true));
    do {
      for (let each = 0; each < 100; each++) lines.say('stopped', { number: each });
      await new Promise(setImmediate);
    } while (!opened[0].writableLength);
    await until(() => isCut, 2000);
    lines.close();
    stopped.close();
  });

  it('a line that is no message only rings', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map(begin));
    const socket = connect(join(directory, 'other'));
    const lines = ['null', 'true', '1', '"text"', '{', ''];
    socket.end(`stranger\n${lines.join('\n')}\n`);
    await until(() => other.heard.length === lines.length);
    assert.deepStrictEqual(other.heard, lines.map(() => undefined));
    leave(one);
    leave(other);
  });
});
