import { createAsking } from './asking.js';
import { createConfirming } from './confirming.js';
import { createConnection, once } from './connection.js';
import { createEntering } from './entering.js';
import { createResuming } from './resuming.js';
import { createReturning } from './returning.js';

/**
 * How a context becomes a member, stays one through wipes, and leaves. The phases:
 *
 * - left: takes no part
 * - asking: has no state; enters the register, and asks for the state or begins a fresh log
 * - begun: has written a fresh log into the register; its `begin` is on the way
 * - restored: has the state, and takes part, but enters no lock yet: the register does not list it as stateful yet
 * - member
 *
 * @typedef {'left' | 'asking' | 'begun' | 'restored' | 'member'} Phase
 * @typedef {ReturnType<typeof createMembership>} Membership
 *
 * @param {import('./log.js').Context} context
 * @param {() => import('../core/types.js').Core | Promise<import('../core/types.js').Core>} openCore
 * @param {() => import('../platform/place.js').Order} openOrder of the context's kind of order
 */
export const createMembership = (context, openCore, openOrder) => {
  const { place, replica, own } = context;

  const openCoreOnce = once(async () => openCore(), (core) => {
    replica.core = core;
  });

  /** @param {() => void} onOpen */
  const connect = (onOpen) => {
    const previous = context.connection;
    entering.connected();
    context.duties.reset();
    context.connection = createConnection(place, place.createAliveName(), openCoreOnce, onOpen, () => on('connectionLost'), previous);
  };

  const ask = () => asking.begin();

  const entering = createEntering(context, {
    /** The order of the log in the register may have another maker than the one to which this context listens. */
    follow(order) {
      if (!order || order === context.orderKind) return false;
      context.order.close();
      context.orderKind = order;
      context.order = openOrder();
      return true;
    },
    early: () => asking.early(),
    confirmed(early, log) {
      if (!asking.takeEarly(early, log)) membership.lost();
    },
    ask,
    begun(record, over) {
      asking.stop();
      replica.await(record.log);
      context.phase = 'begun';
      context.post('begin', record.log, record.generation, over);
      context.sending.again();
    },
  });

  /** @param {import('./messages.js').Message[]} kept @param {boolean} [registered] */
  const onState = (kept, registered) => {
    const { connection } = context;
    asking.stop();
    if (context.phase === 'asking') {
      entering.stop();
      if (registered) belong();
      else confirming.begin();
    } else {
      compare();
      context.duties.lookAnew();
    }
    for (const message of kept) if (connection === context.connection) context.handle(message);
    if (connection !== context.connection) return;
    context.sending.again();
    context.tellActing();
  };

  const resuming = createResuming(context, onState);
  const asking = createAsking(context, resuming, () => void entering.advance(), onState);

  const belong = () => {
    context.phase = 'member';
    context.tellActing();
    context.duties.lookAnew();
  };

  const confirming = createConfirming(context, belong);
  const returning = createReturning(context, entering, { connect, belong, ask });

  /** R7: the state was replaced. */
  const compare = () => {
    const state = replica.state();
    const last = replica.core.last(own.id());
    // Either the state lacks entries that this context has acted upon, because others have continued without it after a wipe of the store;
    // or there is too little memory to compare.
    if (!state || Math.max(last, 0) < own.lastDelivered()) membership.lost();
    else if (last >= 0) {
      own.operationDelivered(last);
      own.compare(state, replica.core.foresee(own.outstanding()));
    }
  };

  /** This context's `begin` was delivered and counts: its fresh log begins. */
  const beginLog = () => {
    entering.forget();
    replica.begin(context.generation);
    // Out of memory.
    if (!replica.current) return;
    context.clock.set(0);
    belong();
  };

  /** This context's `begin` is void: an older log lives. */
  const withdraw = async () => {
    await context.connection.transact(context.change('withdraw', { log: replica.log }));
    membership.lost();
  };

  const doubt = () => {
    replica.doubt();
    context.alone = false;
    context.tellActing();
    ask();
  };

  /** Messages were lost. If this context's `join` was not delivered before, an `anew` may be among them (see anewHeard). */
  const missed = () => {
    if (replica.core.last(own.id()) < 0) confirming.again();
    doubt();
  };

  /** Asks anew: answers to earlier hellos no longer count. */
  const askAgain = () => {
    replica.await(replica.log);
    if (replica.log) ask();
    else asking.beginEarly();
  };

  const askAnew = () => {
    if (entering.beginning()) {
      // The missed messages may make that log void for everybody else (D11).
      membership.lost();
      return;
    }
    entering.listenAnew();
    askAgain();
  };

  const lose = () => membership.lost();

  /**
   * The reaction to each event in each phase. A phase that is not listed ignores the event.
   * @type {Record<string, Partial<Record<Phase, (isReplaced: boolean) => void>>>}
   */
  const reactions = {
    connectionLost: { asking: lose, begun: lose, restored: lose, member: returning.begin },
    gap: { asking: askAnew, begun: lose, restored: missed, member: missed },
    otherResume: { asking: askAgain, restored: doubt, member: doubt },
    ownBegin: { begun: beginLog },
    ownBeginVoid: { begun: withdraw },
    thisBegin: { asking: ask },
    otherBegin: { asking: entering.advance, begun: returning.suspend, restored: returning.suspend, member: returning.suspend },
  };

  /** @param {string} event @param {boolean} [isReplaced] the other log replaces this one */
  const on = (event, isReplaced = false) => {
    const reaction = reactions[event][context.phase];
    if (reaction) reaction(isReplaced);
  };

  /**
   * Ends this client.
   * @param {boolean} hurried the page ends or enters the back-forward cache, so no new storage transaction may begin
   */
  const end = (hurried) => {
    // Force-releases sent in phase 'begun' have had no effect, since nobody has that log's state. So the next life repeats them.
    if (context.phase !== 'begun') own.forgetForced(context.sending.sent());
    if (context.phase !== 'asking') context.sending.gone(own.id());
    entering.stop();
    asking.stop();
    const fresh = context.phase === 'begun' ? replica.log : entering.beginning();
    const change = fresh ? context.change('withdraw', { log: fresh }) : context.change('remove', context.asSelf());
    context.connection.close(hurried ? undefined : change);
    context.duties.endLife();
    place.endLife();
    context.alone = false;
  };

  const membership = {
    start() {
      // This comes first, since it may throw.
      if (context.phase === 'left') context.order = openOrder();
      context.phase = 'asking';
      context.suspended = false;
      returning.reset();
      own.begin(place.randomId());
      context.sending.begin();
      replica.await('');
      // Storage takes longest, so it opens before anything is posted.
      connect(entering.advance);
      entering.begin();
      asking.beginEarly();
    },

    /** Messages to this context were lost, or its state differs from that of others: it must be given the state again. */
    gap: () => on('gap'),

    /** Another context has posted `resume` (D10): earlier hellos and answers no longer count. */
    startOver: () => on('otherResume'),

    /** @param {string} from @param {import('./messages.js').Hello} hello */
    helloHeard(from, hello) {
      if (from !== own.id()) {
        asking.answer(from, hello);
        return;
      }
      const [nonce, attempt] = hello;
      if (attempt) {
        if (asking.echoed(nonce)) returning.helloDelivered();
      } else entering.echoed(nonce);
      // Compile the core only now, since that keeps the thread busy. By now the browser has decided whether storage is allowed, and others
      // have received the hello and can answer meanwhile.
      openCoreOnce().catch(() => {});
    },

    /** @param {string} to @param {import('./replica.js').Answer} answer */
    stateHeard(to, answer) {
      resuming.stateHeard(answer[1], to);
      if (to === own.id()) asking.heardAnswer(answer);
    },

    resumeHeard: resuming.resumeHeard,
    /** This context is in doubt. */
    registerRead: resuming.registerRead,

    /** An entry was delivered to a context in doubt. @param {string} from */
    entryHeard(from) {
      resuming.entryHeard(from);
      asking.overdue();
    },

    /** @param {string} from @param {string} log @param {string} over */
    beginHeard(from, log, over) {
      const isValid = context.begins.isValid(log);
      if (log === replica.log && from === own.id()) on(isValid ? 'ownBegin' : 'ownBeginVoid');
      else if (isValid) on(log === replica.log ? 'thisBegin' : 'otherBegin', over === replica.log);
    },

    /** A context with state has posted something. The log is given if it is known. */
    lifeHeard: entering.lifeHeard,
    lifeEnded: entering.lifeEnded,
    hasSpoken: entering.hasSpoken,

    /**
     * D11: another context has written the register anew. If this context's `join` comes later, and its record was in an earlier register,
     * it counts as dead. Its `join` is refused because of its generation, unless the clock has gone back. So look once more.
     * @param {string} log @param {number} generation @param {string} epoch
     */
    anewHeard(log, generation, epoch) {
      const { phase } = context;
      if (phase === 'left' || phase === 'begun' || (replica.log && log !== replica.log)) return;
      if (phase !== 'asking' && replica.core.last(own.id()) >= 0) return;
      if (!entering.anewHeard(generation, epoch)) return;
      if (phase === 'asking') entering.readAnew();
      else confirming.again();
    },

    isOvertaken: returning.isOvertaken,
    isReturning: returning.isUnderway,

    /** This context is no longer a member, or has lost its state. Its locks are lost, and it joins anew as another client. */
    lost() {
      own.lose(false);
      end(false);
      membership.start();
      context.tellSoon();
    },

    /** Leaves: all its held and pending requests end as lost. A later request joins anew. @param {boolean} hurried see end() */
    leave(hurried) {
      if (context.phase === 'left') return;
      own.lose(true);
      // The creation of storage cannot be cancelled (glue/order/broadcast.js).
      const lingers = hurried && !context.connection.isConnected();
      end(hurried);
      context.phase = 'left';
      entering.forget();
      replica.await('');
      context.order.close(lingers);
      context.tellSoon();
    },
  };
  return membership;
};
