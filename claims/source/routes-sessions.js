/** /v1/sessions/ and /v1/sessions/(id)/: a time to live that several claims share. */
import { isMeant } from './creation.js';
import { HttpError, noSuchSession } from './errors.js';
import { withoutSlash } from './not-found.js';
import { renderSession, sessionUrl } from './representation.js';
import { CREATE_SESSION, END_SESSION, RENEW_SESSION } from './schemas.js';

/** @typedef {import('fastify').FastifyRequest} Request */

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{service: import('./service.js').Service}} options
 */
export async function sessionRoutes(fastify, { service }) {
  fastify.post('/v1/sessions/', { schema: CREATE_SESSION }, async (request, reply) => {
    const { ttl } = /** @type {{ttl: number}} */ (request.body);
    const view = read(await service.changeSession({ type: 'session', ttl: ttl + 0, owner: request.identity.owner }), request);
    reply.code(201).header('Location', sessionUrl(view.id, request.base));
    return send(reply, view, request);
  });

  fastify.get('/v1/sessions/:id/', async (request, reply) => {
    const view = await service.session(readId(request));
    if (!view) throw noSuchSession(idOf(request));
    return send(reply, view, request);
  });

  fastify.patch('/v1/sessions/:id/', { schema: RENEW_SESSION }, async (request, reply) => {
    const { ttl } = /** @type {{ttl: number}} */ (request.body);
    const { by } = request.identity;
    await checkCreated(request);
    return send(reply, read(await service.changeSession({ type: 'renew', id: readId(request), ttl: ttl + 0, by }), request), request);
  });

  fastify.delete('/v1/sessions/:id/', { schema: END_SESSION }, async (request, reply) => {
    const { by, resources } = request.identity;
    // Its claims may have any resources.
    const mayRevoke = request.identity.mayRevoke && resources === undefined;
    await checkCreated(request);
    read(await service.changeSession({ type: 'leave', id: readId(request), by, mayRevoke }), request);
    return reply.code(204).send();
  });

  withoutSlash(fastify, ['/v1/sessions', '/v1/sessions/:id']);

  /** @param {Request} request */
  async function checkCreated(request) {
    const { created } = /** @type {{created?: unknown}} */ (request.query);
    if (!await isSession(service, readId(request), created)) throw noSuchSession(idOf(request));
  }
}

/**
 * @param {import('./service.js').Service} service
 * @param {number} id
 * @param {unknown} created when it must have been created; undefined: at any time
 */
export const isSession = (service, id, created) => isMeant(created,
  () => service.machine.sessions.get(id)?.created, async () => (await service.session(id))?.created);

/**
 * @param {import('./operations.js').Result} result
 * @param {Request} request
 */
function read({ session, refusal }, request) {
  if (session) return session;
  throw refusal === 'forbidden' ? new HttpError(403, { error: 'This session is another\'s.' }) : noSuchSession(idOf(request));
}

/**
 * @param {import('fastify').FastifyReply} reply
 * @param {import('./sessions.js').SessionView} view
 * @param {Request} request
 */
const send = (reply, view, request) => reply.type('application/json; charset=utf-8').send(renderSession(view, request.base));

/** @param {Request} request */
const idOf = ({ params }) => /** @type {{id: string}} */ (params).id;

/** @param {Request} request */
function readId(request) {
  const id = idOf(request);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw noSuchSession(id);
  return Number(id);
}
