import assert from 'node:assert';
import { createTicks } from '../../glue/platform/node/ticks.js';

describe('node: log time for one context', () => {
  let clock = 0;
  let logTime = 0;
  let deadline = Infinity;
  let pause = 0;
  /** @type {string[]} */
  let timers;
  /** @type {ReturnType<typeof createTicks>} */
  let ticks;

  beforeEach(() => {
    [clock, logTime, deadline, pause, timers] = [1000.7, 500, Infinity, 0, []];
    ticks = createTicks({
      surroundings: {
        now: () => clock,
        setTimer(callback, milliseconds) {
          assert.strictEqual(callback, tick);
          timers.push(`set ${milliseconds}`);
          return () => void timers.push('cancelled');
        },
      },
      core: /** @type {any} */ ({ time: () => logTime, nextDeadline: () => deadline }),
      pause: () => pause,
      tick,
    });
  });
  const tick = () => {};

  /** The tick that is written before an operation. */
  const ticked = () => {
    const drop = /** @type {const} */ ({ type: 'drop', client: 'a', number: 2, request: 1 });
    const all = ticks.timed([drop]);
    assert.deepStrictEqual(all[all.length - 1], drop);
    return all.slice(0, -1);
  };

  it('is written before operations, in whole milliseconds, if the log does not have it', () => {
    assert.deepStrictEqual(ticked(), [{ type: 'tick', now: 1000 }]);
    logTime = 1000;
    assert.deepStrictEqual(ticked(), []);
    clock = 1001;
    assert.deepStrictEqual(ticked(), [{ type: 'tick', now: 1001 }]);
  });

  it('goes on where the clock starts again, as after a reboot', () => {
    logTime = 90000;
    assert.deepStrictEqual(ticked(), []);
    clock += 10;
    assert.deepStrictEqual(ticked(), [{ type: 'tick', now: 90010 }]);
  });

  it('has a timer for the next deadline, and none where there is none', () => {
    ticks.settle();
    ticks.stop();
    assert.deepStrictEqual(timers, []);
    deadline = 1030;
    ticks.settle();
    ticks.stop();
    assert.deepStrictEqual(timers, ['set 30', 'cancelled']);
  });

  for (const { title, due, paused = 0, length } of [
    { title: 'at once, where it has passed', due: 900, length: 1 },
    { title: 'after the pause, where something has failed', due: 1030, paused: 100, length: 100 },
    { title: 'at the deadline, where the pause is shorter', due: 1200, paused: 100, length: 200 },
    { title: 'no later than a timer can', due: 2 ** 40, length: 2 ** 31 - 1 },
  ]) {
    it(`the timer fires ${title}`, () => {
      deadline = due;
      pause = paused;
      ticks.settle();
      assert.deepStrictEqual(timers, [`set ${length}`]);
    });
  }
});
