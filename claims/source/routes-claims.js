/** /v1/claims/ and /v1/claims/(id)/ */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { covers } from './auth.js';
import { isFinal } from './claim.js';
import { memberText } from './body.js';
import { isMeant } from './creation.js';
import { HttpError, badParameters, noSuchClaim } from './errors.js';
import { readNumber, readQuery } from './filters.js';
import { repeated } from './keys.js';
import { withoutSlash } from './not-found.js';
import { claimUrl, render } from './representation.js';
import { isSession } from './routes-sessions.js';
import { CREATE_CLAIM, UPDATE_CLAIM, checkResources } from './schemas.js';

/** @typedef {import('fastify').FastifyInstance} Fastify */
/** @typedef {import('fastify').FastifyRequest} Request */
/** @typedef {import('fastify').FastifyReply} Reply */
/** @typedef {import('./claim.js').View} View */
/** @typedef {import('./listeners.js').Listeners} Listeners */
/** @typedef {import('./operations.js').Result} Result */

const LONGEST_WAIT = 300;
/** A list of more characters is sent while it is being made. */
const STREAMED = 65_536;
/** The most claims in a list without a limit; the answer links to the next ones. */
const LONGEST_LIST = 10_000;
const NO_SESSION = 'There is no such session, or not any more.';

/**
 * @param {Fastify} fastify
 * @param {{service: import('./service.js').Service, listeners: Listeners, listed: Listeners}} options [listed] counts the claims in
 *   long lists that are being sent
 */
