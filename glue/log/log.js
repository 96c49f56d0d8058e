import { IS_PACKAGE } from '#edition';
import { hasOwn } from '../core/own-member.js';
import { createBegins } from './begins.js';
import { createLogClock } from './clock.js';
import { createDuties } from './duties.js';
import { createHiding } from './hiding.js';
import { createMembership } from './membership.js';
import { fromMessage, fromOtherVersion, identityOf, toMessage } from './messages.js';
import { createOwnRequests } from './own-requests.js';
import { createMark, createQuery } from './queries.js';
import { PROTOCOL } from './register.js';
import { createRepeats } from './repeats.js';
import { createReplica } from './replica.js';
import { createSending } from './sending.js';
import { createTurns } from './turns.js';

/**
 * One context's part in the log of one manager. Nothing starts before the first request. docs/protocol.md says what happens and why.
 *
 * The rule behind the rules: act on what the order delivers. A callback runs, a promise settles and a lock is freed only when this context
 * has received the entry that says so. D7, R20 and R21 are the exceptions.
 *
 * @typedef {object} Context what the parts of the log share
 * @property {import('../platform/place.js').Place} place
 * @property {import('../platform/place.js').Order} order
 * @property {import('../platform/place.js').OrderKind} orderKind the maker of the order to which this context listens
 * @property {import('./connection.js').Connection} connection
 * @property {import('./replica.js').Replica} replica
 * @property {import('./own-requests.js').OwnRequests} own
 * @property {import('./clock.js').LogClock} clock
 * @property {ReturnType<typeof createBegins>} begins
 * @property {import('./membership.js').Membership} membership
 * @property {import('./duties.js').Duties} duties
 * @property {ReturnType<typeof createSending>} sending
 * @property {ReturnType<typeof createHiding>} hiding
 * @property {import('./membership.js').Phase} phase
 * @property {boolean} resting this context has left because of the page's lifecycle, not because leave() was called
 * @property {boolean} suspended another log has begun: this context enters no lock until it has read in the register which log is right
 * @property {boolean} alone no other context takes part, so operations are applied at once (D7)
 * @property {number} generation the register's generation as this context last read it before it had the state; its `join` names it
 * @property {() => boolean} mayAct whether this context may enter locks
 * @property {() => number} underway how many own messages are posted and not yet delivered
 * @property {(kind: string, ...values: unknown[]) => void} post see ./messages.js
 * @property {() => {client: string, alive: string}} asSelf how the register identifies this context
 * @property {(type: string, values?: object) => import('../platform/place.js').RegisterChange} change see ./register.js
 * @property {(message: import('./messages.js').Message) => void} handle
 * @property {(operations: import('./types.js').Operation[]) => void} applyAtOnce applies an entry without posting it
 * @property {() => void} tellSoon tells the listeners what is new, in a job or task of its own
 * @property {() => void} tellActing mayAct() may have changed
 * @property {(event: string, ...details: unknown[]) => void} trace
 *
 * @param {import('../platform/place.js').Place} place
 * @param {() => import('../core/types.js').Core | Promise<import('../core/types.js').Core>} openCore called until it succeeds; a promise if
 *   the engine compiles only asynchronously
 * @returns {import('./types.js').LockLog}
 */
