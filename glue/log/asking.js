/** How soon a context without a current state asks for it again, in milliseconds. Each pause is twice the one before, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After this many hellos without an answer, the register is read again. It may have changed although no watched context has died. */
const LOOK_AGAIN = 4;

/**
 * How a context gets the state of a living log (D1), and how it answers others. It posts `hello`, and keeps what is delivered from its own
 * `hello` on. The answer is the state as it was at that `hello`.
 *
 * @typedef {object} Early an answer to a hello from before this context was in the register
 * @property {number} clock log time minus this context's clock, in milliseconds
 * @property {string} epoch
 * @property {import('./replica.js').Answer} answer
 *
 * @param {import('./log.js').Context} context
 * @param {ReturnType<typeof import('./resuming.js').createResuming>} resuming
 * @param {() => void} look reads the register again, if nobody answers
 * @param {(kept: import('./messages.js').Message[], registered?: boolean) => void} onState the state is current as soon as the [kept]
 *   messages are applied; [registered]: the register already lists this context as stateful
 */
export const createAsking = (context, resuming, look, onState) => {
  const { place, replica, own } = context;
  let attempt = 0;
  let cancelHello = () => {};
  /** When the next hello is due. */
  let due = 0;
  /**
   * The nonces of the hellos on their way, posted since this context began to ask. A hello from before a loss of messages does not count:
   * its delivery may have been lost, and a repeat of it stands at another place than its answers (D17). A hello from before this context
   * was in the register does not count either: a member may have been alone since (D2).
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
    // A hello that shows a state would keep newcomers listening: see answer().
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
    // A newcomer's log time is unset, or is that of another log.
    const time = replica.credible(now);
    if (hadState) context.clock.heard(time);
    else context.clock.set(time);
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

    /** The state that this context has been given already, if any. It is void if too many messages have come since to keep them all. */
    early: () => early && replica.hasCut(early.answer[0]) ? early : undefined,

    /**
     * Takes the early state whose epoch the register has confirmed.
     * @param {Early} offered @param {string} log in the register @returns {boolean} whether it is now current
     */
    takeEarly({ clock, answer }, log) {
      replica.log = log;
      take(clock + place.now(), answer, true);
      return replica.current;
    },

    /** Asks for the state until an answer comes. */
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
     * Asks now if the next hello is due. In a page that has long been hidden, timers fire once a minute. Others may wait for this context's
     * hello, or for a lock that it has released.
     */
    overdue() {
      if (replica.stateful && place.now() > due) unanswered();
    },

    /** @param {Early['answer']} answer */
    heardAnswer(answer) {
      const [nonce, , , now, , epoch] = answer;
      if (replica.log) take(now, answer);
      // Only the first one counts: a frame may repeat it, and change something in it (D17).
      else if (!early && replica.hasCut(nonce)) early = { clock: now - place.now(), epoch, answer };
    },

    /**
     * An own hello was delivered.
     * @param {string} nonce
     * @returns {boolean} whether it counts: this context is in doubt, and has posted the hello since it began to ask
     */
    echoed(nonce) {
      const counts = underway.delete(nonce) && !replica.current;
      if (counts) {
        replica.cut(nonce);
        resuming.echoed(nonce);
      }
      return counts;
    },

    /**
     * Answers another context that asks. A different member answers each attempt, so a busy member delays it only a little.
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
        // A member that asks has missed messages, so it does not count among those that answer.
        const members = [...replica.members].filter((client) => client !== from);
        if (!resuming.owes(from) && members[(asked - 1) % members.length] !== own.id()) return;
        const bytes = replica.snapshot();
        // Out of memory. The other context asks again.
        if (!bytes) return;
        replica.shared = true;
        context.post('state', from, nonce, log, count, context.clock.now(), generation, context.duties.epoch(), bytes);
      }
    },
  };
  return asking;
};
