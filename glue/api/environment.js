import { needStack } from './stack.js';
import { INACTIVE_DOCUMENT, OPAQUE_ORIGIN } from './wording.js';

/**
 * The standard's checks of the document and the origin, before those of a request.
 *
 * @typedef {object} Realm the members of a global object that are used here; those that some realms lack are optional
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
 * @property {typeof DOMException} DOMException read early, since a removed frame loses it
 * @property {Document | undefined} document the document that the script belongs to, if any; read early, since after a navigation the
 *   global object shows the next document
 * @property {boolean} opaque whether the realm is a sandboxed frame or a data: worker; read once, since it never changes and is slow to
 *   read
 */

/**
 * @param {Realm} global
 * @returns {Environment}
 */
export const createEnvironment = (global) => ({
  global,
  document: global.document,
  DOMException: global.DOMException,
  // A page opened from a file also has the origin null, but it has storage.
  opaque: global.origin === 'null' && /** @type {{protocol: string}} */ (global.location).protocol !== 'file:',
});

/** @param {Environment} environment @param {string} name @param {string} message */
export const createException = ({ DOMException }, name, message) => new DOMException(message, name);

/**
 * After its frame was removed or navigated, a document has no window, or its window has another document.
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
 * Throws the standard's exception if there can be no lock manager here, and the engine's error if the stack is about to end.
 * @param {Environment} environment
 */
export const checkEnvironment = (environment) => {
  needStack();
  if (!isFullyActive(environment)) throw createException(environment, 'InvalidStateError', INACTIVE_DOCUMENT);
  if (environment.opaque) throw createException(environment, 'SecurityError', OPAQUE_ORIGIN);
};
