/**
 * What the tests of the package web-locks do, in the main thread of Node. The parameter is what to import: that package or Lockkeeper.
 * Prints the order of events, and has to end by itself, although at the end two requests wait for each other, and one for its own holder.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const { locks } = await import(process.argv[2]);
/** @type {string[]} */
const events = [];
/** @param {string} event */
const log = (event) => { events.push(event); };

log(`returns ${await locks.request('A', async (/** @type {any} */ lock) => { log(`${lock.name} ${lock.mode}`); })}`);

await locks.request('A', async () => {
  log('A');
  await locks.request('B', async () => { log('B within A'); });
  log('B is released');
});

const first = locks.request('A', async () => {
  log('first');
  await sleep(20);
  log('first ends');
});
const second = locks.request('A', async () => {
  log('second');
});
await Promise.all([first, second]);

await locks.request('A', async () => { throw new Error('thrown'); }).catch((/** @type {Error} */ error) => log(error.message));
await locks.request('A', async () => { log('not held by what has thrown'); });

const before = events.length;
for (const [one, other] of ['CD', 'DC', 'EE']) {
  locks.request(one, async () => {
    log(`${one} for ${other}`);
    while (events.length < before + 3) await sleep(1);
    await locks.request(other, async () => { log('a deadlock is not one'); });
  });
}
while (events.length < before + 3) await sleep(1);
// Time for what must not happen.
await sleep(20);
console.log(JSON.stringify(events));
