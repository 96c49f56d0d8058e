/** GET /openapi.json: the interface as a document. The tests check every answer against it. */
import { STATUSES } from './claim.js';
import { QUERY_NAMES } from './filters.js';
import { createBody, sessionBody, updateBody } from './schemas.js';

const text = { type: 'string' };
const seconds = { type: 'number', minimum: 0, description: 'Seconds' };
const secondsOrNull = { type: ['number', 'null'], minimum: 0, description: 'Seconds; null where it does not apply' };
const url = { type: 'string', format: 'uri' };
const time = { type: 'string', format: 'date-time' };
const status = { type: 'string', enum: STATUSES };

const Claim = {
  type: 'object',
  additionalProperties: false,
  required: [
    'url', 'resource', 'status', 'status_history', 'created', 'ttl', 'active_duration', 'waiting_duration', 'user_data', 'mode', 'limit',
    'owner', 'fence', 'waiting_ttl', 'session',
  ],
  properties: {
    url,
    resource: createBody.properties.resource,
    status,
    status_history: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['status', 'timestamp'],
        properties: { status, timestamp: time, by: text },
      },
      description: 'Oldest first; "by" names the user that has revoked it',
    },
    created: time,
    ttl: { ...secondsOrNull, description: 'Seconds that are left; null where the claim is not active, or has its session\'s alone' },
    active_duration: { ...secondsOrNull, description: 'Seconds; frozen at the end; null where it never was active' },
    waiting_duration: { ...seconds, description: 'Seconds; frozen when the claim became active or ended' },
    user_data: { description: 'As it was given; else null' },
    mode: createBody.properties.mode,
    limit: { type: ['integer', 'null'], minimum: 1, description: 'So many claims of the resource may be active at once' },
    owner: { type: ['string', 'null'], description: 'The user that made it, if the service authenticates clients' },
    fence: {
      type: ['integer', 'null'],
      description: 'Grows with every grant: a store that refuses lower ones than it has seen is safe from former owners',
    },
    waiting_ttl: { ...secondsOrNull, description: 'Seconds that it may go on waiting; null where it may for ever, or does not wait' },
    session: { type: ['string', 'null'], format: 'uri', description: 'It ends with its session at the latest' },
  },
};

const urls = { type: 'array', items: url };
const Session = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'created', 'ttl', 'owner', 'active', 'waiting'],
  properties: {
    url,
    created: time,
    ttl: { ...seconds, description: 'Seconds that are left' },
    owner: Claim.properties.owner,
    active: { ...urls, description: 'Its claims that are' },
    waiting: { ...urls, description: 'Its claims that are' },
  },
};

const ErrorBody = { type: 'object', additionalProperties: false, required: ['error'], properties: { error: text } };
const Conflict = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'url'],
  properties: { status: text, url: { ...url, description: 'The claim that blocks this one' } },
};
const ParameterErrors = { type: 'object', minProperties: 1, additionalProperties: text, description: 'What is wrong, by parameter' };

const schemas = { Claim, Session, Error: ErrorBody, ParameterErrors, Conflict };

/** @param {keyof typeof schemas} name */
const reference = (name) => ({ $ref: `#/components/schemas/${name}` });

const header = (/** @type {string} */ description) => ({ description, schema: text });
const MARK = { 'Lockkeeper-Claims': header('In every answer of the service: a gateway that answers in its place does not have it') };

/**
 * @param {string} description
 * @param {object} schema
 * @param {object} [headers]
 */
const json = (description, schema, headers) => (
  { description, headers: { ...MARK, ...headers }, content: { 'application/json': { schema } } });

/**
 * @param {string} description
 * @param {string} type
 */
const other = (description, type) => ({ description, headers: MARK, content: { [type]: { schema: text } } });

const empty = (/** @type {string} */ description) => ({ description, headers: MARK });

const refusals = {
  400: json('Something is wrong with the request', { anyOf: [reference('ParameterErrors'), reference('Error')] }),
  401: json('The client is not authenticated', reference('Error'), { 'WWW-Authenticate': header('How to authenticate') }),
  405: json('Not allowed at this address', reference('Error'), { Allow: header('What is') }),
  503: json('Not done, or not known to be done; try again', reference('Error'), { 'Retry-After': header('Seconds') }),
};
const tooMany = {
  429: json('You have as many open claims, long lists or waits as you may', reference('Error'), { 'Retry-After': header('Seconds') }),
};
const bodyRefusals = {
  413: json('The body is too long', reference('Error')),
  415: json('The body is not application/json', reference('Error')),
};
const readRefusals = { 401: refusals[401], 405: refusals[405], 503: refusals[503] };
const noSession = { 404: json('No such session, or not any more', reference('Error')) };
const notOwn = { 403: json('The session is another\'s', reference('Error')) };
const notFound = { 404: json('No such claim', reference('Error')) };
const id = { name: 'id', in: 'path', required: true, schema: text };

/**
 * @param {string} name
 * @param {object} schema
 * @param {string} [description]
 */
const query = (name, schema, description) => ({ name, in: 'query', schema, description });

const created = query('created', time, 'Only if it was created then: a service that has lost its data gives the same ids to others');
const sessionCreated = query('session_created', time, 'Only if the session was created then');

/** @param {object} schema */
const body = (schema) => ({ required: true, content: { 'application/json': { schema } } });

/** @param {string} name */
function filter(name) {
  if (name === 'status') return query(name, status);
  if (name.endsWith('_created')) return query(name, { anyOf: [time, { type: 'string', format: 'date' }] }, 'Inclusive');
  if (name === 'resource') return query(name, { ...text, minLength: 1 });
  if (name === 'limit' || name === 'offset') return query(name, { type: 'integer', minimum: name === 'limit' ? 1 : 0 });
  return query(name, { type: 'number' }, 'Seconds, inclusive');
}

