import { INACTIVE_DOCUMENT, OPAQUE_ORIGIN } from './wording.js';

/**
 * What the standard asks of a request's surroundings before it looks at the request.
 *
 * @typedef {object} Realm what is used of a realm's global object; what some realm lacks is optional
 * @property {typeof DOMException} DOMException
 * @property {typeof AbortSignal} [AbortSignal]
 * @property {typeof AbortController} [AbortController]
 * @property {typeof FinalizationRegistry} [FinalizationRegistry]
 * @property {typeof HTMLIFrameElement} [HTMLIFrameElement]
 * @property {Document} [document]
 * @property {unknown} [LockManager]
 * @property {{locks?: unknown}} [navigator]
 * @property {boolean} [isSecureContext]
 * @property {string} [origin]
 * @property {{protocol: string}} [location]
 * @property {typeof setTimeout} setTimeout
 * @property {typeof clearTimeout} clearTimeout
 * @property {{warn: (message: string) => void}} console
 *
 * @typedef {object} Environment
 * @property {Realm} global the realm's global object
 * @property {typeof DOMException} DOMException read early, since a frame that was removed has none any more
 * @property {Document | undefined} document the document that the script belongs to, where there is one; read early, since the global
 *   follows a navigation
 * @property {boolean} opaque whether it is a sandboxed frame or a data: worker; read once, since it never changes and is slow to read
 */

/**
 * @param {Realm} global
 * @returns {Environment}
 */
export const createEnvironment = (global) => ({
  global,
  document: global.document,
  DOMException: global.DOMException,
  // A page opened from a file says null as well, but has storage.
  opaque: global.origin === 'null' && /** @type {{protocol: string}} */ (global.location).protocol !== 'file:',
});

/** @param {Environment} environment @param {string} name @param {string} message */
export const createException = ({ DOMException }, name, message) => new DOMException(message, name);

/**
 * A document that was removed or navigated away has no window any more, or the window has another document.
 * @param {Environment} environment
 */
const isFullyActive = ({ document }) => {
  if (!document) return true;
  try {
    return /** @type {Window} */ (document.defaultView).document === document;
  } catch {
    return false;
  }
};

/**
 * Throws the standard's exception where no lock manager can be had.
 * @param {Environment} environment
 */
export const checkEnvironment = (environment) => {
  if (!isFullyActive(environment)) throw createException(environment, 'InvalidStateError', INACTIVE_DOCUMENT);
  if (environment.opaque) throw createException(environment, 'SecurityError', OPAQUE_ORIGIN);
};
