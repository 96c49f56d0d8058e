/** 404 for an unknown address, 405 for a wrong method, 308 for an address without the slash at its end. */

const ADDRESSES = [
  { path: /^\/v1\/claims\/$/, allow: 'GET, HEAD, POST' },
  { path: /^\/v1\/claims\/[^/]+\/$/, allow: 'GET, HEAD, PATCH' },
  { path: /^\/v1\/sessions\/$/, allow: 'POST' },
  { path: /^\/v1\/sessions\/[^/]+\/$/, allow: 'DELETE, GET, HEAD, PATCH' },
  { path: /^\/v1\/events$/, allow: 'GET' },
  { path: /^\/(healthz|metrics|openapi\.json)?$/, allow: 'GET, HEAD' },
];

/**
 * @param {import('fastify').FastifyRequest} request
 * @param {import('fastify').FastifyReply} reply
 */
export function notFound(request, reply) {
  const path = request.url.split('?', 1)[0];
  const address = ADDRESSES.find((each) => each.path.test(path));
  if (!address || address.allow.split(', ').includes(request.method)) {
    // The JavaScript client knows this sentence, too: see glue/claims/answers.js.
    return reply.code(404).send({ error: 'There is nothing at this address.' });
  }
  reply.code(405).header('Allow', address.allow);
  return reply.send({ error: `${request.method} is not allowed here; allowed: ${address.allow}.` });
}

/**
 * Without the slash at the end, these are other addresses. They redirect any request, with its body.
 * @param {import('fastify').FastifyInstance} fastify
 * @param {string[]} urls
 */
export function withoutSlash(fastify, urls) {
  for (const url of urls) {
    fastify.all(url, {
      onRequest: (request, reply) => {
        const [path, query] = request.url.split('?', 2);
        if (path.endsWith('/')) reply.callNotFound();
        else reply.redirect(query === undefined ? `${path}/` : `${path}/?${query}`, 308);
      },
    }, () => {});
  }
}
