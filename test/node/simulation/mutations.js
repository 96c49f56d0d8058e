/**
 * Deliberate faults in what processes tell each other, to show that the simulation finds such. Each replaces some text of one file in
 * glue/platform/node; the text must be there.
 *
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} file
 * @property {[string, string]} change from what to what
 * @property {string} [schedule] the exact one that finds it; without one, random worlds do
 * @property {string[]} [faults] the kinds that bring it to light there; none where it is slow although nothing goes wrong
 */
import { bundleVariant } from '../../simulation/variant.js';
import { at } from '../support.js';

/** @type {Mutation[]} */
export const mutations = [
  {
    name: 'who releases does not ring for the next',
    file: 'ringing.js',
    change: ['concerned.forEach((each) => promises?.wasTold(each) || bell.ring(each))', 'concerned.clear()'],
    faults: [],
  },
  {
    name: 'who has promised to ring does not',
    file: 'promises.js',
    change: ['answer({ from: client(), number: operation.number });', ''],
    faults: [],
  },
  {
    name: 'whoever is rung for is deaf for longer and longer, however seldom that is',
    file: 'notices.js',
    change: ['const isBusy = time - stirredAt - respite < 2 * RESPITE;', 'const isBusy = time - stirredAt < 2 * RESPITE_LONGEST;'],
    schedule: 'some entries each second do not make a process deaf that the kernel rings for',
  },
  {
    name: 'who has promised to ring before it writes does so afterwards alone',
    file: 'ringing.js',
    change: ['promises?.announce(operations);', ''],
    schedule: 'a holder stops right after it has released: the next has the lock',
  },
  {
    name: 'who waits does not register',
    file: 'notices.js',
    change: ['if (fresh.length) bell.ring(blocker, { from: client(), last: core.last(client()), behind: fresh });', ''],
    schedule: 'a promise that comes late counts: the next sleeps, and is told',
  },
  {
    name: 'who is told of an end behind which somebody has registered does not look for the next one',
    file: 'notices.js',
    change: ['if (journal.place() === checkedAt) return;', 'if (checkedAt) return;'],
    schedule: 'who waited in the middle gives up and stops: whoever is behind is next, and is told',
  },
  {
    name: 'a steal is not told before it is written',
    file: 'ringing.js',
    change: ['      ringAll({ client: client(), number: operations[operations.length - 1].number });\n', ''],
    schedule: 'a thief stops right after it has stolen: the holder is told',
  },
  {
    name: 'who has been promised nothing sleeps all the same',
    file: 'notices.js',
    change: ['const result = register(state);', 'const result = register(state) && \'promised\';'],
    schedule: 'a holder is stopped before it can promise, and releases and stops once it goes on: the next has the lock',
  },
  {
    name: 'limits of time are not looked at',
    file: 'notices.js',
    change: ['return isLimited ? \'late\' : result;', 'return result;'],
    schedule: 'the lease of a stopped holder runs out while the next sleeps: the next has the lock',
  },
  {
    name: 'who has asked the last one sleeps, though another one has not promised in time',
    file: 'notices.js',
    change: ["if (fresh.length && result === 'promised')", 'if (fresh.length)'],
    schedule: 'and where the next has just asked for what somebody else holds, who has yet to promise',
  },
  {
    name: 'whoever the kernel rings for looks no sooner for the dead whom it has begun to wait for',
    file: 'notices.js',
    change: ['attending && !hasActed ?', 'attending ?'],
    schedule: 'whoever the kernel rings for asks for what a dead one holds, which nobody has noticed: it soon has the lock',
  },
  {
    name: 'a lease of its own keeps a process awake',
    file: 'notices.js',
    change: ['request.client !== client() && (request.deadline', '(request.deadline'],
    schedule: 'whoever waits, and holds a lock with a lease of its own, sleeps',
  },
  {
    name: 'a promise outlives its connection',
    file: 'notices.js',
    change: ['if (!asked.delete(each) || !isNeeded()) return;', 'return;'],
    schedule: 'a connection ends, and the holder releases and stops: the next has the lock',
  },
  {
    name: 'who leaves does not say so before',
    file: 'log.js',
    change: ['promises?.leave();', ''],
    schedule: 'who leaves stops right after it has said so: the next has the lock',
  },
  {
    name: 'who leaves does not look whether that counts',
    file: 'log.js',
    change: ['if (members().has(membership.client())) sayGone();', ''],
    schedule: 'who leaves writes so right after the end of a file: the next has the lock, though it watches nobody yet',
  },
  {
    name: 'who writes of a death does not look whether that counts',
    file: 'burials.js',
    change: ['writeGone(listed());', ''],
    schedule: 'who writes of a death does so right after the end of a file: the next has the lock',
  },
  {
    name: 'who writes of a death looks whether that counts, and writes once more in any case',
    file: 'burials.js',
    change: ['if (clients.length) write', 'write'],
    schedule: 'whoever learns of a death writes that once',
  },
  {
    name: 'who reads all the time does not look for deaths',
    file: 'notices.js',
    change: ['        attemptAndTell(() => lookout.lookAt(core.state()));\n', ''],
    schedule: 'who waits for a holder that dies takes another lock all the time: it has the lock',
  },
  {
    name: 'who has been promised nothing reads every entry',
    file: 'notices.js',
    change: ['if (!attending || !respite || endRespite) return;', 'return;'],
    schedule: 'who has been promised nothing reads seldom while others write all the time, and at once when they rest',
  },
  {
    name: 'the time is written only where somebody has a deadline, as far as the writer has read',
    file: 'ticks.js',
    change: ['time > core.time()', 'core.nextDeadline() < Infinity'],
    schedule: 'a lease counts from its grant, though whoever releases was busy, and has not read of it',
  },
  {
    name: 'the kernel rings for everybody, for ever',
    file: 'notices.js',
    change: ['    endRespite = undefined;\n    kernel.unattend();\n', ''],
    schedule: 'a promise that comes late counts: the next sleeps, and is told',
  },
  {
    name: 'a thread that waits does not look whether a lease has begun',
    file: 'lookout.js',
    change: ['    heedLeases(state);\n', ''],
    schedule: 'a lease ends, though its holder was busy when it began',
  },
  {
    name: 'a thread that waits tells the holder of that whenever it looks',
    file: 'lookout.js',
    change: ['lookedLast = core.last(client());', ''],
    schedule: 'a holder that is busy is told once of each request that waits for its lock, whatever its thread asks for besides',
  },
  {
    name: 'a thread that comes again tells holders of none of its first requests',
    file: 'lookout.js',
    change: ['lookedLast = 0;\n    },', '},'],
    schedule: 'and of the requests of who has left and come again, though these have lower numbers',
  },
  {
    name: 'a thread that hears of a steal to come does not watch the thief',
    file: 'log.js',
    change: ['lookout.expect(message.client, message.number)', 'undefined'],
    schedule: 'a thief is slow before it writes, and is terminated right after it has stolen: the holder is told',
  },
  {
    name: 'of several that have registered behind one request, the last alone is remembered',
    file: 'promises.js',
    change: ['registered.get(each) || new Map()', 'new Map()'],
    schedule: 'a holder stops right after it has released: all that wait to share the lock have it',
  },
  {
    name: 'who is told of an end to come sleeps on',
    file: 'notices.js',
    change: ['lookout.expect(from, notice.number);\n        attend();', 'lookout.expect(from, notice.number);'],
    schedule: 'a holder is slow once it has rung, releases, and stops right then: the next has the lock',
  },
  {
    name: 'who is told of an end to come does not remember it',
    file: 'notices.js',
    change: ['expected.set(from, notice.number);', ''],
    schedule: 'a holder has rung and finds the disk full, writes later, and stops right then: the next has the lock',
  },
  {
    name: 'who hears of a steal to come sleeps on',
    file: 'notices.js',
    change: ['if (isNeeded()) {\n        attend();', 'if (isNeeded()) {'],
    schedule: 'a thief is slow once it has announced that, steals, and stops right then: the holder is told',
  },
  {
    name: 'who gives up a check that was due waits for it for ever',
    file: 'notices.js',
    change: ['cancel();\n      due = lookedAt = Infinity;', 'cancel();'],
    schedule: 'who gives up before it has registered, and asks once more, registers: it is told',
  },
  {
    name: 'what was promised to a client counts for the next one of its context',
    file: 'notices.js',
    change: ['asked.clear();', ''],
    schedule: 'who leaves and comes again registers anew with whoever has promised it something before: it is told',
  },
  {
    name: 'who was told once counts as told for ever',
    file: 'promises.js',
    change: ['told.clear()', 'undefined'],
    schedule: 'who was told before a release is rung for after the next one, for which it had no time to register',
  },
  {
    name: 'whoever neither holds nor waits is rung for all the same',
    file: 'settling.js',
    change: ['if (!busy) notices?.rest();', ''],
    schedule: 'whoever neither holds nor waits any more reads nothing, and sleeps when it holds again',
  },
  {
    name: 'who was rung for by the kernel is so again as soon as it holds',
    file: 'notices.js',
    change: ['due = lookedAt = Infinity;\n      stopAttending();', 'due = lookedAt = Infinity;'],
    schedule: 'whoever neither holds nor waits any more reads nothing, and sleeps when it holds again',
  },
  {
    name: 'a thread that is alone looks for announcements before it writes',
    file: 'log.js',
    change: [`    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (!membership.isMember()) return;
    if (solitude.lasts())`, `    const lasts = solitude.lasts();
    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (lasts)`],
    schedule: 'another thread comes, and requests the lock right before it does',
  },
  {
    name: 'a thread counts as alone whoever lives beside it',
    file: 'solitude.js',
    change: ['if (life.hasOthers(client())) return;', ''],
    schedule: 'another thread was announced before it, and writes afterwards',
  },
  {
    name: 'a thread forgets who was announced while it looked who lives',
    file: 'solitude.js',
    change: [`arrivals.any();
      if (life.hasOthers(client())) return;`, `if (life.hasOthers(client())) return;
      arrivals.any();`],
    schedule: 'another thread is announced right after it has looked who lives, and writes afterwards',
  },
  {
    name: 'a thread counts as alone again once it has read what was announced',
    file: 'solitude.js',
    change: ['if (alone && arrivals?.any()) alone = false;\n      return alone;', 'return alone && !arrivals?.any();'],
    schedule: 'who has come writes once more, and nobody is announced again',
  },
  {
    name: 'a thread counts as alone beside another member',
    file: 'solitude.js',
    change: ['members().size === 1 && ', ''],
    schedule: 'a member whose sign of life somebody has removed may write all the same',
  },
  {
    name: 'a thread counts as alone although it is gone and another one is a member',
    file: 'solitude.js',
    change: [' && members().has(client())', ''],
    schedule: 'another member counts it as gone right when it looks who lives: it comes again',
  },
  {
    name: 'a thread counts as alone behind a line that lost its end',
    file: 'solitude.js',
    change: [' && journal.isAtEnd()', ''],
    schedule: 'somebody ends in the middle of a line right before it looks who lives',
  },
  {
    name: 'a thread counts as alone although it is no member any more',
    file: 'solitude.js',
    change: ['isJoined() && journal', 'journal'],
    schedule: 'it counts as gone right when it looks who lives: it comes again',
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
    name: 'who asks for what another one holds writes only when its task has ended',
    file: 'flushing.js',
    change: ['if (request && isHeldByOthers(request)) attempt(writeAll);\n', ''],
    schedule: 'who asks for what another one holds has written that before its task goes on',
  },
  {
    name: 'who asks believes a copy that may be old',
    file: 'flushing.js',
    change: ["if (!isHeldBesides('')) attempt(read);\n", ''],
    schedule: 'who asks for what another one holds has written that before its task goes on',
  },
  {
    name: 'each request is a record of its own',
    file: 'flushing.js',
    change: ["useByOthers(core, client, names) === 'held'", "useByOthers(core, client, names) !== ''"],
    schedule: 'who asks for what another one holds has written that before its task goes on',
  },
  {
    name: 'a thread that is alone reads what it has written',
    file: 'log.js',
    change: ['if (solitude.lasts()) journal.takeLast();\n    else read();', 'read();'],
    schedule: 'who is alone reads nothing that it has written',
  },
];

/** Node's log with some text replaced. @param {Pick<Mutation, 'file' | 'change'>} mutation */
export const createVariant = async ({ file, change }) => {
  const entry = at('glue/platform/node/log.js');
  const { createSharedLog } = await bundleVariant(entry, 'node', /\/platform\/node\/[^/]*\.js$/, { file, changes: [change] });
  return createSharedLog;
};
