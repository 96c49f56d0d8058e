/** What request bodies may be: for Fastify's validation and for the OpenAPI document. */

const resource = { type: 'string', minLength: 1 };

export const createBody = {
  type: 'object',
  required: ['resource', 'ttl'],
  additionalProperties: false,
  properties: {
    resource: { anyOf: [resource, { type: 'array', items: resource, minItems: 1, maxItems: 100, uniqueItems: true }] },
    ttl: { type: 'number', minimum: 0 },
    user_data: {},
    mode: { type: 'string', enum: ['exclusive', 'shared'] },
  },
};

export const updateBody = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    ttl: { type: 'number', minimum: 0 },
    status: { type: 'string', enum: ['active', 'released', 'aborted', 'revoked', 'withdrawn'] },
  },
};

/** @type {Record<string, string>} */
const DEMANDS = {
  resource: 'Must be a string of at least one character, or a list of up to 100 such strings, all different.',
  ttl: 'Must be a number of seconds, 0 or more.',
  mode: 'Must be exclusive or shared.',
  status: `Must be one of ${updateBody.properties.status.enum.join(', ')}.`,
};

/**
 * What is wrong with a body, parameter by parameter.
 * @param {import('fastify').FastifySchemaValidationError[]} errors
 * @returns {Record<string, string>}
 */
export function explain(errors) {
  /** @type {Record<string, string>} */
  const wrong = Object.create(null);
  for (const { keyword, instancePath, params } of errors) {
    const name = instancePath.split('/')[1];
    if (name !== undefined) wrong[name] = DEMANDS[name];
    else if (keyword === 'required') wrong[`${params.missingProperty}`] = `Mandatory. ${DEMANDS[`${params.missingProperty}`]}`;
    else if (keyword === 'additionalProperties') wrong[`${params.additionalProperty}`] = 'Unknown parameter.';
    else if (keyword === 'minProperties') wrong.status = wrong.ttl = 'One of status and ttl is mandatory.';
    else if (keyword === 'maxProperties') wrong.status = wrong.ttl = 'Only one parameter may be updated by a request.';
    else wrong.body = 'Must be a JSON object.';
  }
  return wrong;
}