export const createLog = (place, openCore) => {
  let tellScheduled = false;
  /** The identityOf() of each own message that is posted and not yet delivered, in order. @type {unknown[]} */
  const underway = [];
  const repeats = createRepeats();
  const takeTurn = createTurns(place.defer, place.afterTask);

  const own = createOwnRequests((request) => {
    context.hiding.join();
    if (context.alone) context.sending.now();
    else if (!request) context.sending.soon();
    else if (request.status === 'ended') context.sending.dropped(request);
    else context.sending.asked(request);
    context.tellSoon();
  }, (dropped) => context.sending.keep(dropped));

  const replica = createReplica({
    applied(operation) {
      const { type } = operation;
      if (type === 'tick') context.clock.heard(replica.core.time());
      else if (operation.client === own.id()) {
        if (type === 'gone') context.membership.lost();
        else own.operationDelivered(replica.core.last(own.id()));
      }
      if (type === 'join') context.duties.joined(operation.client);
      else if (type === 'gone') context.duties.departed(operation.client);
    },
    happened(event, operation) {
      if (!context.alone && own.asksAgain(event)) context.duties.refused(operation);
      else own.eventHappened(event, operation);
    },
    broke(error) {
      place.warn(`${error}; starting anew`);
      context.membership.lost();
    },
  });

  /** @type {Context} */
  const context = {
    place,
    order: /** @type {any} */ (undefined),
    orderKind: place.order,
    connection: /** @type {any} */ (undefined),
    replica,
    own,
    clock: createLogClock(place.now),
    begins: createBegins(),
    membership: /** @type {any} */ (undefined),
    duties: /** @type {any} */ (undefined),
    sending: /** @type {any} */ (undefined),
    hiding: /** @type {any} */ (undefined),
    phase: 'left',
    resting: false,
    suspended: false,
    alone: false,
    generation: 0,
    mayAct: () => context.phase === 'member' && replica.current && !context.suspended,
    underway: () => underway.length,
    post(kind, ...values) {
      const message = toMessage(kind, own.id(), values);
      underway.push(identityOf(message));
      context.trace(kind, ...values);
      context.order.append(message);
    },
    asSelf: () => ({ client: own.id(), alive: context.connection.alive }),
    change: (type, values) => Object.assign({ protocol: PROTOCOL, type }, values),
    handle,
    applyAtOnce(operations) {
      operations.forEach(replica.apply);
      replica.counted();
      afterMessage();
      context.tellSoon();
    },
    tellSoon() {
      if (tellScheduled || context.hiding.isOver()) return;
      tellScheduled = true;
      takeTurn(() => {
        tellScheduled = false;
        if (!context.hiding.isOver()) tell();
      });
    },
    tellActing() {
      context.trace('acting', context.mayAct());
      context.tellSoon();
    },
    trace: (IS_PACKAGE && place.trace) || (() => {}),
  };
  context.sending = createSending(context);
  context.duties = createDuties(context);
  context.membership = createMembership(context, openCore, () => {
    // What this context knew about logs before it left no longer matters.
    if (context.phase === 'left') context.begins = createBegins();
    context.begins.forget();
    return place.openOrder(context.orderKind, receive, () => {
      context.begins.forget();
      context.membership.gap();
    });
  });
  context.hiding = createHiding(context);
  const { membership, duties, hiding } = context;

  const tell = () => {
    own.tellListeners(context.tellSoon, context.mayAct);
    hiding.check();
  };

  const afterMessage = () => {
    if (replica.current) duties.applied();
  };

  /** Applies each kind of entry that [from] has posted. @type {Record<string, (from: string, ...values: any) => void>} */
  const entries = {
    operations(from, count, hash, now, generation, operations) {
      // D11: the joiner had read the register before it was written anew, so it does not join, and its state may be an old one. (If it is
      // a member already, its join was only sent again.)
      const isRefused = generation < replica.generation && replica.core.last(from) < 0
        && operations.some((/** @type {import('./types.js').ClientOperation} */ { type }) => type === 'join');
      if (!isRefused && replica.differs(count, hash)) disagreed(from);
      if (operations.length) replica.passed(now);
      if (!isRefused) for (const operation of operations) replica.apply(Object.assign(operation, { client: from }));
      else if (from === own.id()) {
        // Nothing that this life has sent had any effect, so the next one sends all of it again.
        context.sending.begin();
        membership.lost();
      } else duties.joined(from);
    },
    gone(from, client, now) {
      replica.passed(now);
      replica.apply({ type: 'gone', client });
    },
    tick: (from, now) => replica.passed(now),
    anew(from, generation, epoch) {
      // Another log may have granted locks since the register was cleared.
      replica.raise(generation);
      if (from === own.id()) duties.complete(generation, epoch);
    },
  };

  /** D8: sends everything again if an operation before these was lost. @param {import('./types.js').ClientOperation[]} operations own */
  const resendAfterGap = ([first]) => {
    if (first && first.number > replica.core.last(own.id()) + 1) context.sending.again();
  };

  /** D9: the states of this context and [other] differ. The younger of the two asks for the state. @param {string} other */
  const disagreed = (other) => {
    place.warn('two copies of the state differ; one is replaced');
    // A joiner is not a member yet.
    const elder = [...replica.members].find((client) => client === other || client === own.id());
    // It has missed its own `gone`.
    if (!replica.members.has(other) && duties.isBuried(other)) context.sending.gone(other);
    else if (elder === own.id()) context.sending.compare();
    else membership.gap();
  };

  /** @param {import('./messages.js').Message} message */
  function handle(message) {
    const { kind, from, values: [first, ...rest] } = message;
    if (kind === 'hello') membership.helloHeard(from, /** @type {any} */ (message.values));
    else if (kind === 'state') membership.stateHeard(first, /** @type {any} */ (rest));
    else if (kind === 'begin') membership.beginHeard(from, first, rest[1]);
    else if (replica.log && first !== replica.log) return;
    else if (kind === 'back') duties.returned(from);
    else if (kind === 'resume') membership.resumeHeard(from, rest[0]);
    else if (hasOwn(entries, kind)) {
      if (kind === 'gone') duties.departureHeard(from, rest[0]);
      if (replica.current) {
        entries[kind](from, ...rest);
        if (!replica.current) return;
        replica.counted();
        if (kind === 'operations' && from === own.id()) resendAfterGap(rest[4]);
      } else {
        replica.keep(message);
        // Members in doubt post `gone`, too, so it does not show that its sender has the state.
        if (kind !== 'gone') membership.entryHeard(from);
      }
    }
  }

  /**
   * R19: contexts of other versions count as alive, too. After a wipe, only these messages keep the versions apart.
   * @param {import('./messages.js').Message} message of another version
   */
  const otherVersionHeard = (message) => {
    const { kind, from, values: [first, second, third] } = message;
    const living = context.begins.hear(message, true);
    if (kind === 'gone') membership.lifeEnded(/** @type {string} */ (second));
    else if (living) membership.lifeHeard(from);
    else if (second === 0) membership.helloHeard(from, ['', 0, 0, []]);
    if (kind === 'begin') membership.beginHeard(from, first, third);
  };

  /** @param {unknown} text */
  function receive(text) {
    const message = fromMessage(text);
    const other = message || fromOtherVersion(text);
    if (!other) {
      place.warn('a foreign message is ignored');
      return;
    }
    if (repeats.has(other)) {
      // A context that did not receive the first one may answer this one.
      if (other.kind === 'hello') replica.cutAgain(other.values[0]);
      return;
    }
    if (!message) {
      otherVersionHeard(other);
      return;
    }
    const { kind, from } = message;
    const living = context.begins.hear(message);
    // Own messages keep their order. So those posted before this one, also in an earlier life, and not delivered yet are lost.
    if (from === own.id()) underway.splice(0, underway.indexOf(identityOf(text)) + 1);
    else {
      duties.companyHeard(kind === 'hello');
      if (living) membership.lifeHeard(from, living);
    }
    const [first, second, third] = message.values;
    if (kind === 'gone') membership.lifeEnded(second);
    if (kind === 'anew' && from !== own.id()) membership.anewHeard(first, second, third);
    handle(message);
    afterMessage();
    // A message of another context runs callbacks here only if it brings news.
    if (from === own.id() || own.hasNews()) context.sending.delivered();
    tell();
  }

  const mark = createMark(own, takeTurn);
  const query = createQuery(context, mark);
  const log = { request: own.request, drop: own.drop, join: hiding.join, query };
  if (!IS_PACKAGE) return /** @type {import('./types.js').LockLog} */ (log);
  return Object.assign(log, {
    clientId: own.id,
    forceRelease: (/** @type {string[]} */ names) => mark({ type: 'force-release', names }),
    async inspect() {
      const state = await query();
      const { log: id, count } = replica;
      return { client: own.id(), leader: replica.eldest(), log: id, count, state };
    },
    leave() {
      context.resting = false;
      membership.leave(false);
      // Requests that wait for an answer need a new life.
      if (own.busy()) hiding.join();
    },
  });
};
