import 'fastify';
import type { Identity } from './auth.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came. */
    bodyText: string;
    /** The service's URL as the client calls it, without a slash at the end. */
    base: string;
    identity: Identity;
  }
  interface FastifyContextConfig {
    /** Answered whoever asks. */
    open?: boolean;
  }
}
