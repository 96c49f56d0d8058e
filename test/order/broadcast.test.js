/** One context's part in the order that BroadcastChannel makes: glue/order/broadcast.js, with channels that lose messages. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { bundleParts } from './realms.js';

const entry = fileURLToPath(new URL('../../glue/order/broadcast.js', import.meta.url));
const text = await bundleParts(entry, 'export const { BroadcastChannel, Event, setTimeout } = realm;');
const load = new Function('realm', `${text}; return parts;`);

describe('an order by BroadcastChannel', () => {
  /** Those that are open. @type {Set<Channel>} */
  let channels;
  /** @type {string[]} */
  let heard;
  /** @type {{callback: () => void, milliseconds: number}[]} */
  let timers;

  class Channel {
    constructor() {
      channels.add(this);
      /** @type {{listener: (event: any) => void, once: boolean}[]} */
      this.listeners = [];
      this.onmessage = this.onmessageerror = /** @type {(event: any) => void} */ (() => {});
    }

    addEventListener(/** @type {string} */ type, /** @type {() => void} */ listener, { once = false } = {}) {
      assert.equal(type, 'message');
      this.listeners.push({ listener, once });
    }

    /** Listeners run in the order in which they were added; `onmessage` was set last. [runs]: how many of them are not skipped. */
    dispatchEvent(/** @type {any} */ event, runs = Infinity) {
      [...this.listeners].forEach((each, place) => {
        if (each.once) this.listeners.splice(this.listeners.indexOf(each), 1);
        if (place < runs) each.listener(event);
      });
      if (runs === Infinity) this.onmessage(event);
    }

    postMessage(/** @type {any} */ data) {
      for (const channel of channels) if (channel !== this) queueMicrotask(() => channel.dispatchEvent({ data }));
    }

    close() {
      channels.delete(this);
    }
  }

  const realm = {
    BroadcastChannel: Channel, Event,
    setTimeout: (/** @type {() => void} */ callback, /** @type {number} */ milliseconds) => void timers.push({ callback, milliseconds }),
  };
  const { createBroadcastOrder } = load(realm);
  const create = () => createBroadcastOrder('order', (/** @type {string} */ message) => heard.push(message), () => heard.push('gap'));
  const settled = () => new Promise((resolve) => { setImmediate(resolve); });
  /** Another context posts. @param {string[]} messages */
  const say = async (...messages) => {
    const other = new Channel();
    messages.forEach((message) => other.postMessage(message));
    other.close();
    await settled();
  };
  /** Lost, but for the first listeners. @param {number} runs */
  const lose = (runs = 0) => [...channels][0].dispatchEvent({ data: 'lost' }, runs);

  beforeEach(() => {
    [channels, heard, timers] = [new Set(), [], []];
  });

  it('delivers each message once, and what is not a message never', async () => {
    const order = create();
    order.look();
    await say('one', 'two');
    order.append('three');
    await settled();
    order.look();
    assert.deepEqual(heard, ['one', 'two', 'three']);
  });

  for (const runs of [0, 1]) {
    it(`tells of messages that were lost, once, before the next one; ${runs ? 'one' : 'none'} of its listeners had run`, async () => {
      const order = create();
      for (let round = 0; round < 3; round++) {
        lose(runs);
        lose();
        await say('next');
        await say('another');
        assert.deepEqual(heard.splice(0), ['gap', 'next', 'another']);
        lose(runs);
        order.look();
        order.look();
        assert.deepEqual(heard.splice(0), ['gap']);
      }
      assert.equal([...channels][0].listeners.length, 2);
    });
  }

  it('says that there is a gap where it could not read a message', () => {
    create();
    [...channels][0].onmessageerror({});
    assert.deepEqual(heard, ['gap']);
  });

  for (const [title, dispatch] of Object.entries({
    'knows no such event': () => { throw new TypeError('not an event'); }, 'runs no listener': () => {},
  })) {
    it(`goes on where the channel is a script's and ${title}`, () => {
      const { dispatchEvent } = Channel.prototype;
      Channel.prototype.dispatchEvent = dispatch;
      const order = create();
      order.look();
      [...channels][0].onmessage({ data: 'one' });
      Channel.prototype.dispatchEvent = dispatchEvent;
      assert.deepEqual(heard, ['one']);
    });
  }

  it('has a second channel from its own message on until eight of others have come in a row', async () => {
    const order = create();
    assert.equal(channels.size, 1);
    order.append('own');
    await say(...Array.from('1234567'));
    assert.equal(channels.size, 2);
    order.append('own');
    await say(...Array.from('1234567'));
    assert.equal(channels.size, 2);
    await say('8');
    assert.equal(channels.size, 1);
    order.append('last');
    await settled();
    assert.equal(channels.size, 2);
    assert.equal(heard[heard.length - 1], 'last');
  });

  it('closes both when it is closed', async () => {
    const order = create();
    order.append('own');
    order.close();
    assert.equal(channels.size, 0);
    await settled();
    assert.deepEqual(heard, []);
  });

  it('keeps its channel open for a second if its page enters the back-forward cache, and delivers nothing then', async () => {
    const order = create();
    order.append('own');
    order.close(true);
    await say('one');
    lose();
    [...channels][0].onmessageerror({});
    assert.deepEqual([heard, channels.size, timers.map(({ milliseconds }) => milliseconds)], [[], 1, [1000]]);
    timers[0].callback();
    assert.equal(channels.size, 0);
  });
});
