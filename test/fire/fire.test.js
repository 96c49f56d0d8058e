/** Locks in real browsers under fire, for a short time; ./run.js does it for as long as wanted. In the environment: BROWSERS, FIRE_SEED. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { eachBrowser } from '../browsers/engines.js';
import { FAULTS, Fire, PAGES } from './fire.js';

const SECONDS = 20;
const SEED = Number(process.env.FIRE_SEED ?? Date.now() % 1e9);
const folders = { fire: PAGES };

const broken = path.join(PAGES, 'no-locks.js');

eachBrowser('under fire, with a library that lets all in', { folders, library: broken, names: ['chromium'] }, (the) => {
  it('two contexts are found that hold one lock', async () => {
    // That library keeps no data that could be cleared.
    const faults = { ...FAULTS, wipe: 0, deleteAll: 0 };
    const fire = new Fire({ browser: the.browser, server: the.server, seed: SEED, faults });
    await fire.run(10000);
    assert.match(fire.checker.violations[0], /where .* is/);
  });
});

eachBrowser('under fire', { folders, browser: { hidden: true } }, (the) => {
  it(`no two contexts hold one lock, and every request ends (${SECONDS} s, seed ${SEED})`, async function () {
    this.timeout(SECONDS * 1000 + 120000);
    const fire = new Fire({ browser: the.browser, server: the.server, seed: SEED });
    await fire.run(SECONDS * 1000);
    console.log(`        ${Object.entries(fire.report()).map(([what, count]) => `${what} ${count}`).join(', ')}`);
    for (const text of fire.troubles().slice(0, 3)) console.log(`        ${text}`);
    assert.deepEqual(fire.problems(), []);
    assert.ok(fire.checker.grants > SECONDS * 2, `only ${fire.checker.grants} grants`);
    assert.ok(Object.keys(fire.counts).length >= 4, 'faults of several kinds have struck');
  });
});
