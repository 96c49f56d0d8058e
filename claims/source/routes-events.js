/** GET /v1/events: all changes as they happen, as Server-Sent Events. */
import { badParameters } from './errors.js';
import { render } from './representation.js';
import { FOLLOW_EVENTS } from './schemas.js';

/** Comments keep proxies from closing a quiet stream. */
const QUIET = 15_000;

/** A client may leave so many bytes of a burst unread. Then further events wait until it has read them. */
const MOST_UNREAD = 2 ** 20;

/**
 * The text of the last event, since all followers get it, one after the other.
 * @type {{event?: object, base: string, text: string}}
 */
let last = { base: '', text: '' };

/**
 * @param {import('./hub.js').ClaimEvent} event
 * @param {string} base
 */
function textOf(event, base) {
  if (last.event === event && last.base === base) return last.text;
  // In JSON a line break is white space; in an event it would end the line.
  const data = render(event.view, base).replace(/[\r\n]/g, ' ');
  last = { event, base, text: `id: ${event.id}\nevent: ${event.view.status}\ndata: ${data}\n\n` };
  return last.text;
}

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{service: import('./service.js').Service, listeners: import('./listeners.js').Listeners}} options
 */
export async function eventRoutes(fastify, { service, listeners }) {
  /** What ends each stream. @type {Set<() => void>} */
  const streams = new Set();
  fastify.addHook('preClose', async () => {
    for (const end of streams) end();
  });

  fastify.get('/v1/events', { exposeHeadRoute: false, schema: FOLLOW_EVENTS }, async (request, reply) => {
    const { resource } = /** @type {Record<string, string | string[]>} */ (request.query);
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
    stream.write('retry: 1000\n\n');
    const { resume, stop } = service.hub.follow({
      onEvent: (event, isNewest) => {
        if (resource !== undefined && !event.view.resources.includes(resource)) return true;
        // A client that comes back reads at its own pace. Its texts are not those of the others.
        return stream.write(textOf(event, base)) || (isNewest && stream.writableLength < MOST_UNREAD);
      },
      onReset: () => void stream.write('event: reset\ndata: {}\n\n'),
      // It may reconnect with Last-Event-ID, and is told that it has missed some.
      onLost: () => stream.destroy(),
    }, typeof after === 'string' ? after : undefined);
    const end = () => {
      stop();
      stream.end();
    };
    streams.add(end);
    stream.on('drain', resume);
    const timer = setInterval(() => stream.writableNeedDrain || stream.write(':\n\n'), QUIET);
    stream.on('close', () => {
      clearInterval(timer);
      stop();
      leave();
      streams.delete(end);
    });
  });
}
