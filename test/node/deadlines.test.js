import assert from 'node:assert';
import { createLog } from '../../glue/entries/node.js';

const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('node: deadlines', () => {
  it('further away than a timer reaches are kept, and cost nothing', async () => {
    /** @type {string[]} */
    const happened = [];
    const warned = (/** @type {Error} */ warning) => void happened.push(warning.name);
    process.on('warning', warned);
    const log = createLog('far deadlines');
    const month = 31 * 24 * 3600 * 1000;
    const [held, waiting] = ['held', 'waiting'].map((text) => log.request(
      { names: ['far'], mode: 'exclusive', wait: 2 * month, hold: month }, (outcome) => void happened.push(`${text} ${outcome}`)));
    await sleep(50);
    const { count } = await log.inspect();
    await sleep(200);
    const after = await log.inspect();
    process.off('warning', warned);
    assert.deepStrictEqual(happened, ['held granted']);
    assert.deepStrictEqual([after.state.held.length, after.state.pending.length], [1, 1]);
    // Bytes: a question is some dozens, a tick each millisecond would be thousands.
    assert.ok(after.count - count < 1000, `${after.count - count} bytes were written all the while`);
    log.drop(held);
    await sleep(0);
    assert.deepStrictEqual(happened, ['held granted', 'waiting granted']);
    log.drop(waiting);
    log.leave();
  });
});
