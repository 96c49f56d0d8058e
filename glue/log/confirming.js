/**
 * A joiner that was given the state writes that into the register, so that newcomers wait for its death (D2). It is a member once the
 * register shows so. Until its `join` is delivered, it may have to make sure of that once more (D11).
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} belong this context is a member
 */
export const createConfirming = (context, belong) => {
  const { replica, own } = context;
  /** How often it has begun to write. Only the answer to the last time makes it a member. */
  let writes = 0;
  /** Whether the register has shown already that this context has the state. Since then nobody continues the log without it (D10). */
  let isStateful = false;

  const write = async () => {
    const count = ++writes;
    context.phase = 'restored';
    const record = await context.connection.transact(context.change('stateful', { client: own.id(), log: replica.log }));
    if (context.phase !== 'restored') return;
    // If the generation has risen, another context continues the log and may not have waited for this one (D10).
    const hasWaited = isStateful || record.generation <= context.generation;
    const isListed = record.log === replica.log && hasWaited && own.id() in record.members;
    isStateful = isListed;
    if (count !== writes) return;
    if (isListed) belong();
    else context.membership.lost();
  };

  return {
    /** This context has just been given the state. */
    begin() {
      isStateful = false;
      void write();
    },

    /** Enters nothing before the register has shown once more that it lists this context. */
    again() {
      isStateful = isStateful || context.phase === 'member';
      void write();
      context.tellActing();
    },
  };
};
