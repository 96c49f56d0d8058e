import { createConnection } from './connection.js';
import { createGathering } from './gathering.js';
import { createListening } from './listening.js';
import { PROTOCOL, isDeserted } from './register.js';

/** A context without usable state asks for it again after so long, in milliseconds; then after twice that, and so on, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After so many hellos in vain it looks at the register again: it may have changed without the death of anybody who is watched. */
const LOOK_AGAIN = 4;
/** Fences of a fresh log start at its birth (a time in milliseconds) times this, so above those of the log before. */
const FENCES_PER_MILLISECOND = 1000;
/** What began in a register that is empty now is looked at again after so long. */
const SETTLE_AGAIN = 50;

/**
 * Becoming a member, and ceasing to be one (D1, D2, D6, D11). The phases:
 *
 * - left: takes no part
 * - asking: has a record, and no state: asks for it, or begins a fresh log where nobody lives who has state
 * - begun: has written a fresh log into the register; its `begin` is on the way
 * - restored: has the state, and takes part; that it has is being written into the register. It enters nothing yet.
 * - member
 *
 * @typedef {'left' | 'asking' | 'begun' | 'restored' | 'member'} Phase
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createMembership>} Membership
 *
 * @param {import('./log.js').Context} context
 * @param {() => import('../core/types.js').Core | Promise<import('../core/types.js').Core>} openCore
 * @param {(kind: import('../platform/place.js').OrderKind) => import('../platform/place.js').Order} openOrder
 */