/**
 * @param {string} state
 * @param {Record<string, object>} facts
 */
const health = (state, facts) => ({
  type: 'object',
  additionalProperties: false,
  required: ['status', ...Object.keys(facts)],
  properties: { status: { const: state }, ...facts },
});

const SECURITY = { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } };

export const document = {
  openapi: '3.1.0',
  info: { title: 'Claims', version: '1', description: 'Exclusive and shared claims to named resources, each with a time to live.' },
  paths: {
    '/v1/claims/': {
      get: {
        operationId: 'listClaims',
        summary: 'List claims in the order of their creation',
        parameters: QUERY_NAMES.map(filter),
        responses: {
          200: json('The claims that pass all filters', { type: 'array', items: reference('Claim') }, {
            Link: header('With limit or offset: first, last, prev, next'),
          }),
          ...tooMany, ...refusals,
        },
      },
      post: {
        operationId: 'createClaim',
        summary: 'Claim resources',
        parameters: [{
          name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 },
          description: 'A repetition with the same key makes no second claim while the first is open. '
            + 'The last 10,000 keys are also known afterwards, for a day.',
        }, sessionCreated],
        requestBody: body(createBody),
        responses: {
          201: json('The claim is active', reference('Claim'), { Location: header('The claim') }),
          202: json('The claim is waiting', reference('Claim'), { Location: header('The claim') }),
          403: json('The session is another\'s', reference('Error')),
          409: json('The claim that the Idempotency-Key made is not kept any more', reference('Error')),
          422: json('The Idempotency-Key was used for another request', reference('Error')),
          ...tooMany,
          ...refusals,
          ...bodyRefusals,
        },
      },
    },
    '/v1/claims/{id}/': {
      parameters: [id],
      get: {
        operationId: 'getClaim',
        summary: 'One claim',
        parameters: [
          query('wait', { type: 'number', minimum: 0, maximum: 300 }, 'Answer when the status changes, or after so many seconds'),
          query('while', { type: 'string', enum: ['waiting', 'active'] }, 'With wait: the status it changes from; else the present one'),
        ],
        responses: { 200: json('The claim', reference('Claim')), ...notFound, ...tooMany, ...refusals },
      },
      patch: {
        operationId: 'updateClaim',
        summary: 'Update the ttl, the waiting_ttl or the status',
        parameters: [created],
        requestBody: body(updateBody),
        responses: {
          200: json('The claim', reference('Claim')),
          204: empty('The claim is over'),
          403: json('The claim is another\'s', reference('Error')),
          409: json('Another claim blocks this one', reference('Conflict')),
          ...notFound,
          ...refusals,
          ...bodyRefusals,
        },
      },
    },
    '/v1/sessions/': {
      post: {
        operationId: 'createSession',
        summary: 'Begin a session: a time to live that several claims share',
        requestBody: body(sessionBody),
        responses: {
          201: json('The session', reference('Session'), { Location: header('The session') }), ...tooMany, ...refusals, ...bodyRefusals,
        },
      },
    },
    '/v1/sessions/{id}/': {
      parameters: [id],
      get: {
        operationId: 'getSession',
        summary: 'One session',
        responses: { 200: json('The session', reference('Session')), ...noSession, ...readRefusals },
      },
      patch: {
        operationId: 'renewSession',
        summary: 'Renew a session, and so all its claims',
        parameters: [created],
        requestBody: body(sessionBody),
        responses: { 200: json('The session', reference('Session')), ...notOwn, ...noSession, ...refusals, ...bodyRefusals },
      },
      delete: {
        operationId: 'endSession',
        summary: 'End a session: its active claims are released, and its waiting ones withdrawn; those of another\'s are revoked',
        parameters: [created],
        responses: { 204: empty('The session is over'), ...notOwn, ...noSession, ...refusals, ...bodyRefusals },
      },
    },
    '/v1/events': {
      get: {
        operationId: 'events',
        summary: 'All changes of status as they happen, as Server-Sent Events: the event is the new status, its data the claim',
        parameters: [
          query('resource', { ...text, minLength: 1 }, 'Only claims of this resource'),
          { name: 'Last-Event-ID', in: 'header', schema: text, description: 'Events after it are sent again, or "reset" if it is too old' },
        ],
        responses: { 200: other('The stream', 'text/event-stream'), ...tooMany, ...refusals },
      },
    },
    '/healthz': {
      get: {
        operationId: 'health',
        summary: 'Can this server take operations?',
        security: [],
        responses: {
          200: json('It can', health('ok', { place: { type: 'integer', description: 'The last entry of the log' } })),
          503: json('It cannot', health('failing', { error: text })),
          405: refusals[405],
        },
      },
    },
    '/metrics': {
      get: {
        operationId: 'metrics',
        summary: 'For Prometheus',
        responses: { 200: other('Metrics', 'text/plain'), 401: refusals[401], 405: refusals[405] },
      },
    },
    '/openapi.json': {
      get: {
        operationId: 'document',
        summary: 'This document',
        security: [], responses: { 200: json('It', { type: 'object' }), 405: refusals[405] },
      },
    },
    '/': {
      get: {
        operationId: 'statusPage',
        summary: 'The queues, for a person',
        responses: { 200: other('A page', 'text/html'), 401: refusals[401], 405: refusals[405], 503: refusals[503] },
      },
    },
  },
  components: { schemas, securitySchemes: SECURITY },
  security: [{}, { bearer: [] }],
};

/** @param {import('fastify').FastifyInstance} fastify */
export async function openApiRoute(fastify) {
  fastify.get('/openapi.json', { config: { open: true } }, async () => document);
}
