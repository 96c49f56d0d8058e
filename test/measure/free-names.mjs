/**
 * How long the deletion of a free database takes, beside the deletion of a name that does not exist 50 ms later. Three
 * contexts delete the same names at once. With --load, four processes compute and three write to the disk meanwhile.
 *
 * If none takes longer than that other deletion and 50 ms more, one that is still pending then shows that a context holds the name.
 *
 * node test/measure/free-names.mjs chromium firefox webkit [--load] [--rounds 100]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from '../browsers/drivers/index.js';
import { EXPORTS, settle } from '../browsers/places.js';
import { libraryOf, Realm } from '../browsers/realms.js';
import { TestServer } from '../browsers/server.js';

const { values, positionals } = parseArgs({
  allowPositionals: true, options: { load: { type: 'boolean' }, rounds: { type: 'string', default: '100' } },
});

/** In a realm: leaves databases as a browser does that has closed all connections. */
const leave = (/** @type {string[]} */ names) => Promise.all(names.map((name) => new Promise((resolve, reject) => {
  const opening = indexedDB.open(name);
  opening.onsuccess = () => resolve(opening.result.close());
  opening.onerror = () => reject(opening.error);
})));

/** In a realm: by name, by how many milliseconds the deletion has ended before the other one. */
const compare = (/** @type {string[]} */ names) => Promise.all(names.map(async (name) => {
  const ended = (/** @type {string} */ each) => new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(each);
    deleting.onsuccess = () => resolve(performance.now());
    deleting.onerror = () => reject(deleting.error);
  });
  const first = ended(name);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return await ended(`none ${Math.random()}`) - await first;
}));

/** @param {string} folder @returns {() => void} ends it */
function startLoad(folder) {
  const file = (/** @type {number} */ each) => path.join(folder, `${each}`);
  const load = [0, 1, 2, 3].map(() => spawn('sh', ['-c', 'while :; do :; done']));
  for (const each of [0, 1, 2]) {
    load.push(spawn('sh', ['-c', `while :; do dd if=/dev/zero of=${file(each)} bs=64k count=200 conv=fsync 2> /dev/null; done`]));
  }
  return () => load.forEach((each) => each.kill());
}

/** @param {string} name @param {number} rounds */
async function measure(name, rounds) {
  const library = libraryOf('place.js', EXPORTS);
  const server = await new TestServer({ library }).start();
  const browser = await startBrowser(name);
  server.pageScript = browser.pageScript ?? '';
  const scene = /** @type {any} */ ({ newTab: (/** @type {string} */ address) => browser.newTab(address) });
  try {
    const origin = await server.newOrigin();
    const realms = [];
    for (const title of ['one', 'two', 'three']) realms.push(await Realm.tab(scene, origin, title));
    realms.push(await realms[1].add('worker', 'worker'));
    for (const realm of realms) await realm.evaluate(settle, '', realm.name);
    const [one, ...watchers] = realms;
    for (const together of [1, 10]) {
      const ahead = [];
      for (let round = 0; round < rounds / together; round++) {
        const names = Array.from({ length: together }, (_, each) => `left ${together} ${round} ${each}`);
        await one.evaluate(leave, names);
        for (const each of await Promise.all(watchers.map((realm) => realm.evaluate(compare, names)))) ahead.push(...each);
      }
      ahead.sort((a, b) => a - b);
      const tooLong = ahead.filter((each) => each < -50).length;
      const [least, median] = [ahead[0], ahead[ahead.length >> 1]].map((each) => each.toFixed());
      console.log(`${name}: ${ahead.length} deletions, ${together} at once; ${tooLong} took too long`);
      console.log(`  ended before the other by ${median} ms (median), ${least} ms at least`);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'load-'));
const stopLoad = values.load ? startLoad(folder) : () => {};
try {
  for (const name of positionals) await measure(name, Number(values.rounds));
} finally {
  stopLoad();
  // The last dd may still be writing.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
