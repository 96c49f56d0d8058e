import { withState } from './register.js';

/** How soon a member tries again to come back if the register does not decide yet, in milliseconds. */
const RETURN_AGAIN = 50;
/** How often at most, if it shows another log whose `begin` is not delivered. Together that is longer than a death may be doubted. */
const RETURNS = 40;

/**
 * How a member stays one after data was cleared (D11), or when another log has begun (D6). The register says which log is right.
 *
 * @param {import('./log.js').Context} context
 * @param {ReturnType<typeof import('./entering.js').createEntering>} entering
 * @param {object} membership
 * @param {(onOpen: () => void) => void} membership.connect
 * @param {() => void} membership.belong this context is in the register
 * @param {() => void} membership.ask for the state
 */
export const createReturning = (context, entering, { connect, belong, ask }) => {
  const { place, replica, own } = context;
  /** How often this context has tried to come back after a wipe; 0 if it is not trying. */
  let attempts = 0;
  /** Whether another log's `begin` was delivered, and the register has not shown since that this context's log is right. */
  let overtaken = false;

  /** Writes this member into the register again, under its new alive name. */
  const comeBack = async () => {
    const { log } = replica;
    const { orderKind: order } = context;
    const generation = Math.max(replica.generation + 1, place.wallClock());
    const change = Object.assign(context.asSelf(), { order, log, generation, voidLogs: context.begins.voidLogs() });
    const record = await context.connection.transact(context.change('return', change));
    // The register may have been cleared once more since the other log began. Then it cannot tell which log is right.
    if (overtaken) context.membership.lost();
    else if (record.log === log) {
      attempts = 0;
      context.suspended = false;
      context.post('back', log);
      belong();
      if (!replica.current) {
        ask();
        return;
      }
      // Before the operations: then their fences are above those of any log that has begun meanwhile.
      context.duties.announce(record);
      context.sending.now();
    } else if (context.begins.isValid(record.log) || record.order !== order || ++attempts > RETURNS) context.membership.lost();
    else {
      // That log's `begin` is still on its way, unless its writer has died. This context enters nothing until it knows.
      context.suspended = true;
      context.tellActing();
      for (const { client, alive } of withState(record)) {
        entering.watchOnce(alive, () => void context.connection.transact(context.change('remove', { client, alive })), () => false);
      }
      context.connection.later(comeBack, RETURN_AGAIN);
    }
  };

  /** @param {number} reached the log's generation when the other log began @param {boolean} isReplaced see suspend() */
  const settle = async (reached, isReplaced) => {
    const record = await context.connection.transact();
    // A higher generation says that the register was written anew, but not whether that was before the other log began. (By now the log's
    // own may be as high: this context's `anew` may have been delivered meanwhile.)
    if (record.log === replica.log && record.generation <= reached && !isReplaced) {
      overtaken = context.suspended = false;
      context.sending.again();
      context.tellActing();
      context.duties.lookAnew();
      // It has said no hello meanwhile.
      if (!replica.current) ask();
    } else context.membership.lost();
  };

  return {
    /** Another life. */
    reset() {
      attempts = 0;
      overtaken = false;
    },

    /** The connections were closed from outside: by a wipe, by a page that deletes all databases, or because storage broke. */
    begin() {
      if (replica.core.last(own.id()) < 0) context.membership.lost();
      else {
        context.alone = false;
        attempts = 1;
        connect(comeBack);
      }
    },

    isUnderway: () => attempts > 0,
    isOvertaken: () => overtaken,

    /**
     * Another log has begun.
     * @param {boolean} isReplaced in the place of this one. Then its writer acts, though this context may have come back meanwhile and
     *   said so: what is said in a log that is replaced does not make the other one void (./begins.js)
     */
    suspend(isReplaced) {
      overtaken = context.suspended = true;
      context.alone = false;
      context.tellActing();
      void settle(replica.generation, isReplaced);
    },
  };
};
