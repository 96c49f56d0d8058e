/**
 * Authentication. A Fastify plug-in sets request.identity before a route is entered, or sends an answer itself. Any such plug-in will do.
 * There are three here: anonymous, OAuth 2 bearer tokens, and a header that a proxy in front sets (Shibboleth and the like).
 *
 * @typedef {object} Identity
 * @property {string | null} owner of the claims that this identity makes
 * @property {string} [by] it may change the claims of this owner; absent: all
 * @property {boolean} [mayRevoke] whether it may revoke others' claims
 * @property {string[]} [resources] prefixes of the resources that it may claim and revoke; absent: all
 *
 * @typedef {import('fastify').FastifyPluginAsync} Plugin
 * @typedef {import('fastify').FastifyRequest} Request
 */
import { HttpError } from './errors.js';

/** @type {Plugin} */
export const anonymous = authentication(async () => ({ owner: null }));

/**
 * @param {(request: Request) => Promise<Identity>} identify throws an HttpError if it cannot
 * @returns {Plugin}
 */
export function authentication(identify) {
  /** @type {Plugin} */
  const plugin = async (fastify) => {
    fastify.decorateRequest('identity');
    fastify.decorateRequest('anonymous', false);
    fastify.addHook('onRequest', async (request) => {
      const { open, page } = request.routeOptions.config ?? {};
      if (open) return;
      try {
        request.identity = await identify(request);
      } catch (error) {
        // A browser that goes to a page sends no token; the page asks for one.
        const isNavigation = page && request.headers.accept?.includes('text/html') && request.headers.authorization === undefined;
        if (!(isNavigation && error instanceof HttpError && error.statusCode === 401)) throw error;
        request.anonymous = true;
      }
    });
  };
  return unscoped(plugin);
}

/**
 * A plug-in with hooks that apply to all routes, not only to its own.
 * @param {Plugin} plugin
 * @returns {Plugin}
 */
export function unscoped(plugin) {
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/**
 * The prefixes of resources that scopes or groups name.
 * @param {string[]} granted
 * @param {string | undefined} prefix of such a scope; absent: all resources are allowed
 */
export const resourcesOf = (granted, prefix) => (prefix === undefined ? undefined
  : granted.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length)));

/**
 * @param {Identity} identity
 * @param {string[]} resources
 */
export const covers = ({ resources: own }, resources) =>
  own === undefined || resources.every((resource) => own.some((start) => resource.startsWith(start)));

/**
 * @param {string} challenge for WWW-Authenticate
 * @param {string} error
 */
export const unauthorized = (challenge, error) => new HttpError(401, { error }, { 'WWW-Authenticate': challenge });
