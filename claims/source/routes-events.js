/** GET /v1/events: all changes as they happen, as Server-Sent Events. */
import { badParameters } from './errors.js';
import { render } from './representation.js';

/** Comments keep proxies from closing a quiet stream. */
const QUIET = 15_000;
/** A client that lets so many bytes wait is cut off; it may come back with Last-Event-ID. */
const MOST_UNREAD = 2 ** 20;

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{service: import('./service.js').Service, listeners: import('./listeners.js').Listeners}} options
 */
export async function eventRoutes(fastify, { service, listeners }) {
  /** @type {Set<import('node:http').ServerResponse>} */
  const streams = new Set();
  fastify.addHook('preClose', async () => {
    for (const stream of streams) stream.end();
  });

  fastify.get('/v1/events', { exposeHeadRoute: false }, async (request, reply) => {
    const { resource, ...others } = /** @type {Record<string, string | string[]>} */ (request.query);
    const unknown = Object.keys(others);
    if (unknown.length > 0) throw badParameters(Object.fromEntries(unknown.map((name) => [name, 'Unknown parameter.'])));
    if (resource !== undefined && (typeof resource !== 'string' || resource === '')) {
      throw badParameters({ resource: 'Must be one resource: at least one character.' });
    }
    const leave = listeners.enter(request);

    const { base } = request;
    const after = request.headers['last-event-id'];
    const stream = reply.raw;
    reply.hijack();
    reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    stream.writeHead(200, /** @type {import('node:http').OutgoingHttpHeaders} */ (reply.getHeaders()));
    const write = (/** @type {string} */ text) => {
      if (stream.writableLength > MOST_UNREAD) stream.destroy();
      else stream.write(text);
    };
    write('retry: 1000\n\n');
    streams.add(stream);
    const stop = service.hub.follow({
      onEvent: ({ id, view }) => {
        if (resource !== undefined && !view.resources.includes(resource)) return;
        // Line ends in JSON are blanks; in an event they would end the line.
        write(`id: ${id}\nevent: ${view.status}\ndata: ${render(view, base).replace(/[\r\n]/g, ' ')}\n\n`);
      },
      onReset: () => write('event: reset\ndata: {}\n\n'),
    }, typeof after === 'string' ? after : undefined);
    const timer = setInterval(() => write(':\n\n'), QUIET);
    stream.on('close', () => {
      clearInterval(timer);
      stop();
      leave();
      streams.delete(stream);
    });
  });
}
