/**
 * Locks in real browsers under fire. In the environment: BROWSERS, FIRE_SECONDS (20 each), FIRE_SEED, FIRE_FAULTS, weights
 * of faults as JSON, and FIRE_LIBRARY, another script than dist/lockkeeper.js.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eachBrowser } from '../browsers/engines.js';
import { FAULTS, Fire } from './fire.js';

const SECONDS = Number(process.env.FIRE_SECONDS ?? 20);
const SEED = Number(process.env.FIRE_SEED ?? Date.now() % 1e9);
const faults = { ...FAULTS, ...JSON.parse(process.env.FIRE_FAULTS ?? '{}') };
const folders = { fire: path.join(fileURLToPath(new URL('.', import.meta.url)), 'pages') };

const broken = path.join(folders.fire, 'no-locks.js');

eachBrowser('under fire, with a library that lets everybody in', { folders, library: broken, names: ['chromium'] }, (the) => {
  it('two are found that hold one lock', async () => {
    const fire = new Fire({ browser: the.browser, server: the.server, seed: SEED, faults });
    await fire.run(10000);
    assert.match(fire.checker.violations[0], /where .* is/);
  });
});

const library = process.env.FIRE_LIBRARY ? { library: path.resolve(process.env.FIRE_LIBRARY) } : {};

eachBrowser('under fire', { folders, ...library, browser: { hidden: true } }, (the) => {
  it(`no two hold one lock, and every request ends (${SECONDS} s, seed ${SEED})`, async function () {
    this.timeout(SECONDS * 1000 + 120000);
    const fire = new Fire({ browser: the.browser, server: the.server, seed: SEED, faults });
    await fire.run(SECONDS * 1000);
    const { checker } = fire;
    console.log(`        ${checker.grants} grants; ${Object.entries(fire.counts).map(([what, count]) => `${what} ${count}`).join(', ')}`);
    if (fire.again) console.log(`        ${fire.again} logs were sent again`);
    if (fire.free !== 'free') console.log(`        ${fire.free}`);
    for (const { event, message } of fire.failures.slice(0, 3)) console.log(`        ${event}: ${message}`);
    assert.deepEqual(fire.failures.filter(({ event }) => event === 'failed'), []);
    assert.deepEqual(checker.violations, []);
    assert.deepEqual(checker.hanging(), []);
    assert.equal(fire.free, 'free');
    assert.ok(checker.grants > SECONDS * 2, `only ${checker.grants} grants`);
    assert.ok(Object.keys(fire.counts).length >= 6, 'most kinds of faults have struck');
  });
});
