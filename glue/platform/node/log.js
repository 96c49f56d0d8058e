/**
 * A context's part in the log of one manager, with a journal as the order. It is the log of docs/protocol.md without messages: an operation
 * has its place as soon as it is written. The context reads up to that place at once, so it knows the outcome when the write returns. A
 * release is in the journal before other code runs. The context that releases a lock rings for the next one directly.
 */
import { AsyncResource } from 'node:async_hooks';
import { hasOwn } from '../../core/own-member.js';
import { createOwnRequests } from '../../log/own-requests.js';
import { createAttempts } from './attempts.js';
import { createBurials } from './burials.js';
import { createCopy } from './copy.js';
import { createFlushing } from './flushing.js';
import { createKeeping } from './keeping.js';
import { createLookout } from './lookout.js';
import { createMembership } from './membership.js';
import { createNotices } from './notices.js';
import { createPromises } from './promises.js';
import { createQueries } from './queries.js';
import { createRinging } from './ringing.js';
import { withSecondLook } from './second-look.js';
import { createSettling } from './settling.js';
import { createSolitude } from './solitude.js';
import { createTelling } from './telling.js';
import { createTicks } from './ticks.js';

/**
 * @param {import('./types.js').Surroundings} surroundings
 * @param {() => import('../../core/types.js').Core} createCore
 * @returns {import('../../log/types.js').LockLog}
 */
