/**
 * Who asks. A Fastify plug-in sets request.identity before a route is entered, or answers itself. Any plug-in that does so will do; here
 * are three: nobody in particular, OAuth 2 bearer tokens, and a header that a proxy in front sets (Shibboleth and the like).
 *
 * @typedef {object} Identity
 * @property {string | null} owner of the claims that this one makes
 * @property {string} [by] who may change his own claims alone; absent: anybody's
 * @property {boolean} [mayRevoke] others' claims, too
 * @property {string[]} [resources] the beginnings of those that it may claim, and revoke; absent: all
 *
 * @typedef {import('fastify').FastifyPluginAsync} Plugin
 * @typedef {import('fastify').FastifyRequest} Request
 */
import { HttpError } from './errors.js';

/** @type {Plugin} */
export const anonymous = authentication(async () => ({ owner: null }));

/**
 * @param {(request: Request) => Promise<Identity>} identify throws an HttpError where it cannot
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
 * A plug-in whose hooks are for all routes, not for its own alone.
 * @param {Plugin} plugin
 * @returns {Plugin}
 */
export function unscoped(plugin) {
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/**
 * The beginnings of resources that scopes or groups name.
 * @param {string[]} granted
 * @param {string | undefined} prefix of such a scope; absent: all resources are everybody's
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
