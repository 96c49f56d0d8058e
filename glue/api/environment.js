/**
 * What the standard asks of a request's surroundings before it looks at the request.
 *
 * @typedef {object} Environment
 * @property {any} global the realm's global object
 * @property {any} DOMException read early, since a frame that was removed has none any more
 * @property {any} document the document that the script belongs to, where there is one; read early, since the global follows a navigation
 */

/**
 * @param {any} global
 * @returns {Environment}
 */
export const createEnvironment = (global) => ({ global, document: global.document, DOMException: global.DOMException });

/** @param {Environment} environment @param {string} name @param {string} message */
export const createException = ({ DOMException }, name, message) => new DOMException(message, name);

/**
 * A document that was removed or navigated away has no window any more, or the window has another document.
 * @param {Environment} environment
 */
const isFullyActive = ({ document }) => {
  if (!document) return true;
  try {
    return document.defaultView.document === document;
  } catch {
    return false;
  }
};

/** A sandboxed frame or a data: worker. A page opened from a file says null as well, but has storage. @param {Environment} environment */
const isOpaque = ({ global }) => global.origin === 'null' && global.location.protocol !== 'file:';

/**
 * Throws the standard's exception where no lock manager can be had.
 * @param {Environment} environment
 */
export const checkEnvironment = (environment) => {
  if (!isFullyActive(environment)) throw createException(environment, 'InvalidStateError', 'Inactive document');
  if (isOpaque(environment)) throw createException(environment, 'SecurityError', 'Opaque origin');
};
