import { FROZEN, OVER, VISIBLE } from '../platform/lifecycle.js';
import { createLogClock } from './clock.js';
import { createElection } from './election.js';
import { createJoining } from './joining.js';
import { fromMessage, toMessage } from './messages.js';
import { createOwnRequests } from './own-requests.js';
import { JOINING, LEFT, MEMBER } from './phase.js';
import { createReplica } from './replica.js';

/** An operation that has no place for so long is sent again, and the leader asked whether it is awake (rule R12). */
const OVERDUE = 500;
/** So many promise jobs after a message it is still the same task, in which a lock may be kept (rule R20): some ten times. */
const JOBS = 64;
/** With more requests no core is asked who would be next: that takes as long as there are requests (rule R21). */
const SHORT = 32;
/** A hidden context that has nothing left to do stays so long. */
const IDLE = 1000;

/**
 * One context's part in the log of one manager. Nothing starts before the first request. docs/protocol.md says what happens and why.
 *
 * One rule stands behind the others: act on what the channel delivers. A callback is run, a promise settled, a lock freed only on an
 * entry that this context's own listening channel has delivered. (The exceptions: a context that is alone, rule R6, and one that is next
 * where a lock was let go of, rule R21.)
 *
 * @typedef {object} Context what the parts of a log share
 * @property {import('../platform/place.js').Place} place
 * @property {import('../platform/place.js').Channel} channel
 * @property {import('./connection.js').Connection} connection
 * @property {import('./replica.js').Replica} replica
 * @property {import('./own-requests.js').OwnRequests} own
 * @property {import('./clock.js').LogClock} clock
 * @property {import('./phase.js').Phase} phase
 * @property {import('./leader.js').Leader | undefined} leader where this context leads
 * @property {(kind: string, ...values: any[]) => void} post on the log channel; see ./messages.js
 * @property {(operations: import('./types.js').Operation[]) => void} applyAtOnce applies entries without a channel
 * @property {(operations: import('./types.js').Operation[]) => unknown} entersEarly whether it does
 * @property {(to: string) => void} sendState
 * @property {() => void} resend what has not been delivered yet
 * @property {{restore(state: any[]): (() => void)[], lost(): void}} joining
 * @property {() => void} tellSoon
 *
 * @param {import('../platform/place.js').Place} place
 * @param {() => import('../core/types.js').Core | Promise<import('../core/types.js').Core>} openCore called once; where the engine
 *   compiles only asynchronously, a promise
 * @returns {import('./types.js').LockLog}
 */
