/** The HTTP server, and what all routes share. */
import Fastify, { LogController } from 'fastify';
import { anonymous } from './auth.js';
import { parseBody } from './body.js';
import { LISTED } from './budget.js';
import { crossOrigin } from './cors.js';
import { HttpError } from './errors.js';
import { Listeners } from './listeners.js';
import { DataError, Full, Unavailable } from './log.js';
import { metricsRoute } from './metrics.js';
import { notFound } from './not-found.js';
import { openApiRoute } from './openapi.js';
import { claimRoutes } from './routes-claims.js';
import { eventRoutes } from './routes-events.js';
import { healthRoute } from './routes-health.js';
import { sessionRoutes } from './routes-sessions.js';
import { explain } from './schemas.js';
import { statusPage } from './status-page.js';

/** @typedef {import('fastify').FastifyInstance} FastifyInstance */
/** @typedef {import('fastify').FastifyRequest} FastifyRequest */

/** Tells this service's answers from those of a gateway before it: see glue/claims/answers.js. */
const MARK = { 'Lockkeeper-Claims': '1' };

const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 10_000, connectionsCheckingInterval: 1000 };

/** What a claim takes while a list with it is being sent, in bytes, roughly. */
const VIEW = 300;

/**
 * @param {object} options
 * @param {import('./service.js').Service} options.service
 * @param {import('./metrics.js').Metrics} options.metrics
 * @param {import('fastify').FastifyBaseLogger} [options.logger]
 * @param {{cert?: Buffer, key?: Buffer}} [options.tls] serves https
 * @param {import('fastify').FastifyPluginAsync} [options.auth] authenticates; absent: all clients are anonymous
 * @param {string} [options.baseUrl] the service's URL for clients, without a slash at the end; absent: from the Host header
 * @param {string[]} [options.allowOrigins] pages of these origins may use the service
 * @param {boolean | string} [options.trustProxy] trusts X-Forwarded-Host and -Proto
 * @param {number} [options.bodyLimit] bytes
 * @param {number} [options.grace] milliseconds that clients have to finish when the server closes
 * @param {number} [options.maxListeners] how many requests may wait or follow at one time
 * @param {number} [options.maxListenersOfOne] the same for one owner or one address
 * @param {number} [options.maxListed] how many claims may be in long lists that are being sent at one time; a quarter of it for one client
 * @returns {Promise<FastifyInstance>}
 */
export async function createServer({
  service, metrics, logger, tls, auth = anonymous, allowOrigins = [], baseUrl, trustProxy = false, bodyLimit = 256 * 1024,
  maxListeners = 5000, maxListenersOfOne = 1000, maxListed = Math.floor(LISTED / VIEW), grace = 3000,
}) {
  /** @type {FastifyInstance} */
  const fastify = /** @type {any} */ (Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost more than most requests.
    childLoggerFactory: (own) => own,
    bodyLimit,
    trustProxy,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : pathOf(url)),
    // How long a client may take to send its request, and how long an idle connection is kept.
    requestTimeout: 30_000,
    // Longer than the longest wait. An event stream is never quiet for this long.
    connectionTimeout: 330_000,
    keepAliveTimeout: 65_000,
    ...(tls ? { https: { ...tls, ...LIMITS } } : { http: LIMITS }),
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // For URLs that cannot be decoded: no hook sees them.
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.headers(MARK)),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
  }));

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, readBody);
  fastify.decorateRequest('bodyText', '');
  fastify.decorateRequest('base', '');
  fastify.addHook('onRequest', async (request, reply) => {
    reply.headers(MARK);
    request.base = baseUrl ?? baseOf(request);
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url, ip } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.observeRequest(method, request.routeOptions.url ?? 'none', status, elapsedTime / 1000);
    request.log.debug({ method, url, status, ip, milliseconds: elapsedTime });
  });
  fastify.setErrorHandler(sendError);
  fastify.setNotFoundHandler(notFound);
  if (allowOrigins.length > 0) await fastify.register(crossOrigin(allowOrigins));
  await fastify.register(auth);
  // Before an unwanted body is read.
  fastify.addHook('onRequest', async (request, reply) => (request.is404 ? notFound(request, reply) : undefined));
  const listeners = new Listeners(maxListeners, maxListenersOfOne);
  const listed = new Listeners(maxListed, Math.ceil(maxListed / 4), 'claims in lists that are being sent');
  await fastify.register(claimRoutes, { service, listeners, listed });
  await fastify.register(sessionRoutes, { service });
  await fastify.register(eventRoutes, { service, listeners });
  await fastify.register(healthRoute, { service });
  await fastify.register(metricsRoute, { metrics });
  await fastify.register(openApiRoute);
  await fastify.register(statusPage, { service });
  fastify.addHook('preClose', async () => {
    // Waiting requests are answered, so that closing does not wait for them. A client that has begun a request may finish it.
    service.hub.wakeAll();
    setTimeout(() => fastify.server.closeAllConnections(), grace).unref();
  });
  return fastify;
}

/**
 * @param {FastifyRequest} request
 * @param {Buffer} bytes
 */
async function readBody(request, bytes) {
  const { value, text } = parseBody(bytes);
  request.bodyText = text;
  return value;
}

/**
 * @param {import('fastify').FastifyError} error
 * @param {import('fastify').FastifyRequest} request
 * @param {import('fastify').FastifyReply} reply
 */
function sendError(error, request, reply) {
  if (error instanceof HttpError) return reply.code(error.statusCode).headers(error.headers).send(error.body);
  if (error instanceof Unavailable) {
    return reply.code(503).header('Retry-After', '1').send({ error: `Not done, or not known to be done: ${error.message}.` });
  }
  if (error instanceof Full) {
    return reply.code(error.own ? 429 : 503).header('Retry-After', '10').send({ error: error.message });
  }
  if (error.validation) return reply.code(400).send(explain(error.validation));
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return reply.code(415).send({ error: 'The body must be application/json.' });
  if (error.statusCode && error.statusCode < 500) return reply.code(error.statusCode).send({ error: error.message });
  request.log.error({ err: error, method: request.method, url: request.url });
  const what = error instanceof DataError ? 'The data of the service are damaged' : 'The service has a defect';
  return reply.code(500).send({ error: `${what}; its log says more.` });
}

/**
 * A request may name the whole address, as it does to a proxy. What answers refer to is below this service's own base.
 * @param {string} url
 */
function pathOf(url) {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/** @param {import('fastify').FastifyRequest} request */
function baseOf(request) {
  const { host } = request;
  if (/^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host)) return `${request.protocol}://${host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
