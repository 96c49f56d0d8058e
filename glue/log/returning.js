import { generationAbove, withState } from './register.js';

/** The pause before a member tries again to come back if the register does not decide yet, in milliseconds. */
const RETURN_AGAIN = 50;
/** How often at most, if it shows another log whose `begin` is not delivered. In total, that is longer than a death can be in doubt. */
const RETURNS = 40;

/**
 * How a member stays one after data was cleared (D11), or when another log has begun (D6). The register says which log is right.
 *
 * @param {import('./log.js').Context} context
 * @param {ReturnType<typeof import('./entering.js').createEntering>} entering
 * @param {object} membership
 * @param {(onOpen: () => void) => void} membership.connect
 * @param {() => void} membership.belong this context is in the register again
 * @param {() => void} membership.ask asks for the state
 */
export const createReturning = (context, entering, { connect, belong, ask }) => {
  const { place, replica, own } = context;
  /** How often this context has tried to come back after this wipe; 0 if it is not trying. */
  let attempts = 0;
  /** The highest generation that the register has shown when this context came back. The `anew` that names it may still be on its way. */
  let highest = 0;
  /** How many times another log's `begin` was delivered. */
  let others = 0;
  /**
   * The log's generation when another one began, until the register has shown since then that this context's log is right; Infinity if none
   * has begun, and -1 if this context's log cannot be right.
   */
  let reached = Infinity;
  /** The epoch in the register when this context last came back. */
  let returned = '';
  /**
   * The same, once a hello that this context has posted since was delivered. A member in doubt does not apply the `anew` that would raise
   * its log's generation. But a `begin` behind that hello is void, unless its writer has listened later, and so has written later.
   * While the register shows that epoch, nobody has written another log, nor written it anew. (A generation may come again, if it is ahead
   * of the clock: a member in doubt does not know how far it had grown before data was cleared once more.)
   */
  let shown = '';
  /** [shown] when another log began. */
  let known = '';

  /**
   * A higher generation shows that the register was written anew, but not whether that was before the other log began. Compare with
   * [reached]: this context's own `anew` may have raised the log's generation meanwhile.
   * @param {import('./register.js').RegisterRecord} record read after every `begin` so far
   */
  const isRight = (record) => record.log === replica.log && (record.generation <= reached || record.epoch === known);

  /** Writes this member into the register again, under its new alive name. */
  const comeBack = async () => {
    const { log } = replica;
    const { orderKind: order } = context;
    const before = others;
    const generation = Math.max(generationAbove(Math.max(replica.generation, highest)), place.wallClock());
    const change = Object.assign(context.asSelf(), { order, log, generation, voidLogs: context.begins.voidLogs() });
    const record = await context.connection.transact(context.change('return', change));
    highest = Math.max(highest, record.generation);
    if (others !== before) {
      if (++attempts > RETURNS) context.membership.lost();
      else void comeBack();
    } else if (isRight(record)) {
      attempts = 0;
      reached = Infinity;
      returned = record.epoch;
      context.suspended = false;
      context.post('back', log);
      belong();
      if (!replica.current) {
        ask();
        return;
      }
      // Post this before the operations, so that their fences are above those of any log that has begun meanwhile.
      context.duties.announce(record);
      context.sending.now();
    } else if (reached < Infinity || context.begins.isValid(record.log) || record.order !== order || ++attempts > RETURNS) {
      context.membership.lost();
    } else {
      // That log's `begin` is still on its way, unless its writer has died. This context enters no lock until it knows.
      context.suspended = true;
      context.tellActing();
      for (const { client, alive } of withState(record)) {
        entering.watchOnce(alive, () => void context.connection.transact(context.change('remove', { client, alive })), () => false);
      }
      context.connection.later(comeBack, RETURN_AGAIN);
    }
  };

  const settle = async () => {
    const before = others;
    const record = await context.connection.transact();
    if (!isRight(record)) context.membership.lost();
    else if (others === before) {
      reached = Infinity;
      context.suspended = false;
      context.sending.again();
      context.tellActing();
      context.duties.lookAnew();
      // It has posted no hello while it was overtaken.
      if (!replica.current) ask();
    }
  };

  return {
    /** Another life. */
    reset() {
      attempts = 0;
      reached = Infinity;
      returned = shown = known = '';
      highest = 0;
    },

    /** The connections were closed from outside: data was cleared, a page deletes all databases, or storage has crashed. */
    begin() {
      if (replica.core.last(own.id()) < 0) context.membership.lost();
      else {
        context.alone = false;
        attempts = 1;
        connect(comeBack);
      }
    },

    /** This context is in doubt, and a hello was delivered that it has posted since it last came back. */
    helloDelivered() {
      shown = returned;
    },

    isUnderway: () => attempts > 0,
    isOvertaken: () => reached < Infinity,

    /**
     * Another log has begun.
     * @param {boolean} isReplaced it replaces this context's log. Then its writer acts even if this context has come back meanwhile:
     *   messages of a replaced log do not make the new one void (./begins.js)
     */
    suspend(isReplaced) {
      others++;
      if (isReplaced) known = '';
      else if (reached === Infinity) known = shown;
      reached = isReplaced ? -1 : Math.min(reached, replica.generation);
      context.suspended = true;
      context.alone = false;
      context.tellActing();
      void settle();
    },
  };
};