export const createLog = (place, openCore) => {
  let sent = 0;
  /** Promise jobs for which it is still the task of a message. */
  let jobs = 0;
  let sendScheduled = false;
  let tellScheduled = false;
  let someoneWent = false;
  /** @type {import('../platform/lifecycle.js').Lifecycle} */
  let lifecycle = VISIBLE;
  /** Whether this context has left because nobody sees it, and not because it was told to. */
  let resting = false;
  /** The connection whose timer looks after overdue operations. @type {import('./connection.js').Connection | undefined} */
  let overdueTimer;

  const own = createOwnRequests(() => {
    if (context.phase === LEFT) startUnlessAway();
    else if (context.leader && context.leader.alone) send();
    else sendSoon();
    context.tellSoon();
  }, (name) => sendScheduled && !place.sharesEventLoop() && replica.core.requestCount() < jobs
    && !replica.core.state().pending.some(({ names }) => names.includes(name)));

  const replica = createReplica({
    applied(operation) {
      if (operation.type === 'tick') context.clock.ticked();
      else if (operation.client === own.id()) {
        if (operation.type === 'gone') joining.lost();
        else own.operationDelivered(operation.number);
        if (lifecycle && !own.busy()) context.connection.later(stay, IDLE);
      } else if (operation.type === 'gone') {
        someoneWent = true;
        election.departed.delete(operation.client);
      }
    },
    happened: own.eventHappened,
    broke(error) {
      place.warn(`${error}; starting anew`);
      joining.lost();
    },
  });

  /** Sends what is new; all of it in one message (rule R5). */
  const send = () => {
    sendScheduled = false;
    if (context.phase !== MEMBER) return;
    const outstanding = own.outstanding();
    const operations = outstanding.filter((operation) => operation.number > sent);
    if (!operations.length) return;
    const { leader } = context;
    // Frames that share an event loop must be heard in the order of their calls: there the leader goes no shorter way than the others.
    const isDirect = leader && (leader.alone || !place.sharesEventLoop());
    if (!isDirect && context.entersEarly(outstanding)) return;
    sent = operations[operations.length - 1].number;
    if (isDirect) leader.accept(own.id(), operations);
    else {
      context.channel.postOperations(toMessage('operations', replica.log, own.id(), operations));
      lookAfter();
    }
  };

  /** A release and the request that follows it are one task's work, but some promise jobs apart: so this waits for a few of them. */
  const sendSoon = () => {
    if (sendScheduled) return;
    sendScheduled = true;
    place.defer(() => place.defer(() => place.defer(send)));
  };

  const countJobs = () => {
    if (--jobs > 0) place.defer(countJobs);
    else if (context.leader) context.leader.flush();
    else if (!sendScheduled) send();
  };

  const lookAfter = () => {
    const { connection } = context;
    const [first] = own.outstanding();
    if (overdueTimer === connection) return;
    overdueTimer = connection;
    connection.later(() => {
      overdueTimer = undefined;
      const [now] = own.outstanding();
      if (now === first) {
        context.resend();
        void election.suspect();
      } else if (now) lookAfter();
    }, OVERDUE);
  };

  /** After a message, or an entry of a context that is alone, has been applied whole. */
  const applied = () => {
    if (context.leader && replica.current) context.leader.applied(someoneWent);
    someoneWent = false;
  };

  /** @type {Context} */
  const context = {
    place,
    channel: /** @type {any} */ (undefined),
    connection: /** @type {any} */ (undefined),
    replica,
    own,
    clock: createLogClock(place.now, () => (replica.led ? replica.core.time() : 0)),
    phase: LEFT,
    leader: undefined,
    post: (kind, ...values) => context.channel.postLog(toMessage(kind, ...values)),
    applyAtOnce(operations) {
      replica.apply(operations);
      applied();
      context.tellSoon();
    },
    /**
     * Rule R21: what has been let go of is free, whatever becomes of the entry. Enters what [operations] will make this context's own.
     * Returns whether it does, and nobody else waits for them; then what follows in this task travels with them.
     */
    entersEarly(operations) {
      const { core } = replica;
      const early = own.busy() && core.requestCount() + operations.length < SHORT
        && operations.every((/** @type {any} */ { type, steal }) => /^[dr]/.test(type) && !steal)
        && own.enterEarly(operations, core.foresee(operations));
      context.tellSoon();
      jobs = early ? JOBS : 0;
      if (early) countJobs();
      return early;
    },
    sendState(to) {
      if (!replica.led) return;
      context.post('snapshot', own.id(), to, replica.log, replica.epoch, replica.led, replica.seq, replica.core.snapshot());
    },
    resend() {
      sent = 0;
      send();
    },
    joining: /** @type {any} */ (undefined),
    tellSoon() {
      if (tellScheduled || lifecycle === OVER) return;
      tellScheduled = true;
      place.defer(() => {
        tellScheduled = false;
        own.tellListeners(context.tellSoon);
      });
    },
  };

  const election = createElection(context);
  const joining = createJoining(context, openCore, election, () => place.openChannel(receive(false), receive(true), election.missed));

  /** A message whose order among its like counts. @param {string} kind @param {any[]} values */
  const ordered = (kind, values) => {
    const [log, epoch] = values;
    const isOurs = log === replica.log;
    // What is delivered while it cannot be used is handled after the snapshot.
    const keep = () => replica.kept.push(() => ordered(kind, values));
    if (kind === 'prepare' && isOurs && (replica.current || !place.oneOrder)) election.prepared(epoch, values[2]);
    else if (!replica.current) {
      keep();
      if (kind === 'lead') {
        if (isOurs || context.phase !== JOINING) joining.sayHello();
        else void joining.advance();
      }
    } else if (isOurs) {
      election.heard(epoch);
      if (kind === 'entries') replica.entries(.../** @type {Parameters<typeof replica.entries>} */ (values));
      else election.led(.../** @type {Parameters<typeof election.led>} */ (values));
      if (replica.current || log !== replica.log) return;
      keep();
      joining.doubt();
    }
  };

  /** By kind; each is given the message's values. @type {Record<string, (...values: any) => void>} */
  const handlers = {
    hello: joining.helloHeard,
    goodbye: election.bury,
    snapshot(client, to, ...state) {
      const [log, epoch, , seq] = state;
      if (to !== own.id()) return;
      if (!replica.current) joining.restore(state).forEach((again) => again());
      // Of this epoch it was made after `prepare`: no entry of an earlier one is applied any more where it comes from.
      else if (log === replica.log && epoch === replica.epoch) election.placed(client, seq, state);
    },
    want(log, client, number) {
      if (client !== own.id() || log !== replica.log) return;
      sent = Math.min(sent, number - 1);
      send();
    },
    resign(log, epoch, leader, urgent) {
      if (log === replica.log && (!lifecycle || urgent)) election.resigned({ log, epoch, leader });
    },
    challenge: (log, epoch, client) => election.challenged(epoch, client, lifecycle !== FROZEN),
    here: (log, epoch) => log === replica.log && election.heard(epoch),
    operations(log, client, operations) {
      if (context.leader && log === replica.log) context.leader.accept(client, operations);
    },
  };

  /** What comes on the channel where operations do, and nothing else, or on the other one. @param {boolean} operations */
  const receive = (operations) => (/** @type {any} */ message) => {
    const [kind, values] = fromMessage(message);
    if (!kind || (kind === 'operations') !== operations) {
      place.warn('foreign message');
      return;
    }
    if (kind !== 'hello' && kind !== 'goodbye') joining.logHeard();
    if (handlers[kind]) handlers[kind](...values);
    else ordered(kind, values);
    applied();
    jobs = own.busy() ? JOBS : 0;
    countJobs();
    own.tellListeners(context.tellSoon);
  };

  const isAway = () => lifecycle > FROZEN;

  /** Rule R15: on a phone the hidden page may be stopped, and a new one must not have to wait for it. Returns whether there was no need. */
  const stay = () => {
    const away = isAway();
    if (!lifecycle || (own.busy() && !away)) return true;
    resting = resting || context.phase !== LEFT;
    joining.leave(away);
    return false;
  };

  /** @param {import('../platform/lifecycle.js').Lifecycle} state */
  const heed = (state) => {
    lifecycle = state;
    if (!state) {
      if (context.phase === LEFT && (resting || own.busy())) joining.start();
      resting = false;
    } else if (stay() && context.leader && !context.leader.alone) {
      context.post('resign', replica.log, context.leader.epoch, own.id(), state === FROZEN ? 1 : 0);
    }
  };

  const startUnlessAway = () => {
    if (!isAway()) joining.start();
  };

  if (place.onLifecycle) place.onLifecycle(heed);

  /** @type {any} */
  const log = {
    request: own.request,
    drop: own.drop,
    async query() {
      await own.mark();
      return replica.core.state();
    },
  };
  // eslint-disable-next-line no-unused-labels -- nobody can ask the script-tag build for these, so build/bundle.mjs leaves them out there
  PACKAGE: Object.assign(log, {
    clientId: own.id,
    forceRelease: (/** @type {string[]} */ names) => own.mark({ type: 'force-release', names }),
    async inspect() {
      const state = await log.query();
      const { epoch, seq } = replica;
      const { leader } = context;
      return { client: own.id(), leader: /** @type {any} */ (election).leader(), epoch, seq, alone: !!leader && leader.alone, state };
    },
    leave() {
      joining.leave(false);
      // Somebody still waits for an answer.
      if (own.busy()) startUnlessAway();
    },
  });
  return log;
};
