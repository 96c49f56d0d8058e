import { createConnection } from './connection.js';
import { JOINING, LEFT, MEMBER, RETURNING } from './phase.js';
import { PROTOCOL, becomeStateful, beginLog, comeBack, enter, remove, unseen } from './register.js';

/** A context without usable state asks for it so often, in milliseconds. */
const HELLO_AGAIN = 500;
/** A member that asked so often in vain gives up what it had; others ask less often from then on. */
const ATTEMPTS = 10;
/**
 * Where the register is empty (a first visit, or wiped) a context begins a log of its own only when for so long, in milliseconds, nobody
 * with state has been heard of.
 */
const LISTEN = 12;
/** The hello at the end of that time. What was said before is delivered before it: then all is heard, even where this thread was busy. */
const LAST = 4;
/** Fences of a new log start at its epoch (a time in milliseconds) times this, so above those of the log before. */
const FENCES_PER_MILLISECOND = 1000;

/**
 * Becoming a member (rule R11), and ceasing to be one.
 *
 * @typedef {import('./types.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {() => import('../core/types.js').Core | Promise<import('../core/types.js').Core>} openCore
 * @param {ReturnType<typeof import('./election.js').createElection>} election
 * @param {() => import('../platform/place.js').Channel} openChannel
 */
export const createJoining = (context, openCore, election, openChannel) => {
  const { place, replica, own } = context;
  /** @type {Promise<void> | undefined} */
  let core;
  let attempt = 0;
  let alive = '';
  /** Whether another context has said hello since this one has started; it waits for the log that this one may begin. */
  let company = false;
  /** Whether another context has begun to join since this one listens: it may have begun a log, alone, before the register was wiped. */
  let newcomer = false;
  /** Whether somebody with state has been heard of. Where the register is empty, it was wiped, and they are about to come back. */
  let heard = false;
  /** Whether this context has listened long enough. */
  let heardOut = false;
  /**
   * How often this life has said hello, how many of these it has heard itself, and with which of them it has listened long enough. They are
   * counted: a timer may be a little early by the clock.
   */
  let hellos = 0;
  let echoes = 0;
  let lastHello = Infinity;
  let cancelListening = () => {};
  /** Whether it had when the register was last looked at. */
  let judged = false;
  /** Whether the register was last found to show no log. */
  let unwritten = false;
  /** Whether it has shown this client. */
  let entered = false;
  let looking = false;
  let cancelHello = () => {};
  /** Alive names that are known to be dead, and the watches of the others. @type {Set<string>} */
  const dead = new Set();
  /** @type {Map<string, () => void>} */
  const watches = new Map();

  /** @param {string} client @param {import('./types.js').Member} member */
  const isDead = (client, member) => dead.has(member.alive) || election.departed.has(client);

  /** @param {() => void} onOpen */
  const connect = (onOpen) => {
    alive = place.randomId();
    context.connection = createConnection(place, alive, openCoreOnce, onOpen, lostConnection);
  };

  const openCoreOnce = () => (core = core || (async () => {
    replica.core = await openCore();
  })());

  /** This life's record. */
  const asMember = (stateful = true) => ({ alive, stateful });

  const stopWatching = () => {
    watches.forEach((cancel) => cancel());
    watches.clear();
  };

  const sayHello = () => {
    cancelHello();
    if (replica.current || context.phase === LEFT) return;
    if (++attempt > ATTEMPTS && context.phase === MEMBER) {
      joining.lost();
      return;
    }
    hellos++;
    context.post('hello', own.id(), attempt);
    cancelHello = place.setTimer(() => {
      sayHello();
      // The register may have changed without the death of anybody who is watched.
      if (!looking && context.phase === JOINING) void advance();
    }, attempt > ATTEMPTS ? 10 * HELLO_AGAIN : HELLO_AGAIN);
  };

  /**
   * Enters the register, and begins a log where nobody who may have state lives. Where the register shows no log, it may have been wiped:
   * then only when nobody with state has been heard of, and not in the moment of entering where another joins, or it was wiped just now.
   * @param {string} client who asks; the answer may come when it has ended
   * @param {string} newLog
   */
  const enterOrBegin = (client, newLog) => (/** @type {RegisterRecord | undefined} */ before) => {
    if (context.phase !== JOINING || client !== own.id()) return undefined;
    judged = heardOut;
    const after = enter(client, asMember(false), isDead)(before);
    const record = /** @type {RegisterRecord} */ (after || before);
    const may = record.log || (heardOut && !heard && !newcomer && !(after && (company || entered)));
    return (may && beginLog(client, asMember(), newLog, Math.max(place.wallClock(), replica.epoch + 1), isDead)(record)) || after;
  };

  /** One step further, as far as the register allows. Called again whenever something may have changed. */
  const advance = async () => {
    if (context.phase !== JOINING || replica.current) return;
    const newLog = place.randomId();
    unwritten = false;
    looking = true;
    // The state of a log that may be over now would be of no use.
    replica.log = '';
    const record = await context.connection.transact(enterOrBegin(own.id(), newLog));
    looking = false;
    entered = true;
    if (record.log === newLog) {
      begin(record);
      return;
    }
    if (context.phase !== JOINING || replica.current) return;
    const { members, log, epoch } = record;
    const foreign = record.protocol !== PROTOCOL;
    let waits = foreign;
    for (const other in members) {
      const { alive: name, stateful } = members[other];
      if (other === own.id() || !(stateful || foreign) || isDead(other, members[other])) continue;
      waits = true;
      if (watches.has(name)) continue;
      watches.set(name, context.connection.watch(name, () => {
        dead.add(name);
        void advance();
      }));
    }
    if (foreign) place.warn('another version is in use');
    else if (log !== replica.log) {
      replica.log = log;
      replica.epoch = epoch;
      sayHello();
    }
    if (waits) return;
    // Somebody has said goodbye meanwhile.
    if (log || heardOut > judged) void advance();
    else {
      unwritten = true;
      if (judged) {
        listen();
        ask(LAST - 1);
      }
    }
  };

  /** Listens for anybody with state. */
  const listen = () => {
    heard = heardOut = newcomer = false;
    lastHello = Infinity;
    cancelListening();
    cancelListening = context.connection.later(() => {
      lastHello = hellos + 1;
      if (heard || replica.log) listened();
      else ask(LAST);
    }, LISTEN);
  };

  /** All who have state answer, whoever leads. @param {number} which */
  const ask = (which) => {
    attempt = which - 1;
    sayHello();
  };

  const listened = () => {
    heardOut = true;
    if (unwritten) void advance();
  };

  /** Nobody who may have state lives. @param {RegisterRecord} record */
  const begin = (record) => {
    const { log, epoch } = record;
    context.phase = MEMBER;
    stopWatching();
    cancelHello();
    replica.core.reset(epoch * FENCES_PER_MILLISECOND);
    replica.stand(log, epoch, epoch, 0);
    context.clock.ticked();
    election.begun(record, !company);
  };

  /** With the state comes the right to be waited for: say so in the register, then send what was asked for so far. */
  const becomeMember = async () => {
    const record = await context.connection.transact(becomeStateful(own.id(), asMember(), replica.log));
    if (context.phase !== JOINING) return;
    if (record && record.log === replica.log) belong(record);
    else joining.lost();
  };

  /** @param {RegisterRecord} record */
  const belong = (record) => {
    context.phase = MEMBER;
    stopWatching();
    election.follow(record);
    context.resend();
  };

  /** The connections were closed from outside: by a wipe (rule R17), or because storage broke. */
  const lostConnection = () => {
    if (context.phase === JOINING || replica.core.last(own.id()) < 0) {
      joining.lost();
      return;
    }
    election.forget();
    context.phase = RETURNING;
    connect(async () => {
      const members = unseen(replica.core.state().members.map((member) => member.client));
      const { log, epoch } = replica;
      const record = await context.connection.transact(
        comeBack(own.id(), asMember(), { protocol: PROTOCOL, log, epoch, leader: '', members, incomplete: true }));
      if (record.log === log) belong(record);
      else joining.lost();
    });
  };

  /** This client acts no more. @param {boolean} hurried a page that ends must not begin anything with the storage */
  const end = (hurried) => {
    const client = own.id();
    context.post('goodbye', client);
    election.departed.add(client);
    context.connection.close(hurried ? undefined : remove(client, alive));
    dead.add(alive);
    cancelHello();
    stopWatching();
    election.forget();
  };

  const joining = {
    sayHello,
    advance,

    start() {
      const silent = context.phase === LEFT;
      context.phase = JOINING;
      company = unwritten = entered = looking = false;
      attempt = hellos = echoes = 0;
      own.begin(place.randomId());
      replica.stand('', 0, 0, 0);
      // The storage takes longest. It is used when the channel has long been open; and whoever lives answers meanwhile.
      connect(advance);
      listen();
      if (silent) context.channel = openChannel();
      sayHello();
    },

    /** A message of a log was delivered. */
    logHeard() {
      heard = true;
    },

    /** This copy is of no use before a snapshot comes. */
    doubt() {
      attempt = 1;
      sayHello();
    },

    /** Somebody asks for the state. @param {string} client @param {number} asked how often already */
    helloHeard(client, asked) {
      if (client === own.id()) {
        // Compiling takes the thread's time, which the storage is in no need of any more: browsers ask first whether it is allowed.
        void openCoreOnce();
        if (++echoes >= lastHello && !heardOut) listened();
        return;
      }
      company = true;
      newcomer = newcomer || asked === 1;
      if (context.leader) context.leader.expect();
      if (replica.current && (context.leader || asked > 2)) context.sendState(client);
      else if (replica.led && asked === 1) context.post('here', replica.log, 0);
      // Nobody has answered that one for long.
      if (asked > 4 && context.phase === MEMBER) void election.suspect();
    },

    /** @param {any} state a snapshot for this context, and its place @returns {(() => void)[]} handles what was kept meanwhile */
    restore(state) {
      const kept = replica.restore(.../** @type {Parameters<typeof replica.restore>} */ (state));
      if (!kept) return [];
      cancelHello();
      context.clock.ticked();
      const last = replica.core.last(own.id());
      const [first] = own.outstanding();
      if (context.phase === JOINING) void becomeMember();
      else if (last < 0 && first && first.type !== 'join') joining.lost();
      else {
        if (last >= 0) {
          own.operationDelivered(last);
          own.compare(replica.core.state(), replica.core.foresee(own.outstanding()));
        }
        void election.lookUp();
        context.resend();
      }
      return kept;
    },

    /** This context is no member any more, or has lost its state: what it held is lost, and it joins anew, as another client. */
    lost() {
      own.lose(false);
      end(false);
      joining.start();
      context.tellSoon();
    },

    /** Hands everything back: what is held or asked for ends as lost. A later request joins anew. @param {boolean} hurried */
    leave(hurried) {
      if (context.phase === LEFT) return;
      own.lose(true);
      end(hurried);
      context.phase = LEFT;
      context.channel.close();
      context.tellSoon();
    },
  };
  context.joining = joining;
  return joining;
};
