/** A frame of the page posts again what it has heard, and has changed something in it: D9, D17. */
import assert from 'node:assert/strict';
import { toMessage } from '../../../glue/log/messages.js';
import { answersNobody, changed, isAnswered, kinds, recorded } from '../stage.js';

const GREATEST = Number.MAX_SAFE_INTEGER;

/**
 * A member is asked for its state by a joiner whose storage still opens. A frame repeats the answer, with something changed.
 * @param {import('../stage.js').Stage} first @param {(values: any[]) => unknown[]} change
 */
const earlyState = async (first, change) => {
  for (const kind of kinds) {
    const stage = first.with(kind);
    const frame = stage.frame();
    const [member] = await stage.open(1);
    await stage.run(3000);
    const states = recorded(member, 'state');
    const joiner = stage.tab();
    const storage = stage.world.hold(isAnswered(joiner));
    const held = joiner.ask('a');
    await stage.until(() => states.length, 1000);
    await stage.run(3);
    frame.append(changed(states[0], change));
    await stage.run(5);
    storage.release();
    await stage.until(() => held.told.length, 1000);
    const waiting = member.ask('a');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    joiner.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  }
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const changes = {
  'D17: a joiner takes the state of the log that it joins, though a frame repeats it for another log': (first) =>
    earlyState(first, ([to, nonce, log, ...rest]) => [to, nonce, `${log}x`, ...rest]),

  'D17: a joiner takes the state as it was posted first, though a frame repeats it with another count': (first) =>
    earlyState(first, ([to, nonce, log, , ...rest]) => [to, nonce, log, GREATEST, ...rest]),

  async 'D5, D9: requests are granted and time passes, though a frame repeats messages with times that no clock shows'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const frame = stage.frame();
      const [member, other, leaving] = await stage.open(3);
      const [operations, departures] = [recorded(member, 'operations'), recorded(leaving, 'gone')];
      member.drop(await member.hold('a'));
      await stage.run(100);
      leaving.log.leave();
      await stage.until(() => departures.length, 500);
      await stage.run(500);
      const { log } = stage.world.record;
      for (const time of [GREATEST, 2 ** 52, 1e300]) {
        frame.append(toMessage('tick', member.id, [log, time]));
        frame.append(changed(departures[0], ([, client]) => [log, client, time]));
        frame.append(changed(operations[0], ([, count, hash, , ...rest]) => [log, count, hash, time, ...rest]));
        await stage.run(100);
        const newcomer = stage.tab();
        for (const tab of [member, other, newcomer]) {
          const held = await tab.hold('a', { wait: 1000, hold: 100 });
          await stage.run(1000);
          assert.deepEqual(held.told, ['granted', 'expired']);
        }
      }
    }
  },

  async 'D9: a joiner takes part, though a frame has answered it with numbers that nobody can count to'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const frame = stage.frame();
      const [member] = await stage.open(1);
      const { speaks } = member;
      member.speaks = answersNobody;
      const states = recorded(member, 'state');
      const joiner = stage.tab();
      const held = joiner.ask('a');
      await stage.until(() => states.length, 1000);
      frame.append(changed(states[0], ([to, nonce, log, , , ...rest]) => [to, nonce, log, GREATEST, GREATEST, ...rest]));
      await stage.run(50);
      member.speaks = speaks;
      await stage.until(() => held.told.length, 1000);
      joiner.drop(held);
      joiner.drop(await joiner.hold('b', { wait: 1000 }));
    }
  },

  async 'D9: a message is ignored if its sender has a name that every object has'(first) {
    for (const sender of ['__proto__', 'constructor', 'toString']) {
      for (const kind of kinds) {
        const stage = first.with(kind);
        const frame = stage.frame();
        const [member] = await stage.open(1);
        await stage.run(100);
        const guest = stage.tab();
        const operations = recorded(guest, 'operations');
        guest.drop(await guest.hold('a'));
        await stage.run(100);
        frame.append(changed(operations[0], (values) => values, sender));
        await stage.run(50);
        const asked = member.ask('a');
        await stage.until(() => asked.told.length, 500);
      }
    }
  },
};
