/** A gateway before a claims service. */
import { once } from 'node:events';
import http from 'node:http';
import { startService } from './service.js';

/**
 * A gateway before a service, which may be replaced. [fail] gives what it answers to a request itself: status, text,
 * and whether it has the mark of the service's own answers; undefined: it asks the service.
 */
async function startGateway(service) {
  const gateway = { service, asked: [], fail: () => undefined, keepsMarks: true };
  const server = http.createServer(async (request, response) => {
    const { method, url, headers } = request;
    let body = '';
    try {
      for await (const data of request) body += data;
    } catch {
      // The client has ended while it asked.
      return;
    }
    const text = `${method} ${url} ${body}`;
    gateway.asked.push(text);
    const [status, said, marks] = gateway.fail(text) ?? [];
    if (status) {
      response.writeHead(status, { location: '/welcome', ...(marks && { 'lockkeeper-claims': '1' }) }).end(said);
      return;
    }
    // An older service, which does not mark its answers, does not look when a claim was created, either.
    const to = gateway.keepsMarks ? url : url.replace(/\?(session_)?created=.*/, '');
    const answer = await fetch(gateway.service.url + to, {
      method, body: body || undefined, redirect: 'manual',
      headers: Object.fromEntries(['content-type', 'idempotency-key'].filter((name) => headers[name]).map((name) => [name, headers[name]])),
    });
    const mark = gateway.keepsMarks && answer.headers.get('lockkeeper-claims');
    response.writeHead(answer.status, mark ? { 'lockkeeper-claims': mark } : {}).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  gateway.url = `http://127.0.0.1:${server.address().port}`;
  gateway.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return gateway;
}

/** [use] with a service, which is started with [options], and a gateway before it. */
export const withGateway = async (use, options) => {
  const service = await startService(options);
  const gateway = await startGateway(service);
  try {
    await use(gateway, service);
  } finally {
    gateway.stop();
    await gateway.service.stop();
    await service.stop();
  }
};
