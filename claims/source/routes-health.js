/** GET /healthz: whether this server accepts operations. */

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{service: import('./service.js').Service}} options
 */
export async function healthRoute(fastify, { service }) {
  fastify.get('/healthz', { config: { open: true } }, async (request, reply) => {
    try {
      if (service.orderer.failure) throw service.orderer.failure;
      await service.orderer.sync();
      const { failure } = service.orderer.checkpointing;
      if (failure) throw new Error(`checkpoints cannot be written: ${failure.message}`);
      return { status: 'ok', place: service.orderer.place };
    } catch (error) {
      return reply.code(503).send({ status: 'failing', error: /** @type {Error} */ (error).message });
    }
  });
}