export const createSharedLog = (surroundings, createCore) => {
  const { life, bell, now } = surroundings;
  /** The state was replaced, and this context has not compared its requests with it yet. */
  let restored = false;
  let dropping = false;
  /** The number of this client's last operation that may be in the journal. */
  let sent = 0;

  const own = createOwnRequests((request) => {
    attempts.deal();
    if (membership.isIdle()) membership.start();
    else if (!dropping) flushing.soon(request);
  }, () => false);
  const telling = createTelling(own, surroundings);

  const copy = createCopy(createCore, {
    applied(operation, events, by) {
      const client = membership.client();
      if (operation.type === 'gone') [lookout, notices].forEach((each) => each?.forget(operation.client));
      for (const event of events) {
        if (event.client === client && !restored && event.type !== 'joined' && event.type !== 'removed') {
          own.eventHappened(event, operation);
          telling.add();
        }
        if (by === client) ringing.caused(event);
      }
      // Now, and not when the whole record was applied: a query shows nothing of what was asked for after it.
      const isOwn = operation.type !== 'gone' && operation.type !== 'tick' && operation.client === client && members().has(client);
      if (isOwn && !restored) own.operationDelivered(operation.number);
    },
    replaced() {
      restored = true;
      telling.add();
    },
  });
  const { core, members } = copy;

  const journal = surroundings.createJournal({
    randomId: surroundings.randomId,
    snapshot: () => core.snapshot(),
    begin: () => copy.begin(surroundings.wallClock()),
    restore: copy.restore,
    apply: copy.take,
  });

  const membership = createMembership({
    surroundings, own, journal,
    again() {
      (notices || lookout).doubt();
      // Others may have rung for this context meanwhile, and will not ring again.
      if (attempt(read)) flushing.soon();
      telling.now();
    },
    joined() {
      restored = false;
      solitude.doubt();
      bell.listen(membership.client(), {
        rung,
        alarmed: () => notices?.alarmed(),
        stirred: () => notices?.stirred(),
        cut: (client) => notices?.cut(client),
      });
      burials.visitSome(Math.floor(now()));
      flushing.soon();
      life.sweep(members()).catch(() => {});
    },
    left() {
      own.forgetForced(sent);
      sent = 0;
      settling.leave();
      keeping.stop();
      lookout.stop();
      notices?.stop();
      ringing.ring();
      bell.close();
    },
    tell: telling.addSoon,
  });

  const promises = bell.kernel && createPromises({ core, client: membership.client, isOpen: own.isOpen });
  const ringing = createRinging({ bell, core, members, client: membership.client, firstPath: journal.firstPath, promises });
  const parts = {
    surroundings, journal, core, members, client: membership.client,
    isNeeded: () => settling.isBusy() && membership.isMember(),
    readAndTell: () => void lookForNews(),
    attemptAndTell(/** @type {() => void} */ action) {
      attempt(action);
      telling.soon();
    },
  };
  const solitude = createSolitude({
    surroundings, journal, members, client: membership.client,
    read: () => read(),
    bury: () => burials.visitSome(0),
  });
  const lookout = createLookout({
    ...parts,
    died: (dead) => burials.bury([dead]),
    failed: (error) => membership.isMember() && membership.fail(error),
  });

  const notices = bell.kernel && promises && createNotices({ ...parts, kernel: bell.kernel, lookout, promises });

  // The parts need each other, so some get functions that are defined only below.
  const burials = createBurials({
    life, copy, membership, ringing,
    attempt: (action) => attempt(action),
    read: () => read(),
    write: (operations) => write(operations),
    tell: telling.soon,
  });

  const ticks = createTicks({
    surroundings, core,
    pause: membership.pause,
    tick: () => (attempt(() => write([])), telling.soon()),
  });

  const flushing = createFlushing({
    surroundings, own, core, membership, solitude,
    isBusy: () => settling.isBusy(),
    attempt: (action) => attempt(action),
    read: () => read(),
    write(operations) {
      ringing.announce(operations);
      sent = operations[operations.length - 1].number;
      write(operations);
    },
    tell: telling.inJob,
  });

  const keeping = createKeeping({ own, core, journal, membership, setTimer: surroundings.setTimer });
  const settling = createSettling({
    surroundings, own, membership, ringing, ticks, keeping, lookout, notices,
    look: () => lookForNews(),
    deal: () => attempts.deal(),
  });

  /** R7: the state was replaced, or this client has been declared dead. */
  const compare = () => {
    const [first] = own.outstanding();
    const last = core.last(membership.client());
    if (last >= 0 && restored) {
      own.operationDelivered(last);
      own.compare(core.state(), []);
    }
    restored = false;
    if (last < 0 && !(first && first.type === 'join')) membership.lost();
  };

  const read = () => {
    journal.read();
    notices?.hasRead();
    if (restored || !members().has(membership.client())) compare();
  };

  /** @param {import('../../core/types.js').Operation[]} operations */
  const write = (operations) => {
    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (!membership.isMember()) return;
    if (solitude.lasts()) journal.takeLast();
    else read();
  };

  /** This context leaves, so it ignores what it reads here. */
  const sayGone = () => {
    journal.append({ by: membership.client(), operations: ticks.timed([{ type: 'gone', client: membership.client() }]) });
    journal.read();
  };

  const attempts = createAttempts({
    own, membership, journal, solitude, ringing, settling, read,
    compare: () => restored && compare(),
    doubt: () => (notices || lookout).doubt(),
  });
  const { attempt } = attempts;

  /** @param {import('./bell.js').Message | undefined} message @param {import('./bell.js').Answer} answer */
  const rung = (message, answer) => {
    attempt(read);
    if (membership.isMember() && message) {
      if (notices) notices.hear(message, answer);
      else if (hasOwn(message, 'client') && core.last(message.client) < message.number) lookout.expect(message.client, message.number);
    }
    telling.now();
  };

  /** @returns {boolean} whether there was news for this context */
  const lookForNews = () => {
    attempt(read);
    const found = telling.hasNews();
    telling.now();
    return found;
  };

  /** @type {import('../../log/types.js').LockLog} */
  const log = {
    clientId: membership.client,

    request(description, listener) {
      // Any job of this thread may read the outcome, but the callback must run in the async context of its own request (AsyncLocalStorage).
      const context = new AsyncResource('LockRequest');
      let isMade = false;
      /** @this {import('../../log/types.js').LogRequest} @param {import('../../log/types.js').Outcome} outcome @param {number} fence */
      const hear = function (outcome, fence) {
        if (isMade) context.runInAsyncScope(listener, undefined, outcome, fence, outcome === 'lost' ? membership.reason() : undefined);
        // The stack has ended inside own.request(). Its caller was told so, and knows no request.
        else if (outcome === 'granted') log.drop(this);
      };
      const request = own.request(description, hear);
      isMade = true;
      return request;
    },

    drop(request) {
      // Write at once: the rest of this task may take long.
      dropping = membership.isMember();
      try {
        own.drop(request);
      } finally {
        dropping = false;
      }
      if (!membership.isMember()) return;
      flushing.now();
      if (!request.fence) ringing.queueChanged();
      telling.soon();
    },

    detach(request) {
      keeping.detach(request);
      settling.soon();
    },

    join() {
      if (membership.isIdle()) membership.start();
    },

    ...createQueries({ surroundings, own, copy, journal, membership, burials }),

    leave() {
      if (membership.isIdle()) return;
      if (membership.isMember()) {
        promises?.leave();
        try {
          sayGone();
          // An entry after the end of a file does not count, so write it again.
          if (members().has(membership.client())) sayGone();
        } catch {
          // The others will see the end of this context's sign of life.
        }
      }
      membership.leave();
    },
  };
  return withSecondLook(log, burials.buryBefore);
};
