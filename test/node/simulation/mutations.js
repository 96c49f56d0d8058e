/**
 * Deliberate faults in what processes tell each other, to show that the simulation finds such faults. Each replaces some text of one
 * file in glue/platform/node; the text must be there.
 *
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} file
 * @property {[string, string]} change old text, new text
 * @property {string} [schedule] the exact one that finds it; without one, random worlds do
 * @property {string[]} [faults] the kinds that show it there; an empty list if it is slow although nothing goes wrong
 */
import { bundleVariant } from '../../simulation/variant.js';
import { at } from '../support.js';

/** @type {Mutation[]} */
export const mutations = [
  {
    name: 'a release does not ring for the next',
    file: 'ringing.js',
    change: ['concerned.forEach((each) => promises?.wasTold(each) || bell.ring(each))', 'concerned.clear()'],
    faults: [],
  },
  {
    name: 'a process that has promised to ring does not',
    file: 'promises.js',
    change: ['answer({ from: client(), number: operation.number });', ''],
    faults: [],
  },
  {
    name: 'a process that is rung for is deaf for longer and longer, however seldom that is',
    file: 'notices.js',
    change: ['const isBusy = time - stirredAt - respite < 2 * RESPITE;', 'const isBusy = time - stirredAt < 2 * RESPITE_LONGEST;'],
    schedule: 'a process for which the kernel rings is not made deaf by some entries each second',
  },
  {
    name: 'a process that has promised to ring before it writes does so only afterwards',
    file: 'ringing.js',
    change: ['promises?.announce(operations);', ''],
    schedule: 'a holder stops right after its release: the next has the lock',
  },
  {
    name: 'a waiter does not register',
    file: 'notices.js',
    change: ['if (fresh.length) bell.ring(blocker, { from: client(), last: core.last(client()), behind: fresh });', ''],
    schedule: 'a late promise counts: the next sleeps, and is told',
  },
  {
    name: 'a waiter that is told of an end, and behind which another has registered, does not look for the next one',
    file: 'notices.js',
    change: ['if (journal.place() === checkedAt) return;', 'if (checkedAt) return;'],
    schedule: 'a waiter in the middle aborts and stops: the one behind it is next, and is told',
  },
  {
    name: 'a steal is not told before it is written',
    file: 'ringing.js',
    change: ['      ringAll({ client: client(), number: operations[operations.length - 1].number });\n', ''],
    schedule: 'a thief stops right after the steal: the holder is told',
  },
  {
    name: 'a waiter sleeps without a promise',
    file: 'notices.js',
    change: ['const result = register(state);', 'const result = register(state) && \'promised\';'],
    schedule: 'a holder is stopped before it can promise, then releases and stops: the next has the lock',
  },
  {
    name: 'time limits are not checked',
    file: 'notices.js',
    change: ['return isLimited ? \'late\' : result;', 'return result;'],
    schedule: 'the lease of a stopped holder runs out while the next sleeps: the next has the lock',
  },
  {
    name: 'a waiter that has asked the last holder sleeps, though another one has not promised in time',
    file: 'notices.js',
    change: ["if (fresh.length && result === 'promised')", 'if (fresh.length)'],
    schedule: 'and where the next has just asked for another lock, whose holder has yet to promise',
  },
  {
    name: 'a process for which the kernel rings looks no sooner for the dead that it has begun to wait for',
    file: 'notices.js',
    change: ['attending && !hasActed ?', 'attending ?'],
    schedule: 'a process for which the kernel rings asks for a lock of a dead holder, whose death is still unknown: it soon has the lock',
  },
  {
    name: 'a lease of its own keeps a process awake',
    file: 'notices.js',
    change: ['request.client !== client() && (request.deadline', '(request.deadline'],
    schedule: 'a waiter that holds a lock with a lease of its own sleeps',
  },
  {
    name: 'a promise outlives its connection',
    file: 'notices.js',
    change: ['if (!asked.delete(each) || !isNeeded()) return;', 'return;'],
    schedule: 'a connection ends, then the holder releases and stops: the next has the lock',
  },
  {
    name: 'a process that leaves does not say so before',
    file: 'log.js',
    change: ['promises?.leave();', ''],
    schedule: 'a holder stops right after it has written that it leaves: the next has the lock',
  },
  {
    name: 'a process that leaves does not check whether its entry counts',
    file: 'log.js',
    change: ['if (members().has(membership.client())) sayGone();', ''],
    schedule: 'a holder writes that it leaves right after the end of a file: the next has the lock, though it watches no process yet',
  },
  {
    name: 'a process that writes of a death does not check whether its entry counts',
    file: 'burials.js',
    change: ['writeGone(listed());', ''],
    schedule: 'a process writes of a death right after the end of a file: the next has the lock',
  },
  {
    name: 'a process that writes of a death checks whether its entry counts, and writes it again in any case',
    file: 'burials.js',
    change: ['if (clients.length) write', 'write'],
    schedule: 'a waiter writes a death once',
  },
  {
    name: 'a process that reads all the time does not look for deaths',
    file: 'notices.js',
    change: ['        attemptAndTell(() => lookout.lookAt(core.state()));\n', ''],
    schedule: 'a waiter takes another lock all the time while the holder dies: it has the lock',
  },
  {
    name: 'a waiter without a promise reads every entry',
    file: 'notices.js',
    change: ['if (!attending || !respite || endRespite) return;', 'return;'],
    schedule: 'a waiter without a promise reads seldom while others write all the time, and at once when they rest',
  },
  {
    name: 'the time is written only where, as far as the writer has read, a request has a deadline',
    file: 'ticks.js',
    change: ['time > core.time()', 'core.nextDeadline() < Infinity'],
    schedule: 'a lease counts from its grant, although the releasing process was busy and has not read of it',
  },
  {
    name: 'the kernel rings for every process, for ever',
    file: 'notices.js',
    change: ['    endRespite = undefined;\n    kernel.unattend();\n', ''],
    schedule: 'a late promise counts: the next sleeps, and is told',
  },
  {
    name: 'a waiting thread does not check whether a lease has begun',
    file: 'lookout.js',
    change: ['    heedLeases(state);\n', ''],
    schedule: 'a lease ends, though its holder was busy when it began',
  },
  {
    name: 'a waiting thread tells the holder so whenever it looks',
    file: 'lookout.js',
    change: ['lookedLast = core.last(client());', ''],
    schedule: 'a busy holder is told once of each request for its lock, whatever else the waiter\'s thread asks for',
  },
  {
    name: 'a thread that comes back tells holders of none of its first requests',
    file: 'lookout.js',
    change: ['lookedLast = 0;\n    },', '},'],
    schedule: 'and of the requests of a waiter that has left and come back, though these have lower numbers',
  },
  {
    name: 'a thread that hears of a coming steal does not watch the thief',
    file: 'log.js',
    change: ['lookout.expect(message.client, message.number)', 'undefined'],
    schedule: 'a thief is slow before it writes, and is terminated right after the steal: the holder is told',
  },
  {
    name: 'of several that have registered behind one request, only the last is remembered',
    file: 'promises.js',
    change: ['registered.get(each) || new Map()', 'new Map()'],
    schedule: 'a holder stops right after its release: all that wait to share the lock have it',
  },
  {
    name: 'a waiter that is told of a coming end sleeps on',
    file: 'notices.js',
    change: ['lookout.expect(from, notice.number);\n        attend();', 'lookout.expect(from, notice.number);'],
    schedule: 'a holder is slow after it has rung, releases, and stops right then: the next has the lock',
  },
  {
    name: 'a waiter that is told of a coming end does not remember it',
    file: 'notices.js',
    change: ['expected.set(from, notice.number);', ''],
    schedule: 'a holder has rung, finds the disk full, writes later, and stops right then: the next has the lock',
  },
  {
    name: 'a holder that hears of a coming steal sleeps on',
    file: 'notices.js',
    change: ['if (isNeeded()) {\n        attend();', 'if (isNeeded()) {'],
    schedule: 'a thief is slow after it has announced the steal, steals, and stops right then: the holder is told',
  },
  {
    name: 'a process that gives up a due check waits for it for ever',
    file: 'notices.js',
    change: ['cancel();\n      due = lookedAt = Infinity;', 'cancel();'],
    schedule: 'a process that aborts before it has registered, and asks again, registers: it is told',
  },
  {
    name: 'a promise to a client counts for the next client of its context',
    file: 'notices.js',
    change: ['asked.clear();', ''],
    schedule: 'a process that leaves and comes back registers again with a holder that had promised it a ring: it is told',
  },
  {
    name: 'a process that was told once counts as told for ever',
    file: 'promises.js',
    change: ['told.clear()', 'undefined'],
    schedule: 'a waiter was told of one release, and has no time to register for the next: it is still rung for',
  },
  {
    name: 'a process that neither holds nor waits is still rung for',
    file: 'settling.js',
    change: ['if (!busy) notices?.rest();', ''],
    schedule: 'a process that no longer holds or waits reads nothing, and sleeps when it holds again',
  },
  {
    name: 'a process that the kernel rang for is rung for again as soon as it holds',
    file: 'notices.js',
    change: ['due = lookedAt = Infinity;\n      stopAttending();', 'due = lookedAt = Infinity;'],
    schedule: 'a process that no longer holds or waits reads nothing, and sleeps when it holds again',
  },
  {
    name: 'a thread that is alone looks for announcements before it writes',
    file: 'log.js',
    change: [`    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (!membership.isMember()) return;
    if (solitude.lasts())`, `    const lasts = solitude.lasts();
    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (lasts)`],
    schedule: 'another thread comes, and requests the lock right before this one',
  },
  {
    name: 'a thread counts as alone although another one lives beside it',
    file: 'solitude.js',
    change: ['if (life.hasOthers(client())) return;', ''],
    schedule: 'another thread was announced before this one, and writes afterwards',
  },
  {
    name: 'a thread forgets an announcement that came while it looked for signs of life',
    file: 'solitude.js',
    change: [`arrivals.any();
      if (life.hasOthers(client())) return;`, `if (life.hasOthers(client())) return;
      arrivals.any();`],
    schedule: 'another thread is announced right after this one has looked for signs of life, and writes afterwards',
  },
  {
    name: 'a thread counts as alone again once it has read what was announced',
    file: 'solitude.js',
    change: ['if (alone && arrivals?.any()) alone = false;\n      return alone;', 'return alone && !arrivals?.any();'],
    schedule: 'a newcomer writes again, and is not announced again',
  },
  {
    name: 'a thread counts as alone beside another member',
    file: 'solitude.js',
    change: ['members().size === 1 && ', ''],
    schedule: 'a member without its sign of life may still write',
  },
  {
    name: 'a thread counts as alone although it is gone and another one is a member',
    file: 'solitude.js',
    change: [' && members().has(client())', ''],
    schedule: 'another member declares the thread gone right when it looks for signs of life: it comes back',
  },
  {
    name: 'a promise still holds after its ring came while nobody waited',
    file: 'notices.js',
    change: ['else if (!isNeeded()) asked.delete(from);', 'else if (!isNeeded()) return;'],
    schedule: 'a holder has rung while nobody waited, and writes later: who has asked again has the lock',
  },
  {
    name: 'a thread counts as alone behind a line that lost its end',
    file: 'solitude.js',
    change: [' && journal.isAtEnd()', ''],
    schedule: 'another thread ends in the middle of a line right before this one looks for signs of life',
  },
  {
    name: 'a thread counts as alone although it is no longer a member',
    file: 'solitude.js',
    change: ['isJoined() && journal', 'journal'],
    schedule: 'the thread is declared gone right when it looks for signs of life: it comes back',
  },
  {
    name: 'a thread announces itself after it has opened the journal, where it may have written a head',
    file: 'membership.js',
    change: [`      if (isWanted()) arrivals?.announce();
      await openJournal(isWanted);`, `      await openJournal(isWanted);
      if (isWanted()) arrivals?.announce();`],
    schedule: 'a thread shows that it lives, then announces itself, and only then opens the journal',
  },
  {
    name: 'a thread announces itself before it shows that it lives',
    file: 'membership.js',
    change: [`      held = await life.hold(mine);
      // This comes after the sign of life and before any entry: see ./solitude.js.
      if (isWanted()) arrivals?.announce();`, `      arrivals?.announce();
      held = await life.hold(mine);`],
    schedule: 'a thread shows that it lives, then announces itself, and only then opens the journal',
  },
  {
    name: 'a request for a lock of another holder is written only when its task has ended',
    file: 'flushing.js',
    change: ['if (request && isHeldByOthers(request)) attempt(writeAll);\n', ''],
    schedule: 'a request for a lock that another thread holds is written before the task goes on',
  },
  {
    name: 'a request trusts a copy that may be old',
    file: 'flushing.js',
    change: ["if (!isHeldBesides('')) attempt(read);\n", ''],
    schedule: 'a request for a lock that another thread holds is written before the task goes on',
  },
  {
    name: 'each request is a record of its own',
    file: 'flushing.js',
    change: ["useByOthers(core, client, names) === 'held'", "useByOthers(core, client, names) !== ''"],
    schedule: 'a request for a lock that another thread holds is written before the task goes on',
  },
  {
    name: 'a thread that is alone reads what it has written',
    file: 'log.js',
    change: ['if (solitude.lasts()) journal.takeLast();\n    else read();', 'read();'],
    schedule: 'a thread that is alone does not read what it has written',
  },
];

/** Node's log with some text replaced. @param {Pick<Mutation, 'file' | 'change'>} mutation */
export const createVariant = async ({ file, change }) => {
  const entry = at('glue/platform/node/log.js');
  const { createSharedLog } = await bundleVariant(entry, 'node', /\/platform\/node\/[^/]*\.js$/, { file, changes: [change] });
  return createSharedLog;
};
