/** An example client that holds the claim a, a service and a gateway between them, all by a clock that the test sets. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runHolding } from './examples.js';
import { withGateway } from './gateway.js';
import { until } from './service.js';
import { withSetClock } from './set-clock.js';

/** Patterns of the requests to a gateway. */
export const RENEWAL = /^PATCH .*"ttl"/;
export const RELEASE = /^PATCH .*"released"/;
export const WAIT = /^GET .*wait=/;

/** Of the claim, in seconds. */
export const LEASE = 90;
/** A renewal is due. */
export const DUE = LEASE * 0.4;
/** A client must take the lock for lost, though no other can have it yet. */
export const LATE = LEASE * 0.95;

/**
 * [use] with all of it. [run] runs a command while the client holds the claim, [done] ends one that is UNTIL_DONE, and [renewals] waits
 * until the gateway has been asked for so many.
 */
export const withHolding = (script, use) => withSetClock((time) => withGateway(async (gateway, service) => {
  const DONE = join(time.folder, 'done');
  const run = (command, environment) => (
    runHolding(script, ['-u', gateway.url, '-t', String(LEASE), 'a'], command, { ...time.environment, DONE, ...environment }));
  const renewals = (count) => (
    until(() => gateway.asked.filter((asked) => RENEWAL.test(asked)).length >= count, `${count} renewals`));
  await use({ gateway, service, time, run, renewals, done: () => writeFile(DONE, '') });
}, { service: { clock: time.clock } }));

/** Where the gateway spoils all renewals, the client loses the lock before others can have it. @param {string} [label] of the case */
export const assertLostInTime = async ({ service, time, run, renewals }, label) => {
  const result = run('echo runs; exec sleep 60');
  await result.begun;
  const next = await service.client.claim('a');
  time.advance(DUE);
  await renewals(2);
  time.advance(LATE - DUE);
  const { code, stderr } = await result;
  assert.deepEqual([code, await service.client.status(next)], [75, 'waiting'], label);
  assert.match(stderr, /the claim was lost/);
};

/** The statuses of a resource's claims. */
export const statusesOf = async ({ client }, resource = 'a') => (
  (await client.get(`/v1/claims/?resource=${resource}`)).body.map(({ status }) => status));
