import 'fastify';
import type { Identity } from './auth.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came. */
    bodyText: string;
    /** The service's URL as the client calls it, without a slash at the end. */
    base: string;
    identity: Identity;
    /** It has no credentials, and may only see a page that asks for them. */
    anonymous: boolean;
  }
  interface FastifyContextConfig {
    /** Answered without credentials. */
    open?: boolean;
    /** A page for a person, which may have to ask for credentials. */
    page?: boolean;
  }
}
