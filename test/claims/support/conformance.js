/** Holds an answer against the service's own OpenAPI document. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { document } from '../../../claims/source/openapi.js';

const require = createRequire(new URL('../../../claims/package.json', import.meta.url));
const { Ajv2020 } = require('ajv/dist/2020.js');
const { default: addFormats } = require('ajv-formats');

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'document', ...document });

const templates = Object.keys(document.paths).map((template) => ({
  template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+').replace('.', '\\.')}$`),
}));

/** @type {Set<string>} which operations and statuses have been seen */
export const covered = new Set();

/**
 * @param {string} method
 * @param {string} path without the query
 * @param {Response} response
 * @param {string} text its body
 */
export function conforms(method, path, response, text) {
  const found = templates.find(({ pattern }) => pattern.test(path));
  if (!found || response.status === 308 || !isDecodable(path)) return;
  const operations = document.paths[found.template];
  const others = [401, 405].includes(response.status) && (operations.get ?? operations.post);
  const operation = operations[method === 'HEAD' ? 'get' : method.toLowerCase()] ?? others;
  const where = `${method} ${path} ${response.status}`;
  assert.ok(operation, `${where}: the document has no such operation`);
  const answer = operation.responses[response.status];
  assert.ok(answer, `${where}: the document has no such answer; its body: ${text}`);
  covered.add(`${method.toLowerCase()} ${found.template} ${response.status}`);
  if (!answer.content) return assert.equal(text, '', where);
  const [[type, { schema }]] = Object.entries(answer.content);
  assert.equal(response.headers.get('content-type')?.split(';')[0], type, where);
  for (const name of Object.keys(answer.headers ?? {})) if (name !== 'Link') assert.ok(response.headers.has(name), `${where}: no ${name}`);
  if (type !== 'application/json' || method === 'HEAD') return undefined;
  const validate = compile(schema);
  assert.ok(validate(JSON.parse(text)), `${where}: ${ajv.errorsText(validate.errors)} in ${text}`);
  return undefined;
}

/** @param {string} path */
function isDecodable(path) {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** @type {Map<object, import('ajv').ValidateFunction>} */
const compiled = new Map();

/** @param {object} schema */
function compile(schema) {
  const known = compiled.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
  const validate = ajv.compile(JSON.parse(text));
  compiled.set(schema, validate);
  return validate;
}
