/**
 * The part of an etcd client that the log needs. Every attempt has a deadline. A failed attempt is repeated with the next member until the
 * caller's patience is over. So every call must be harmless if it is carried out twice.
 */
import { Client, Metadata, credentials as channels, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import { Unavailable } from './log.js';

/** @typedef {import('@grpc/grpc-js').MethodDefinition<any, any>} Method */

const protocol = loadSync(fileURLToPath(new URL('../proto/etcd.proto', import.meta.url)), { keepCase: true, longs: String, enums: String });
/** @param {string} service @returns {Record<string, Method>} */
const methodsOf = (service) => /** @type {any} */ (protocol[`etcdserverpb.${service}`]);
const METHODS = { ...methodsOf('KV'), ...methodsOf('Maintenance'), ...methodsOf('Auth') };
const WATCH = methodsOf('Watch').Watch;

/** Codes that say nothing about the request. */
const PASSING = new Set([status.CANCELLED, status.UNKNOWN, status.DEADLINE_EXCEEDED, status.ABORTED, status.INTERNAL, status.UNAVAILABLE]);
/** What etcd says, with another code, of a token that is no longer good, or of none. */
const VOID_TOKEN = /revision of auth store is old|user name is empty/;
/** … and where it knows no users. */
const NO_USERS = /authentication is not enabled/;
const LATE = 'no answer in time';
const PAUSE = 50;
const WATCH_AGAIN = 250;
/** An attempt may take this many times as long as the last one that was answered: it may need a new connection. */
const SLACK = 3;

const CHANNEL = {
  // A checkpoint's part, and a page of batches, may be larger than the 4 MB that are the default.
  'grpc.max_receive_message_length': -1,
  // Finds a connection that died silently while a watch waits. etcd allows a ping every 5 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  // A connection is given up by closing its client, so it must not be shared with the next one.
  'grpc.use_local_subchannel_pool': 1,
  // Connects to the members directly, whatever proxies the environment names.
  'grpc.enable_http_proxy': 0,
};

/**
 * @typedef {object} Security
 * @property {Buffer} [ca] the certificate authority of the members; absent: the well-known ones
 * @property {Buffer} [cert] this client's certificate
 * @property {Buffer} [key] and its key
 * @property {string} [user] of etcd
 * @property {string} [password]
 */

/**
 * @param {object} options
 * @param {string[]} options.members their URLs
 * @param {Security} [options.security]
 * @param {number} [options.deadline] of an attempt, in milliseconds; longer where answers take longer
 * @param {number} [options.patience] of a call
 */
export function createEtcd({ members, security: { user, password, ca, cert, key } = {}, deadline = 500, patience = 5000 }) {
  /** The connection to the current member. @type {Client | undefined} */
  let client;
  /** @type {Set<import('@grpc/grpc-js').Call>} calls without an answer yet */
  const attempts = new Set();
  /** @type {import('@grpc/grpc-js').Call | undefined} */
  let watching;
  let closed = false;
  let current = 0;
  /** The token that etcd gave for the password; '' if it asks for none. @type {string | undefined} */
  let token;
  /** @type {Promise<void> | undefined} */
  let signingIn;
  /** The deadline of attempts at present. */
  let limit = deadline;
  /** How many attempts in a row were not answered in time. */
  let late = 0;

  /** @param {number} milliseconds */
  const setLimit = (milliseconds) => {
    // So a call has time for another member.
    limit = Math.max(deadline, Math.min(milliseconds, patience / 2));
  };

  const connection = () => {
    if (client) return client;
    const { protocol: scheme, hostname, port } = new URL(members[current]);
    const isSecure = scheme === 'https:';
    const channel = isSecure ? channels.createSsl(ca, key, cert) : channels.createInsecure();
    client = new Client(`${hostname}:${port || (isSecure ? 443 : 80)}`, channel, CHANNEL);
    return client;
  };

  /** Makes the next call over another connection. */
  const disconnect = () => {
    watching?.cancel();
    client?.close();
    client = undefined;
  };

  const metadata = () => {
    const data = new Metadata();
    if (token) data.set('token', token);
    return data;
  };

  /**
   * Asks the current member once.
   * @param {string} name of the method
   * @param {object} request
   * @returns {Promise<any>}
   */
  const ask = (name, request) => new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = METHODS[name];
    const options = { deadline: Date.now() + limit };
    const began = performance.now();
    const attempt = connection().makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata(), options,
      (error, answer) => {
        attempts.delete(attempt);
        if (error) {
          reject(error);
          return;
        }
        late = 0;
        setLimit(SLACK * (performance.now() - began));
        resolve(answer);
      });
    attempts.add(attempt);
  });

  async function signIn() {
    ({ token } = await ask('Authenticate', { name: user, password }).catch((error) => {
      if (NO_USERS.test(error.details)) return { token: '' };
      throw PASSING.has(error.code) ? error : new Unavailable(`etcd does not let ${user} in: ${error.details}`);
    }));
  }

  /**
   * @param {'Range' | 'Put' | 'DeleteRange' | 'Txn' | 'Compact' | 'Status'} name see ../proto/etcd.proto
   * @param {object} request
   * @returns {Promise<any>} 64-bit numbers are text, and fields with their default value are absent
   */
  async function call(name, request) {
    const end = performance.now() + patience;
    for (let attempt = 0; ; attempt += 1) {
      const member = current;
      if (user !== undefined && token === undefined) signingIn ??= signIn().finally(() => (signingIn = undefined));
      let used = token;
      let reason;
      try {
        await signingIn;
        used = token;
        return await ask(name, request);
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        // Without a code it is an error of this client, such as a certificate that cannot be read.
        const { code, details = String(error) } = /** @type {import('@grpc/grpc-js').ServiceError} */ (error);
        reason = code === status.DEADLINE_EXCEEDED ? LATE : details;
        if (user !== undefined && (code === status.UNAUTHENTICATED || VOID_TOKEN.test(details))) {
          // Another call may have got a new one meanwhile.
          if (token === used) token = undefined;
          if (attempt < 2 * members.length) continue;
        }
        if (!PASSING.has(code)) throw new Unavailable(`etcd refuses: ${reason}`);
      }
      if (closed) throw new Unavailable('the service is shutting down');
      // Several calls may fail together; the first of them goes on to the next member.
      if (member === current) {
        if (reason === LATE && (late += 1) % members.length === 0) setLimit(2 * limit);
        current = (current + 1) % members.length;
        disconnect();
      }
      if (performance.now() + PAUSE > end) throw new Unavailable(`no member of etcd answers (${reason})`);
      await pause(PAUSE);
    }
  }

  /**
   * Calls [wake] whenever the key may have been written, with the revision if it is known.
   * @param {{key: Buffer}} range
   * @param {(revision?: number) => void} wake
   */
  async function watch(range, wake) {
    while (!closed) {
      await new Promise((resolve) => {
        const { path, requestSerialize, responseDeserialize } = WATCH;
        const stream = connection().makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata());
        watching = stream;
        stream.on('data', ({ events = [], canceled }) => {
          if (canceled) stream.cancel();
          else wake(revisionOf(events));
        });
        stream.on('error', () => {
          wake();
          resolve(undefined);
        });
        stream.on('end', resolve);
        stream.write({ create_request: range });
      });
      watching = undefined;
      if (!closed) await pause(WATCH_AGAIN);
    }
  }

  function close() {
    closed = true;
    for (const attempt of attempts) attempt.cancel();
    disconnect();
  }

  return { call, watch, close };
}

/**
 * @param {any[]} events
 * @returns {number | undefined} that of the last one
 */
function revisionOf(events) {
  const last = events.at(-1);
  return last && Number(last.kv.mod_revision);
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
