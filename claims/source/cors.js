/** Lets pages of other origins use the service, if the operator allows it. */
import { unscoped } from './auth.js';

/**
 * @param {string[]} origins or '*' for all
 * @returns {import('./auth.js').Plugin}
 */
export function crossOrigin(origins) {
  /** @type {import('./auth.js').Plugin} */
  const plugin = async (fastify) => {
    fastify.addHook('onRequest', async (request, reply) => {
      const { origin } = request.headers;
      reply.header('Vary', 'Origin');
      if (origin === undefined || !(origins.includes(origin) || origins.includes('*'))) return;
      reply.headers({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': 'Location, Link, Retry-After, Lockkeeper-Claims',
        // Lets the JavaScript client see whether its requests go over HTTP/2.
        'Timing-Allow-Origin': origin,
      });
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
      await reply.code(204).headers({
        'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key',
        'Access-Control-Max-Age': '600',
      }).send();
    });
  };
  return unscoped(plugin);
}
