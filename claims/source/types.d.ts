import 'fastify';
import type { Identity } from './auth.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came. */
    bodyText: string;
    /** The service's URL as the client calls it, without a slash at the end. */
    base: string;
    identity: Identity;
    /** It brought nothing that says who asks, and it may only see a page that asks for that. */
    anonymous: boolean;
  }
  interface FastifyContextConfig {
    /** Answered whoever asks. */
    open?: boolean;
    /** A page for a person, who may have to say who asks. */
    page?: boolean;
  }
}
