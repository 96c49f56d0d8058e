/**
 * Which answers are a claims service's own. A gateway before the service may answer in its place, and knows nothing of claims.
 * The service marks its answers (see claims/source/server.js). Those of older services have to be told by their form.
 *
 * @typedef {{status: number, body: any}} Answer [body]: undefined if it is empty or no JSON
 */

/** @param {any} body @returns {string} the id in the address of a claim or session; empty if there is none */
export const idOf = (body) => (/\/v1\/(?:claims|sessions)\/(\d+)\/$/.exec(body && body.url) || ['', ''])[1];

/** The header that the service has in each answer. */
export const MARK = 'Lockkeeper-Claims';

/** Whether it has arrived as the service sends answers. A gateway may have cut it off. @param {Answer} answer */
export const isWhole = ({ status, body }) => (status === 204 ? body === undefined : typeof body === 'object' && body !== null);

/** Whether it is an error of the service, as its errors.js makes them. @param {any} body */
const isError = (body) => Boolean(body) && typeof body.error === 'string' && Object.keys(body).length === 1;

/** @param {any} body */
const isList = (body) => Array.isArray(body) && body.every((each) => idOf(each) !== '');

/** Whether it shows claims or a session, as only a service can, whether it marks its answers or not. @param {Answer} answer */
export const shows = ({ status, body }) => status < 300 && (idOf(body) !== '' || (isList(body) && body.length > 0));

/**
 * Whether it looks like an answer of a service that does not mark them.
 * @param {Answer} answer
 * @param {boolean} [asksForList] anything else is no answer then, and a list is none otherwise
 */
export const looksOwn = ({ status, body }, asksForList = false) => {
  if (status < 300) return status === 204 || (asksForList ? isList(body) : idOf(body) !== '');
  // A 400 names what was wrong with each parameter.
  return status === 400 || (isError(body) && (status !== 404 || body.error.startsWith('There is no ')));
};

/**
 * Whether the service says that it has no such claim or session.
 * @param {Answer} answer
 * @param {'claim' | 'session'} kind
 * @param {string} id
 */
export const isUnknown = ({ status, body }, kind, id) => (
  status === 404 && isError(body) && body.error.startsWith(`There is no ${kind} ${id}`));

/** @param {any} body of a 400 @returns {boolean} whether the service says that a claim ended before */
const isFinal = (body) => Boolean(body) && /^The claim is \w+, and that is final\.$/.test(body.status);

/** Whether this answer to a change of its status says that the claim is over. @param {Answer} answer @param {string} id */
export const hasEnded = (answer, id) => (
  answer.status === 204 || (answer.status === 400 && isFinal(answer.body)) || isUnknown(answer, 'claim', id));