export async function claimRoutes(fastify, { service, listeners, listed }) {
  fastify.get('/v1/claims/', async (request, reply) => {
    const { filters, limit, offset = 0 } = readQuery(/** @type {any} */ (request.query));
    const most = Math.min(limit ?? Infinity, LONGEST_LIST);
    const { total, views } = await service.list(filters, offset, most);
    if (limit !== undefined || offset > 0 || total > most) reply.header('Link', links(request, total, most, offset));
    reply.type('application/json; charset=utf-8');
    const text = listText(views, request.base);
    const { value, done } = await text.next();
    const rest = done ? undefined : await text.next();
    // A short list is sent in one piece.
    if (rest?.done) return value;
    // A client that does not read would keep the claims of a long one in memory.
    const leave = listed.enter(request, Math.min(total - offset, most));
    return Readable.from(resumed([value, rest?.value], text)).on('close', leave);
  });

  fastify.post('/v1/claims/', { schema: CREATE_CLAIM }, async (request, reply) => {
    const { resource, ttl = null, waiting_ttl: waitingTtl = null, session, limit = null } = bodyOf(request);
    const { mode = limit === null ? 'exclusive' : 'shared' } = bodyOf(request);
    if (limit !== null && mode === 'exclusive') throw badParameters({ limit: 'Goes with shared claims only.' });
    const list = Array.isArray(resource);
    checkResources(list ? resource : [resource]);
    if (!covers(request.identity, list ? resource : [resource])) throw new HttpError(403, { error: 'You may not claim this resource.' });
    const userData = memberText(request.bodyText, 'user_data') ?? null;
    const named = session === undefined ? null : readSession(session);
    const { session_created: created } = /** @type {{session_created?: unknown}} */ (request.query);
    const keyed = idempotency(request);
    const isThere = named === null || await isSession(service, named, created);
    // The session may have ended since the first request with this key. To look for the session, the log was read.
    const earlier = !isThere && service.machine.keys.peek(request.identity.owner, keyed.key ?? '');
    if (!isThere && !earlier) throw badParameters({ session: NO_SESSION });
    const result = earlier ? repeated(earlier, keyed.digest) : await service.create({
      type: 'create', resources: list ? resource : [resource], list, mode, limit, ttl: plain(ttl),
      waitingTtl: plain(waitingTtl), session: named,
      userData: userData === 'null' ? null : userData, owner: request.identity.owner, ...keyed,
    });
    if (result.refusal === 'no-session') throw badParameters({ session: NO_SESSION });
    if (result.refusal === 'forbidden') throw new HttpError(403, { error: 'This session is another\'s.' });
    if (result.refusal) throw refused(result, request);
    const view = result.view ?? await service.get(/** @type {number} */ (result.replayed));
    if (!view) throw new HttpError(409, { error: 'The claim that this Idempotency-Key made is not kept any more.' });
    const active = result.view ? view.status === 'active' : result.active;
    reply.code(active ? 201 : 202).header('Location', claimUrl(view.id, request.base));
    return sendClaim(reply, view, request);
  });

  fastify.get('/v1/claims/:id/', async (request, reply) => {
    const { wait, left } = readWait(/** @type {any} */ (request.query));
    const id = readId(request);
    const view = wait === undefined ? await service.get(id) : await waitFor(request, reply, id, wait, left);
    if (!view) throw noSuchClaim(String(id));
    return sendClaim(reply, view, request);
  });

  fastify.patch('/v1/claims/:id/', { schema: UPDATE_CLAIM }, async (request, reply) => {
    const { status, ttl, waiting_ttl: waitingTtl } = /** @type {any} */ (request.body);
    const id = readId(request);
    await checkCreated(request, id);
    const { by } = request.identity;
    const mayRevoke = status === 'revoked' && await mayRevokeOf(request.identity, id);
    const result = status === 'active'
      ? await service.activate(id, by)
      : await service.update({ type: 'update', id, status, ttl: plain(ttl), waitingTtl: plain(waitingTtl), by, mayRevoke });
    if (result.refusal) throw await explain(result, request, id);
    if (!result.view || isFinal(result.view.status)) return reply.code(204).send();
    return sendClaim(reply, result.view, request);
  });

  withoutSlash(fastify, ['/v1/claims', '/v1/claims/:id']);

  /**
   * @param {Request} request
   * @param {Reply} reply
   * @param {number} id
   * @param {number} seconds
   * @param {string | undefined} left
   */
  async function waitFor(request, reply, id, seconds, left) {
    const leave = listeners.enter(request);
    const gone = new AbortController();
    const onClose = () => gone.abort();
    reply.raw.on('close', onClose);
    return service.wait(id, seconds, left, gone.signal, request.identity.by).finally(() => {
      leave();
      reply.raw.off('close', onClose);
    });
  }

  /**
   * The query may say when the claim was created.
   * @param {Request} request
   * @param {number} id
   */
  async function checkCreated(request, id) {
    const { created } = /** @type {{created?: unknown}} */ (request.query);
    const known = () => service.machine.open.get(id)?.history[0].at;
    if (!await isMeant(created, known, async () => (await service.get(id))?.history[0].at)) throw noSuchClaim(String(id));
  }

  /**
   * Whether the client may revoke this claim of someone else.
   * @param {import('./auth.js').Identity} identity
   * @param {number} id
   */
  async function mayRevokeOf(identity, id) {
    if (!identity.mayRevoke || identity.resources === undefined) return identity.mayRevoke;
    return covers(identity, (await service.get(id))?.resources ?? []);
  }

  /**
   * Why an update was refused.
   * @param {Result} result
   * @param {Request} request
   * @param {number} id
   */
  async function explain(result, request, id) {
    if (result.refusal !== 'final') return refused(result, request);
    const view = await service.get(id);
    if (!view) return noSuchClaim(String(id));
    // The JavaScript client knows this sentence, too: see glue/claims/answers.js.
    return badParameters({ [parameter(request)]: `The claim is ${view.status}, and that is final.` });
  }
}

/**
 * @param {Result} result
 * @param {Request} request
 */
function refused({ refusal, contender }, request) {
  switch (refusal) {
    case 'unknown':
      return noSuchClaim(/** @type {any} */ (request.params).id);
    case 'forbidden':
      return new HttpError(403, { error: 'This claim is another\'s.' });
    case 'contended':
      return new HttpError(409, {
        status: 'Another claim blocks this one. To wait, GET this claim with ?wait=30&while=waiting.',
        url: contender === undefined ? null : claimUrl(contender, request.base),
      });
    case 'not-active':
      return badParameters({ [parameter(request)]: 'The claim is waiting, and this is for active ones.' });
    case 'not-waiting':
      return badParameters({ [parameter(request)]: 'The claim is active, and this is for waiting ones.' });
    default:
      return new HttpError(422, { error: 'This Idempotency-Key was used before, for another request.' });
  }
}