export const createMembership = (context, openCore, openOrder) => {
  const { place, replica, own } = context;
  /** @type {Promise<void> | undefined} */
  let core;
  /** What makes the order of the log that this context knows of. */
  let kind = place.order;
  let attempt = 0;
  let cancelHello = () => {};
  let looking = false;
  let lookAgain = false;
  /** Alive names that are known to be dead; and those that are watched. @type {Set<string>} */
  const dead = new Set();
  /** @type {Set<string>} */
  const watched = new Set();

  const openCoreOnce = () => (core = core || (async () => {
    replica.core = await openCore();
  })());

  /** @param {() => void} onOpen */
  const connect = (onOpen) => {
    watched.clear();
    context.duties.reset();
    context.connection = createConnection(place, place.randomId(), openCoreOnce, onOpen, connectionLost);
  };

  const asSelf = () => ({ client: own.id(), alive: context.connection.alive });

  /** @param {RegisterRecord} record the members that this context may have to wait for, by client id */
  const others = ({ members }) => Object.keys(members).filter((client) => client !== own.id() && members[client].stateful);

  /** @param {string} alive @param {() => void} onDeath */
  const watchOnce = (alive, onDeath) => {
    if (watched.has(alive) || dead.has(alive)) return;
    watched.add(alive);
    context.connection.watch(alive, () => {
      dead.add(alive);
      onDeath();
    });
  };

  const sayHello = () => {
    cancelHello();
    if (replica.current || context.phase === 'left') return;
    attempt++;
    context.post('hello', place.randomId(), attempt, replica.stateful ? replica.count + 1 : 0);
    const pause = Math.min(HELLO_AGAIN * 2 ** (attempt - 1), LONGEST);
    cancelHello = context.connection.later(() => {
      if (replica.stateful) void gather();
      else if (attempt >= LOOK_AGAIN) void advance();
      sayHello();
    }, pause);
  };

  const listening = createListening(
    (nonce) => context.post('hello', nonce, 0, 0), place.randomId, (callback, milliseconds) => context.connection.later(callback, milliseconds),
    () => void advance());

  /** Nobody may be current after a wipe of the store: then whoever has got farthest goes on. */
  const gathering = createGathering(replica, own.id);
  const gather = async () => {
    const record = await context.connection.transact();
    if (replica.current || !replica.stateful || record.log !== replica.log) return;
    if (gathering.isFurthest(record, place.now())) resume(replica.resume());
  };

  /** One step further, as far as the register allows. Called again whenever something may have changed; never runs twice at once. */
  const advance = async () => {
    if (context.phase !== 'asking') return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    const inVain = listening.inVain();
    const hellos = context.duties.hellos();
    const { connection } = context;
    let record = await connection.transact(context.entry('add', asSelf()));
    if (context.phase === 'asking' && isDeserted(record, [...dead], inVain) && (record.log || inVain)) {
      const entry = { ...asSelf(), order: place.order, log: place.randomId(), birth: place.wallClock(), dead: [...dead], listened: inVain };
      const over = record.log;
      record = await connection.transact(context.entry('begin', entry));
      if (record.log === entry.log && context.phase === 'asking') begin(record, over, hellos);
    }
    looking = false;
    if (context.phase !== 'asking') return;
    await_(record);
    if (lookAgain) {
      lookAgain = false;
      void advance();
    }
  };

  /** Waits for a member's answer, for a death, or for the end of listening. @param {RegisterRecord} record */
  const await_ = (record) => {
    for (const client of others(record)) {
      const { alive } = record.members[client];
      watchOnce(alive, () => void advance());
    }
    context.generation = record.generation;
    context.birth = record.birth;
    listening.again();
    if (record.order && record.order !== kind) {
      switchTo(record.order);
      listening.begin();
    }
    if (record.protocol !== PROTOCOL) place.warn('another version is in use');
    else if (record.log && record.log !== replica.log) {
      replica.await(record.log);
      attempt = 0;
      sayHello();
    }
  };

  /** @param {import('../platform/place.js').OrderKind} other */
  const switchTo = (other) => {
    context.order.close();
    kind = other;
    context.order = openOrder(kind);
    replica.await('');
  };

  /**
   * Nobody who may have state lives.
   * @param {RegisterRecord} record
   * @param {string} over the log before
   * @param {number} hellos had been heard before
   */
  const begin = (record, over, hellos) => {
    cancelHello();
    listening.stop();
    if (kind !== place.order) switchTo(place.order);
    replica.await(record.log);
    context.phase = 'begun';
    context.birth = record.birth;
    context.generation = record.generation;
    context.post('begin', record.log, record.generation, over);
    context.duties.showsAlone(record, hellos);
    context.sending.again();
  };

  /** With the state comes the right to be waited for. */
  const becomeStateful = async () => {
    const record = await context.connection.transact(context.entry('stateful', { client: own.id(), log: replica.log }));
    if (context.phase !== 'restored') return;
    const member = record.members[own.id()];
    if (record.log !== replica.log || !member || !member.stateful) membership.lost();
    else belong();
  };

  const belong = () => {
    context.phase = 'member';
    context.tellActing();
    void context.duties.look();
  };

  /** The state is right again. @param {import('./messages.js').Message[]} kept has been delivered meanwhile */
  const resume = (kept) => {
    cancelHello();
    gathering.end();
    const { connection } = context;
    if (context.phase === 'asking') {
      listening.stop();
      context.phase = 'restored';
      void becomeStateful();
    } else compare();
    for (const message of kept) if (connection === context.connection) context.handle(message);
    if (connection !== context.connection) return;
    context.sending.again();
    context.tellActing();
  };

  /** R7: the state was replaced. */
  const compare = () => {
    const last = replica.core.last(own.id());
    const [first] = own.outstanding();
    if (last < 0 && !(first && first.type === 'join')) {
      membership.lost();
      return;
    }
    if (last < 0) return;
    own.operationDelivered(last);
    own.compare(replica.core.state(), replica.core.foresee(own.outstanding()));
  };

  /** The connections were closed from outside: by a wipe, by a page that deletes all databases, or because storage broke. */
  const connectionLost = () => {
    if (!(context.phase === 'member' || context.phase === 'restored') || replica.core.last(own.id()) < 0) {
      membership.lost();
      return;
    }
    context.alone = false;
    connect(comeBack);
  };

  /** Writes this member into the register again. */
  const comeBack = async () => {
    const { birth, begins } = context;
    const { log } = replica;
    const generation = Math.max(replica.generation + 1, place.wallClock());
    const record = await context.connection.transact(
      context.entry('return', { ...asSelf(), order: kind, log, birth, generation, vain: begins.vain() }));
    if (record.log === log) {
      context.suspended = false;
      context.post('back', log);
      belong();
      if (!replica.current) sayHello();
    } else if (begins.isValid(record.log)) membership.lost();
    else {
      // That log's `begin` is still on its way, unless who wrote it has died.
      for (const client of others(record)) {
        const { alive } = record.members[client];
        watchOnce(alive, () => void context.connection.transact(context.entry('remove', { client, alive })));
      }
      context.connection.later(comeBack, SETTLE_AGAIN);
    }
  };

  /** Whether the register still shows this context's log, after another one was heard of. */
  const settle = async () => {
    const { connection } = context;
    const record = await connection.transact();
    if (record.log === replica.log && (record.members[own.id()] || record.incomplete)) {
      context.suspended = false;
      context.sending.again();
      context.tellActing();
    } else if (record.log) membership.lost();
    else connection.later(settle, SETTLE_AGAIN);
  };

  /** This client acts no more. @param {boolean} hurried a page that ends must not begin anything with the storage */
  const end = (hurried) => {
    if (context.phase !== 'asking') context.post('gone', replica.log, own.id());
    dead.add(context.connection.alive);
    context.connection.close(hurried ? undefined : context.entry('remove', asSelf()));
    cancelHello();
    listening.stop();
    gathering.end();
    context.alone = false;
  };

  const membership = {
    start() {
      const silent = context.phase === 'left';
      context.phase = 'asking';
      context.suspended = looking = lookAgain = false;
      attempt = 0;
      own.begin(place.randomId());
      replica.await('');
      // The storage takes longest.
      connect(advance);
      if (silent) context.order = openOrder(kind);
      listening.begin();
    },

    /** Messages were lost on the way to this context, or its state differs from others': it is of no use before it is given the state. */
    doubt() {
      if (context.phase === 'begun') membership.lost();
      if (context.phase === 'asking' && replica.log) {
        replica.await(replica.log);
        sayHello();
      }
      if (!replica.current) return;
      replica.doubt();
      context.alone = false;
      gathering.begin(place.now());
      context.tellActing();
      attempt = 0;
      sayHello();
    },

    /** @param {string} from @param {string} nonce @param {number} asked how often already @param {number} reached */
    helloHeard(from, nonce, asked, reached) {
      if (from === own.id()) {
        // Compiling takes the thread's time, which the storage is in no need of any more: browsers ask first whether it is allowed.
        void openCoreOnce();
        listening.delivered(nonce);
        if (asked && !replica.current) replica.mark(nonce);
        return;
      }
      if (!replica.stateful || context.phase === 'left') return;
      if (!asked) {
        context.post('here', replica.log);
        return;
      }
      if (!replica.current) gathering.heard(from, reached);
      else if (!context.suspended) {
        const members = [...replica.members];
        if (members[(asked - 1) % members.length] === own.id()) sendState(from, nonce);
      }
    },

    /**
     * @param {number} now log time
     * @param {string} to
     * @param {Parameters<typeof replica.restore>} state
     */
    stateHeard(now, to, ...state) {
      const kept = to === own.id() && replica.restore(...state);
      if (!kept) return;
      context.trace('restored', replica.count);
      context.clock.heard(now);
      resume(kept);
    },

    /** @param {string} from @param {string} log @param {number} generation */
    beginHeard(from, log, generation) {
      const isOwn = from === own.id() && context.phase === 'begun' && log === replica.log;
      if (context.begins.isVain(log)) {
        if (isOwn) void context.connection.transact(context.entry('withdraw', { log })).then(membership.lost);
      } else if (log === replica.log) {
        if (isOwn) {
          replica.begin(context.birth * FENCES_PER_MILLISECOND, generation);
          context.clock.set(0);
          belong();
        } else if (context.phase === 'asking') {
          attempt = 0;
          sayHello();
        }
      } else if (context.phase === 'asking') void advance();
      else if (context.phase !== 'left') {
        context.suspended = true;
        context.alone = false;
        context.tellActing();
        void settle();
      }
    },

    /** Somebody with state has posted something. */
    lifeHeard: listening.heardOf,

    /** This context is no member any more, or has lost its state: what it held is lost, and it joins anew, as another client. */
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
      end(hurried);
      context.phase = 'left';
      context.order.close();
      context.tellSoon();
    },
  };

  /** @param {string} to @param {string} nonce */
  const sendState = (to, nonce) => {
    const { log, count, generation } = replica;
    context.post('state', to, nonce, log, count, context.clock.now(), generation, replica.core.snapshot());
  };

  return membership;
};
