#!/usr/bin/env node
/** The command: starts the service, and stops it on a signal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { headerAuthentication } from './auth-header.js';
import { tokenAuthentication } from './auth-token.js';
import { createEtcdLog } from './log-etcd.js';
import { openLevelLog } from './log-level.js';
import { createMemoryLog } from './log-memory.js';
import { Changed, DataError, Unavailable } from './log.js';
import { Metrics } from './metrics.js';
import { UsageError, readOptions } from './options.js';
import { createServer } from './server.js';
import { Service } from './service.js';
import { USAGE } from './usage-text.js';

/** @typedef {ReturnType<typeof readOptions>} Options */

try {
  const words = process.argv.slice(2);
  // Any other error.
  if (words.includes('--help') || words.includes('-h')) process.stdout.write(USAGE);
  else if (words.includes('--version')) process.stdout.write(`lockkeeper-claims ${readVersion()}\n`);
  else await run(readOptions(words, process.env));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof DataError || error instanceof Unavailable)) throw error;
  process.stderr.write(`lockkeeper-claims: ${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : error instanceof Changed ? 3 : 1;
}

function readVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/** @param {Options} options */
async function run(options) {
  const logger = pino({ level: options.logLevel });
  /** Set once there is something to copy. @type {(() => Promise<void>) | undefined} */
  let copy;
  // First, and always: by default this signal ends the process.
  process.on('SIGUSR2', () => {
    if (copy) void copy();
    else logger.warn(options.backup === undefined ? 'no backup: --backup is missing' : 'no backup: the service is not ready yet');
  });
  const metrics = new Metrics();
  const auth = readAuth(options);
  const log = await openLog(options, logger);
  const service = new Service({
    log,
    keep: options.keep,
    checkpointEvery: options.checkpointEvery,
    limits: options.limits,
    // So a server that takes over has seen the time within the last second.
    heartbeat: options.etcd ? 1000 : undefined,
    watcher: {
      applied: (place, transitions) => transitions.forEach(({ view }) => metrics.transitions.inc({ status: view.status })),
      appended: ({ operations, seconds }) => {
        metrics.operations.inc(operations);
        metrics.appends.observe(seconds);
      },
      failed: (error) => {
        metrics.failures.inc();
        logger.error(error, 'the log cannot be written; operations are refused until it can');
      },
      recovered: () => logger.info('the log can be written again'),
      fatal: (error) => {
        logger.fatal(error, 'this server cannot go on');
        // A server that starts now would continue with other data, and give the same fences again. A person has to decide that.
        process.exit(error instanceof DataError ? 3 : 1);
      },
    },
  });
  await service.start().catch(async (error) => {
    await log.close();
    throw error;
  });
  if (options.newIncarnation) {
    const { incarnation } = /** @type {any} */ (await service.incarnate());
    await service.stop();
    await log.renew?.();
    process.stdout.write(`The next claim is ${incarnation + 1}; fences have moved on likewise. Start without this option now.\n`);
    return;
  }
  metrics.observe(service);
  const { baseUrl, trustProxy, allowOrigins, tls } = options;
  const server = await createServer({ service, metrics, logger, auth, baseUrl, trustProxy, allowOrigins, tls });
  const url = await server.listen({ port: options.port, host: options.host }).catch(async (error) => {
    await service.stop();
    // Another process may still have the port, and at a start of the machine the address may come later.
    throw ['EADDRINUSE', 'EADDRNOTAVAIL'].includes(error.code) ? new Unavailable(error.message) : new UsageError(error.message);
  });
  const { backup } = options;
  if (backup !== undefined) copy = () => backUp(log, backup, logger);
  logger.info({ url, claims: service.register.counts }, 'ready');

  let stopping = false;
  const stop = async (/** @type {string} */ signal) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    await server.close();
    await service.stop();
    logger.info('stopped');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // npm starts a shell that starts this process. When those two are told to end, they do not tell this one.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && void stop('the end of npm'), 250).unref();
}

/**
 * @param {import('./log.js').Log} log
 * @param {string} folder
 * @param {pino.Logger} logger
 */
async function backUp(log, folder, logger) {
  const copy = join(folder, new Date().toISOString().replaceAll(':', '-'));
  try {
    await log.copy?.(copy);
    logger.info({ copy }, 'backed up');
  } catch (error) {
    logger.error(error, 'the backup failed');
  }
}

/** @param {Options} options */
function readAuth({ token, header }) {
  try {
    if (token) return tokenAuthentication(token);
  } catch (error) {
    throw new UsageError(`--auth-key is no key that can be used: ${/** @type {Error} */ (error).message}`);
  }
  return header && headerAuthentication(header);
}

/**
 * @param {Options} options
 * @param {pino.Logger} logger
 */
async function openLog({ data, etcd, etcdPrefix, etcdCompact, etcdQuota, etcdSecurity, newIncarnation }, logger) {
  const warn = (/** @type {string} */ message) => logger.warn(message);
  if (etcd) {
    const space = { quota: etcdQuota, warn };
    return createEtcdLog({
      members: etcd, prefix: etcdPrefix, compact: etcdCompact, security: etcdSecurity, space, evenIfChanged: newIncarnation,
    });
  }
  return data === undefined ? createMemoryLog() : openLevelLog(data, { warn });
}