/**
 * The parameter of a PATCH.
 * @param {Request} request
 */
const parameter = (request) => Object.keys(/** @type {object} */ (request.body))[0];

/**
 * @param {Request} request
 * @returns {{key?: string, digest?: string}}
 */
function idempotency(request) {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return {};
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw badParameters({ 'Idempotency-Key': 'Must be 1 to 255 printable ASCII characters.' });
  }
  return { key, digest: createHash('sha256').update(request.bodyText).digest('base64') };
}

/**
 * @param {Record<string, string | string[]>} query
 * @returns {{wait?: number, left?: string}} [left]: the status that the caller knows
 */
function readWait(query) {
  /** @type {Record<string, string>} */
  const wrong = Object.create(null);
  const { wait, while: left, ...others } = query;
  const seconds = typeof wait === 'string' ? readNumber(wait) : undefined;
  for (const name of Object.keys(others)) wrong[name] = 'Unknown parameter.';
  if (wait !== undefined && (seconds === undefined || seconds < 0 || seconds > LONGEST_WAIT)) {
    wrong.wait = `Must be a number of seconds from 0 to ${LONGEST_WAIT}.`;
  }
  if (left !== undefined && left !== 'waiting' && left !== 'active') wrong.while = 'Must be waiting or active.';
  if (left !== undefined && wait === undefined) wrong.while = 'Goes with wait only.';
  if (Object.keys(wrong).length > 0) throw badParameters(wrong);
  return { wait: seconds, left: /** @type {string | undefined} */ (left) };
}

/**
 * Minus zero is zero.
 * @template {number | null | undefined} Value
 * @param {Value} value
 * @returns {Value}
 */
const plain = (value) => /** @type {Value} */ (typeof value === 'number' ? value + 0 : value);

/** @param {string} text a session's URL; only the id counts */
function readSession(text) {
  const [, id] = /(?:^|\/v1\/sessions\/)([1-9]\d{0,14})\/?$/.exec(text) ?? [];
  if (id === undefined) throw badParameters({ session: NO_SESSION });
  return Number(id);
}

/** @param {Request} request @returns {any} the body, in the schema's form */
const bodyOf = ({ body }) => body;

/** @param {Request} request */
function readId(request) {
  const { id } = /** @type {{id: string}} */ (request.params);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw noSuchClaim(id);
  return Number(id);
}

/**
 * @param {Reply} reply
 * @param {View} view
 * @param {Request} request
 */
const sendClaim = (reply, view, request) => reply.type('application/json; charset=utf-8').send(render(view, request.base));

/**
 * @param {AsyncIterable<View>} views
 * @param {string} base
 */
async function* listText(views, base) {
  let text = '[';
  let separator = '';
  for await (const view of views) {
    text += separator + render(view, base);
    separator = ',\n';
    if (text.length < STREAMED) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

/**
 * @param {any[]} first the elements that were taken already
 * @param {AsyncIterable<string>} rest
 */
async function* resumed(first, rest) {
  yield* first;
  yield* rest;
}

/**
 * RFC 8288.
 * @param {Request} request
 * @param {number} total
 * @param {number} limit
 * @param {number} offset
 */
function links(request, total, limit, offset) {
  // The base may be no URL, since clients may send any Host.
  const [path, query] = request.url.split('?');
  const parameters = new URLSearchParams(query);
  const to = (/** @type {string} */ relation, /** @type {number} */ place) => {
    parameters.set('limit', String(limit));
    parameters.set('offset', String(place));
    return `<${request.base}${path}?${parameters}>; rel="${relation}"`;
  };
  const found = [to('first', 0), to('last', Math.max(0, Math.ceil(total / limit) - 1) * limit)];
  if (offset > 0) found.push(to('prev', Math.max(0, Math.min(offset, total) - limit)));
  if (offset + limit < total) found.push(to('next', offset + limit));
  return found.join(', ');
}
