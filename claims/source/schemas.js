/** The schemas of requests, for Fastify's validation and the OpenAPI document. */
import { badParameters } from './errors.js';

/** The longest name of a resource, in bytes of UTF-8. */
const LONGEST_RESOURCE = 1024;
/** The longest ttl, in seconds: about 31 years. */
const LONGEST_TTL = 1e9;
/** How deeply user_data may be nested. */
export const DEEPEST = 100;

const resource = { type: 'string', minLength: 1, maxLength: LONGEST_RESOURCE };
const ttl = { type: 'number', minimum: 0, maximum: LONGEST_TTL };
const session = { type: 'string', minLength: 1, maxLength: LONGEST_RESOURCE };

export const createBody = {
  type: 'object',
  required: ['resource'],
  additionalProperties: false,
  properties: {
    resource: { anyOf: [resource, { type: 'array', items: resource, minItems: 1, maxItems: 100, uniqueItems: true }] },
    ttl,
    user_data: {},
    mode: { type: 'string', enum: ['exclusive', 'shared'] },
    limit: { type: 'integer', minimum: 1, maximum: 1e6 },
    waiting_ttl: ttl,
    session,
  },
  anyOf: [{ required: ['ttl'] }, { required: ['session'] }],
};

export const sessionBody = { type: 'object', required: ['ttl'], additionalProperties: false, properties: { ttl } };

export const updateBody = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    ttl,
    waiting_ttl: ttl,
    status: { type: 'string', enum: ['active', 'released', 'aborted', 'revoked', 'withdrawn'] },
  },
};

/**
 * A query. A misspelled check or filter would be left out unnoticed, so it is refused.
 * @param {...string} names
 */
const queryOf = (...names) =>
  ({ type: 'object', additionalProperties: false, properties: Object.fromEntries(names.map((name) => [name, {}])) });

/** What Fastify checks in each request that changes something, or follows events. */
export const CREATE_CLAIM = { body: createBody, querystring: queryOf('session_created') };
export const UPDATE_CLAIM = { body: updateBody, querystring: queryOf('created') };
export const CREATE_SESSION = { body: sessionBody, querystring: queryOf() };
export const RENEW_SESSION = { body: sessionBody, querystring: queryOf('created') };
export const END_SESSION = { querystring: queryOf('created') };
export const FOLLOW_EVENTS = { querystring: queryOf('resource') };

/** @type {Record<string, string>} */
const DEMANDS = {
  resource: `Must be a string of 1 to ${LONGEST_RESOURCE} bytes in UTF-8, or a list of up to 100 such strings, all different.`,
  ttl: `Must be a number of seconds, from 0 to ${LONGEST_TTL}.`,
  waiting_ttl: `Must be a number of seconds, from 0 to ${LONGEST_TTL}.`,
  session: 'Must be the url of a session.',
  mode: 'Must be exclusive or shared.',
  limit: 'Must be a whole number from 1 to 1000000.',
  status: `Must be one of ${updateBody.properties.status.enum.join(', ')}.`,
};

/**
 * What is wrong with a body or a query, parameter by parameter.
 * @param {import('fastify').FastifySchemaValidationError[]} errors
 * @returns {Record<string, string>}
 */
export function explain(errors) {
  /** @type {Record<string, string>} */
  const wrong = Object.create(null);
  for (const { keyword, instancePath, params } of errors) {
    const name = instancePath.split('/')[1];
    // One of the two is mandatory. Most clients only need to know of the first.
    if (name === undefined && (keyword === 'anyOf' || params.missingProperty === 'session')) continue;
    if (name !== undefined) wrong[name] = DEMANDS[name];
    else if (keyword === 'required') wrong[`${params.missingProperty}`] = `Mandatory. ${DEMANDS[`${params.missingProperty}`]}`;
    else if (keyword === 'additionalProperties') wrong[`${params.additionalProperty}`] = 'Unknown parameter.';
    else if (keyword === 'minProperties') wrong.status = wrong.ttl = 'One of status, ttl and waiting_ttl is mandatory.';
    else if (keyword === 'maxProperties') wrong.status = wrong.ttl = 'Only one parameter may be updated by a request.';
    else wrong.body = 'Must be a JSON object.';
  }
  return wrong;
}

/**
 * Checks what a schema cannot express.
 * @param {string[]} resources
 */
export function checkResources(resources) {
  if (resources.some((each) => Buffer.byteLength(each) > LONGEST_RESOURCE)) throw badParameters({ resource: DEMANDS.resource });
}
