/**
 * How a context becomes a member, and what it does after a failure. If a retry may help, it tries again. If the others have declared it
 * dead, it joins anew. If nothing helps, it rejects its requests.
 */
import { LONGEST_TIMER } from '../../log/clock.js';
import { codeOf, mayPass } from './errors.js';
import { removedJournal } from './format.js';
import { createTrouble } from './trouble.js';

/**
 * How often an idle context checks whether the journal was removed, in milliseconds. It then also touches the files, so that they do not
 * look like leftovers.
 */
const TOUCH = 12 * 3600 * 1000;

/** How often an active context checks whether the journal was removed, in milliseconds. */
const LOOK = 1000;

const none = () => {};

/**
 * @param {object} parts
 * @param {import('./types.js').Surroundings} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {import('./types.js').Journal} parts.journal
 * @param {() => void} parts.joined this context is a member now, and may write
 * @param {() => void} parts.left this context is no longer a member
 * @param {() => void} parts.again writes again what could not be written before
 * @param {() => void} parts.tell there is news for the listeners
 */
export const createMembership = ({ surroundings, own, journal, joined, left, again, tell }) => {
  const { arrivals, life, now, setTimer, defer, warn, randomId, keepAlive } = surroundings;
  /** @type {'idle' | 'joining' | 'member'} */
  let phase = 'idle';
  let client = '';
  /** How often it was to start. */
  let starts = 0;
  let /** @type {import('./types.js').Hold | undefined} */ hold;
  /** Why this context could not go on. */
  let /** @type {Error | undefined} */ reason;
  let cancelTouch = none;
  let lookedAt = 0;
  /** Ends the timer that keeps the thread alive while there is no [hold] that could. @type {(() => void) | undefined} */
  let endKeeping;
  const trouble = createTrouble(warn, setTimer);

  const start = async () => {
    const count = starts;
    const mine = client = randomId();
    own.begin(mine);
    const isWanted = () => client === mine && starts === count && phase === 'joining';
    let prepared = false;
    let /** @type {import('./types.js').Hold | undefined} */ held;
    try {
      surroundings.prepare();
      prepared = true;
      held = await life.hold(mine);
      // This comes after the sign of life and before any entry: see ./solitude.js.
      if (isWanted()) arrivals?.announce();
      await openJournal(isWanted);
    } catch (error) {
      held?.close();
      if (!isWanted()) return;
      journal.close();
      arrivals?.close();
      // Another process may have removed the directory just after it was made.
      const mayHelp = mayPass(error) || (prepared && codeOf(error) === 'ENOENT');
      if (mayHelp) {
        trouble.retry(error, () => isWanted() && start());
        membership.keep(own.busy());
      } else membership.fail(error);
      return;
    }
    if (!isWanted()) {
      held.close();
      return;
    }
    membership.keep(false);
    hold = held;
    reason = undefined;
    phase = 'member';
    trouble.over();
    cancelTouch = setTimer(touch, TOUCH);
    lookedAt = now();
    joined();
  };

  /** Starts in a job of its own. Where a request is made, the stack may be about to end, and a start must not end halfway. */
  const startSoon = () => {
    const mine = starts + 1;
    defer(() => mine === starts && phase === 'joining' && void start());
    starts = mine;
    phase = 'joining';
  };

  /** @param {() => boolean} isWanted */
  const openJournal = async (isWanted) => {
    while (isWanted()) {
      try {
        journal.open();
        return;
      } catch (error) {
        // Read the journal first and then the signs of life: a context that begins in between finds what was written before.
        if (!(/** @type {{isFormer?: boolean}} */ (error).isFormer) || await life.hasStrangers()) throw error;
        if (isWanted()) journal.succeed();
      }
    }
  };

  const touch = () => {
    cancelTouch = setTimer(touch, TOUCH);
    try {
      membership.look();
      if (phase !== 'member') return;
      journal.touch();
      life.touch(client);
    } catch (error) {
      membership.failed(error);
    }
  };

  const stop = () => {
    phase = 'idle';
    membership.keep(false);
    cancelTouch();
    trouble.over();
    left();
    journal.close();
    hold?.close();
    hold = undefined;
    arrivals?.close();
  };

  const membership = {
    client: () => client,
    isMember: () => phase === 'member',
    isIdle: () => phase === 'idle',
    /** Why all requests are lost, after fail(). */
    reason: () => reason,

    start: startSoon,

    /** Sets whether this thread stays alive. @param {boolean} wanted */
    keep(wanted) {
      if (hold) hold[wanted && keepAlive ? 'ref' : 'unref']();
      else if (wanted && keepAlive) endKeeping = endKeeping || setTimer(none, LONGEST_TIMER, true);
      else {
        endKeeping?.();
        endKeeping = undefined;
      }
    },

    /** The others have declared this client dead: its locks are lost, and it joins again as another client. */
    lost() {
      own.lose(false);
      stop();
      startSoon();
      tell();
    },

    /** Joins anew if the journal was removed. */
    look() {
      if (journal.isRemoved()) membership.failed(removedJournal());
    },

    /**
     * Call it before each read or write: otherwise this context could be granted a lock that others hold in a new journal.
     * @returns {boolean} whether it has checked
     */
    lookSometimes() {
      const time = now();
      if (time - lookedAt < LOOK) return false;
      lookedAt = time;
      membership.look();
      return true;
    },

    /** @param {unknown} error of something that this context did as a member */
    failed(error) {
      const { syscall, message } = /** @type {NodeJS.ErrnoException} */ (error);
      // After a failed system call the state is still right. Without memory it may be half changed.
      if (mayPass(error) && syscall) trouble.retry(error, again);
      else if (mayPass(error) || codeOf(error) === 'ENOENT') {
        warn(`Lockkeeper: ${message}; this context starts anew`);
        membership.lost();
      } else membership.fail(error);
    },

    /** The failure is over. */
    works: trouble.over,

    /** Milliseconds from the last failure to the retry; 0 if nothing has failed. */
    pause: trouble.pause,

    /** A retry does not help: rejects all requests with [error]. The next request tries again. @param {unknown} error */
    fail(error) {
      reason = /** @type {Error} */ (error);
      own.lose(true);
      stop();
      // Queries wait, too. When they resume, they check the reason.
      own.operationDelivered(Infinity);
      tell();
    },

    /** Leaves: all held and pending requests end as lost. */
    leave() {
      own.lose(true);
      stop();
      tell();
      // Queries still wait for an answer.
      if (own.busy()) startSoon();
    },
  };
  return membership;
};
