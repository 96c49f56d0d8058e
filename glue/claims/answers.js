/**
 * Recognizes the own answers of a claims service. A gateway in front of it may answer in its place, and knows nothing of claims. The
 * service marks its answers (see claims/source/server.js). Those of older services are recognized by their form.
 *
 * @typedef {{status: number, body: any}} Answer [body]: undefined if it is empty or not JSON
 */

/** @param {any} body @returns {string} the id in the address of a claim or session; empty if there is none */
export const idOf = (body) => (/\/v1\/(?:claims|sessions)\/(\d+)\/$/.exec(body && body.url) || ['', ''])[1];

/** The header in each answer of the service. */
export const MARK = 'Lockkeeper-Claims';

/** Whether the answer is complete. A gateway may have cut it off. @param {Answer} answer */
export const isWhole = ({ status, body }) => (status === 204 ? body === undefined : typeof body === 'object' && body !== null);

/** Whether the body is an error in the form of the service's errors.js. @param {any} body */
const isError = (body) => Boolean(body) && typeof body.error === 'string' && Object.keys(body).length === 1;

/** @param {any} body */
const isList = (body) => Array.isArray(body) && body.every((each) => idOf(each) !== '');

/** Whether the answer shows claims or a session. Only a service can send that, with or without the mark. @param {Answer} answer */
export const shows = ({ status, body }) => status < 300 && (idOf(body) !== '' || (isList(body) && body.length > 0));

/**
 * Whether the answer looks like one of a service that does not mark its answers.
 * @param {Answer} answer
 * @param {boolean} [asksForList] whether a list was requested. Only a list is an answer then, and otherwise a list is none
 */
export const looksOwn = ({ status, body }, asksForList = false) => {
  if (status < 300) return status === 204 || (asksForList ? isList(body) : idOf(body) !== '');
  // The body of a 400 names the fault of each parameter, so its form varies.
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

/** Whether the service says that it has nothing at the address of the request. @param {Answer} answer */
export const isNowhere = ({ status, body }) => status === 404 && isError(body) && body.error === 'There is nothing at this address.';

/** @param {any} body of a 400 @returns {boolean} whether the service says that the claim had already ended */
const isFinal = (body) => Boolean(body) && /^The claim is \w+, and that is final\.$/.test(body.status);

/** Whether this answer to a change of a claim's status says that the claim is over. @param {Answer} answer @param {string} id */
export const hasEnded = (answer, id) => (
  answer.status === 204 || (answer.status === 400 && isFinal(answer.body)) || isUnknown(answer, 'claim', id));
