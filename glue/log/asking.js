/** How soon a context without a current state asks for it again, in milliseconds. Each pause is twice the one before, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After this many hellos without an answer the register is read again: it may have changed although no watched context has died. */
const LOOK_AGAIN = 4;

/**
 * @typedef {object} Early an answer to a hello from before this context was in the register
 * @property {number} clock log time minus this context's clock, in milliseconds
 * @property {string} epoch
 * @property {import('./replica.js').Answer} answer
 *
 * How a context gets the state of a living log (D1): it says hello, keeps what is delivered from then on, and is answered with the state as
 * it was at that hello. And how it answers others.
 *
 * @param {import('./log.js').Context} context
 * @param {ReturnType<typeof import('./resuming.js').createResuming>} resuming
 * @param {() => void} look reads the register again, if nobody answers
 * @param {(kept: import('./messages.js').Message[], registered?: boolean) => void} onState the state is current as soon as the messages
 *   that were [kept] meanwhile are applied; [registered]: the register says that this context has it
 */
export const createAsking = (context, resuming, look, onState) => {
  const { place, replica, own } = context;
  let attempt = 0;
  let cancelHello = () => {};
  /** When the next hello is due. */
  let due = 0;
  /**
   * The nonces of the hellos that are on their way, since this context asks. Those from before messages were lost do not count: one of them
   * may have been among these, and if a frame repeats it, others have answered at another place (D17). Nor does what was said before this
   * context was in the register: a member may have been alone since (D2).
   * @type {Set<string>}
   */
  const underway = new Set();
  /** @type {Early | undefined} */
  let early;

  /** @param {number} reached see ./messages.js */
  const postHello = (reached) => {
    const nonce = place.randomId();
    underway.add(nonce);
    context.post('hello', nonce, attempt, reached, resuming.heard());
  };

  const sayHello = () => {
    cancelHello();
    attempt++;
    // What shows that there is a state would keep newcomers listening: see answer().
    if (!context.membership.isOvertaken()) postHello(replica.stateful ? replica.count + 1 : 0);
    const pause = Math.min(HELLO_AGAIN * 2 ** (attempt - 1), LONGEST);
    due = place.now() + pause;
    cancelHello = context.connection.later(unanswered, pause);
  };

  const unanswered = () => {
    if (replica.stateful) void context.duties.look();
    else if (attempt >= LOOK_AGAIN) look();
    sayHello();
  };

  /** @param {number} now log time @param {Early['answer']} answer @param {boolean} [registered] */
  const take = (now, answer, registered = false) => {
    const hadState = replica.stateful;
    const kept = replica.restore(answer);
    if (!kept) return;
    context.trace('restored', replica.count);
    // A newcomer's log time means nothing, or is that of another log.
    if (hadState) context.clock.heard(now);
    else context.clock.set(now);
    onState(kept, registered);
  };

  const asking = {
    /** Asks for the state while storage opens. */
    beginEarly() {
      early = undefined;
      underway.clear();
      attempt = 1;
      postHello(0);
    },

    /** The state that this context was given already, if there is one. So many messages may have come since that they were not kept. */
    early: () => early && replica.hasCut(early.answer[0]) ? early : undefined,

    /** The register has confirmed its epoch: takes that state. @param {Early} offered @returns {boolean} whether it is current now */
    takeEarly({ clock, answer }) {
      [, replica.log] = answer;
      take(clock + place.now(), answer, true);
      return replica.current;
    },

    /** Asks for the state, until there is one. */
    begin() {
      attempt = 0;
      underway.clear();
      resuming.begin();
      sayHello();
    },

    stop() {
      cancelHello();
      resuming.stop();
      early = undefined;
    },

    /**
     * Asks now if the next hello is due. In a page that has long been hidden, timers fire once a minute, and others may wait for what this
     * context says, or has released.
     */
    overdue() {
      if (replica.stateful && place.now() > due) unanswered();
    },

    /** @param {Early['answer']} answer */
    heardAnswer(answer) {
      const [nonce, , , now, , epoch] = answer;
      if (replica.log) take(now, answer);
      else if (replica.hasCut(nonce)) early = { clock: now - place.now(), epoch, answer };
    },

    /** An own hello was delivered. @param {string} nonce */
    echoed(nonce) {
      if (!underway.delete(nonce) || replica.current) return;
      replica.cut(nonce);
      resuming.echoed(nonce);
    },

    /**
     * Another context asks. A different member answers each attempt, so that a busy member costs little time.
     * @param {string} from
     * @param {import('./messages.js').Hello} hello
     */
    answer(from, hello) {
      if (!replica.stateful) return;
      const [nonce, asked] = hello;
      const { log, count, generation } = replica;
      if (!asked) {
        if (!context.membership.isOvertaken()) context.post('here', log);
      } else if (!replica.current) {
        resuming.helloHeard(from, hello);
        asking.overdue();
      } else if (context.mayAct()) {
        // A member that asks has missed messages, so it is not one of those that answer.
        const members = [...replica.members].filter((client) => client !== from);
        if (!resuming.owes(from) && members[(asked - 1) % members.length] !== own.id()) return;
        const bytes = replica.snapshot();
        // It asks again.
        if (!bytes) return;
        replica.shared = true;
        context.post('state', from, nonce, log, count, context.clock.now(), generation, context.duties.epoch(), bytes);
      }
    },
  };
  return asking;
};
