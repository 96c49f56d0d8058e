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

  it('what was said right before leaving is heard, over a connection that is new, and over one that the other has opened', async () => {
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
