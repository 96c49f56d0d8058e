/** GET /: a page that shows the queues. It works without scripts; with them it follows the events. */
import { readFileSync } from 'node:fs';
import { remainingTtl, waitingDuration, activeDuration } from './claim.js';

/** @typedef {import('./claim.js').Claim} Claim */

const MOST_RESOURCES = 200;
const MOST_CLAIMS = 20;

const read = (/** @type {string} */ name) => readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8');
const STYLE = read('style.css');
const SCRIPT = read('follow.js');

const POLICY = [
  "default-src 'none'", "style-src 'unsafe-inline'", "script-src 'unsafe-inline'", "connect-src 'self'", "frame-ancestors 'none'",
].join('; ');

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{service: import('./service.js').Service}} options
 */
export async function statusPage(fastify, { service }) {
  fastify.get('/', { config: { page: true } }, async (request, reply) => {
    reply.headers({
      'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': POLICY,
    });
    if (request.anonymous) return reply.code(401).header('WWW-Authenticate', 'Bearer').send(frame(SIGN_IN));
    await service.orderer.sync();
    return frame(queues(service));
  });
}

const SIGN_IN = `<form id="sign-in"><p><label>Bearer token <input type="password" name="token" required></label>
<button>Show the claims</button>
<p><small>It stays in this tab.</small></form>`;

/** @param {string} content */
const frame = (content) => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Claims</title><style>${STYLE}</style><h1>Claims</h1><p id="note" role="status"></p><main>
${content}</main>
<script>${SCRIPT}</script></html>`;

/** @param {import('./service.js').Service} service */
function queues(service) {
  const now = service.clock.now();
  const { counts } = service.register;
  const { queues: byResource } = service.machine;
  const rows = [];
  for (const [resource, claims] of byResource) {
    if (rows.length === MOST_RESOURCES) break;
    rows.push(row(resource, claims, now));
  }
  const more = byResource.size - rows.length;
  return `<p>${counts.active} active, ${counts.waiting} waiting, ${counts.final} over; ${byResource.size} resources in use.</p>
${rows.length === 0 ? '<p>Nothing is claimed.</p>' : `<table><thead><tr><th>Resource<th>Active<th>Waiting, in order<tbody>
${rows.join('\n')}</table>`}
${more > 0 ? `<p>And ${more} more resources: see <a href="/v1/claims/?status=active">the list</a>.</p>` : ''}
<p><small>As of ${new Date().toISOString()}, entry ${service.orderer.place} of the log.
<a href="/v1/claims/">claims</a> · <a href="/metrics">metrics</a> · <a href="/openapi.json">OpenAPI</a></small></p>`;
}

/**
 * @param {string} resource
 * @param {Set<Claim>} claims
 * @param {number} now
 */
function row(resource, claims, now) {
  /** @type {Record<string, string[]>} */
  const cells = { active: [], waiting: [] };
  const count = { active: 0, waiting: 0 };
  for (const claim of claims) {
    const { status } = claim;
    if (status !== 'active' && status !== 'waiting') continue;
    count[status] += 1;
    if (count[status] <= MOST_CLAIMS) cells[status].push(cell(claim, now));
  }
  for (const status of /** @type {const} */ (['active', 'waiting'])) {
    if (count[status] > MOST_CLAIMS) cells[status].push(`and ${count[status] - MOST_CLAIMS} more`);
  }
  return `<tr><td>${escape(resource)}<td>${cells.active.join('<br>')}<td>${cells.waiting.join('<br>')}`;
}

/**
 * @param {Claim} claim
 * @param {number} now
 */
function cell(claim, now) {
  const left = remainingTtl(claim, now);
  const facts = claim.status === 'active'
    ? `for ${activeDuration(claim, now)?.toFixed(1)} s, ${left === null ? `with session ${claim.session}` : `${left.toFixed(1)} s left`}`
    : `for ${waitingDuration(claim, now).toFixed(1)} s`;
  const link = `<a class="${claim.status}" href="/v1/claims/${claim.id}/">${claim.id}</a>`;
  const owner = claim.owner === null ? '' : ` ${escape(claim.owner)}`;
  return `${link}${owner}${claim.mode === 'shared' ? ' shared' : ''} <small>${facts}</small>`;
}

/** @param {string} text */
const escape = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
