import { createAsking } from './asking.js';
import { createConnection, once } from './connection.js';
import { createEntering } from './entering.js';
import { createResuming } from './resuming.js';
import { createReturning } from './returning.js';

/**
 * Becoming a member, staying one through wipes, and ceasing to be one. The phases:
 *
 * - left: takes no part
 * - asking: has no state; enters the register, and asks for the state or begins a fresh log
 * - begun: has written a fresh log into the register; its `begin` is on the way
 * - restored: has the state, and takes part; that it has is being written into the register. It enters no lock yet.
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
    /** A log lives, or has begun. Its order may have another maker than the one that this context listens to. */
    follow(order) {
      if (!order || order === context.orderKind) return false;
      context.order.close();
      context.orderKind = order;
      context.order = openOrder();
      return true;
    },
    early: () => asking.early(),
    confirmed(early) {
      if (!asking.takeEarly(early)) membership.lost();
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
      else void becomeStateful();
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

  /** With the state comes the right to be waited for. */
  const becomeStateful = async () => {
    context.phase = 'restored';
    const record = await context.connection.transact(context.change('stateful', { client: own.id(), log: replica.log }));
    if (context.phase !== 'restored') return;
    // If the generation was raised before, another context continues the log, and did not have to wait for this one (D10).
    if (record.log === replica.log && record.generation <= context.generation && own.id() in record.members) belong();
    else membership.lost();
  };

  const belong = () => {
    context.phase = 'member';
    context.tellActing();
    void context.duties.look();
  };

  const returning = createReturning(context, entering, { connect, belong, ask });

  /** R7: the state was replaced. */
  const compare = () => {
    const state = replica.state();
    const last = replica.core.last(own.id());
    // The state lacks entries that this context has acted upon: others have continued without it after a wipe of the store. Or memory is
    // too short to compare.
    if (!state || Math.max(last, 0) < own.lastDelivered()) membership.lost();
    else if (last >= 0) {
      own.operationDelivered(last);
      own.compare(state, replica.core.foresee(own.outstanding()));
    }
  };

  /** This context's `begin` was delivered: its fresh log is there. */
  const beginLog = () => {
    entering.forget();
    replica.begin(context.generation);
    // It has no room.
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

  /** Answers to earlier hellos no longer count. */
  const askAgain = () => {
    replica.await(replica.log);
    if (replica.log) ask();
    else asking.beginEarly();
  };

  const askAnew = () => {
    if (entering.beginning()) {
      // What it has missed may make that log void for everybody else (D11).
      membership.lost();
      return;
    }
    entering.listenAnew();
    askAgain();
  };

  const lose = () => membership.lost();

  /**
   * What each event means in each phase. If a phase is missing, the event means nothing there.
   * @type {Record<string, Partial<Record<Phase, (isReplaced: boolean) => void>>>}
   */
  const reactions = {
    connectionLost: { asking: lose, begun: lose, restored: lose, member: returning.begin },
    gap: { asking: askAnew, begun: lose, restored: doubt, member: doubt },
    otherResume: { asking: askAgain, restored: doubt, member: doubt },
    ownBegin: { begun: beginLog },
    ownBeginVoid: { begun: withdraw },
    thisBegin: { asking: ask },
    otherBegin: { asking: entering.advance, begun: returning.suspend, restored: returning.suspend, member: returning.suspend },
  };

  /** @param {string} event @param {boolean} [isReplaced] the other log stands in the place of this one */
  const on = (event, isReplaced = false) => {
    const reaction = reactions[event][context.phase];
    if (reaction) reaction(isReplaced);
  };

  /** This client acts no more. @param {boolean} hurried the page ends, so nothing new may begin in storage */
  const end = (hurried) => {
    // What was sent in a fresh log that nobody has the state of was not made.
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
      // First, since it may throw.
      if (context.phase === 'left') context.order = openOrder();
      context.phase = 'asking';
      context.suspended = false;
      returning.reset();
      own.begin(place.randomId());
      context.sending.begin();
      replica.await('');
      // Storage takes longest.
      connect(entering.advance);
      entering.begin();
      asking.beginEarly();
    },

    /** Messages to this context were lost, or its state differs from that of others: it must be given the state again. */
    gap: () => on('gap'),

    /** Another context has asked to go on (D10): what was said or answered before that counts for nothing. */
    startOver: () => on('otherResume'),

    /** @param {string} from @param {import('./messages.js').Hello} hello */
    helloHeard(from, hello) {
      if (from !== own.id()) {
        asking.answer(from, hello);
        return;
      }
      const [nonce, attempt] = hello;
      if (attempt) asking.echoed(nonce);
      else entering.echoed(nonce);
      // Compiling takes the thread's time. By now nobody else needs that: the browser has decided whether storage is allowed, and others
      // have time to answer.
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

    /** A context with state has posted something; the log is named if it is known. */
    lifeHeard: entering.lifeHeard,
    lifeEnded: entering.lifeEnded,
    hasSpoken: entering.hasSpoken,
    isOvertaken: returning.isOvertaken,
    isReturning: returning.isUnderway,

    /** This context is no longer a member, or has lost its state. What it held is lost, and it joins anew as another client. */
    lost() {
      own.lose(false);
      end(false);
      membership.start();
      context.tellSoon();
    },

    /** Hands everything back: what is held or asked for ends as lost. A later request joins anew. @param {boolean} hurried */
    leave(hurried) {
      if (context.phase === 'left') return;
      own.lose(true);
      // Storage that is still being created cannot be called back (glue/order/broadcast.js).
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
