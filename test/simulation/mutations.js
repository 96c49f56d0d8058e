/**
 * Deliberate faults in the log, to show that the simulation and the exact schedules find such. Each replaces some text of one file; the
 * text must be there.
 *
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} file in glue/log
 * @property {[string, string][]} changes each from what to what
 * @property {string} [schedule] the exact schedule that finds it; without one, random worlds do
 * @property {string[]} [faults] the kinds that bring it to light there
 *
 * @type {Mutation[]}
 */
export const mutations = [
  {
    name: 'an answer counts for whatever hello was last (D1)',
    file: 'replica.js',
    changes: [['const from = cuts.get(nonce);', 'const from = [...cuts.values()].pop();']],
    schedule: 'D1: an answer counts for its own hello, and what came since is applied after it',
  },
  {
    name: 'what comes right after the own hello is not kept (D1)',
    file: 'replica.js',
    changes: [['cuts.set(nonce, kept.length);', 'cuts.set(nonce, kept.length + 1);']],
    schedule: 'D1: an answer counts for its own hello, and what came since is applied after it',
  },
  {
    name: 'a state is taken a message late (D1)',
    file: 'asking.js',
    changes: [[
      "context.post('state', from, nonce, log, count, context.clock.now(), generation, context.duties.epoch(), replica.core.snapshot());",
      "context.connection.later(() => context.post('state', from, nonce, log, count, context.clock.now(), generation, "
        + 'context.duties.epoch(), replica.core.snapshot()), 1);',
    ]],
    faults: ['join'],
  },
  {
    name: 'something is entered before `stateful` is read back (D2)',
    file: 'log.js',
    changes: [["context.phase === 'member' && replica.current", '/^[mr]/.test(context.phase) && replica.current']],
    schedule: 'D2: nothing is entered before the register has said that others will wait for this context\'s death',
  },
  {
    name: 'a state that was given early counts though somebody has been alone since (D2)',
    file: 'register.js',
    changes: [['!!epoch && record.epoch === epoch', '!!epoch']],
    schedule: 'D2: not where a member has been alone since',
  },
  {
    name: 'who becomes alone does not say so in the register (D2)',
    file: 'duties.js',
    changes: [["if (type === 'alone') duties.showsAlone(", 'duties.showsAlone(']],
    schedule: 'D2: not where a member is alone only then',
  },
  {
    name: 'a state that was given early has the time of then (D2, D5)',
    file: 'asking.js',
    changes: [['take(clock + place.now(), state, true);', 'take(clock, state, true);'], ['clock: now - place.now()', 'clock: now']],
    schedule: 'D2, D5: a state that was given while the storage opened has the time of now',
  },
  {
    name: 'a state that was given early counts though somebody has gone on without it (D2, D10)',
    file: 'register.js',
    changes: [[', epoch: `${generation}`', '']],
    schedule: 'D2, D10: a state that was given before somebody goes on without it counts for nothing',
  },
  {
    name: 'who is lost before it is a member says nothing (D2)',
    file: 'membership.js',
    changes: [["if (context.phase !== 'asking') context.sending", "if (context.phase === 'member') context.sending"]],
    schedule: 'D2: who finds that it was removed meanwhile says that it acts no more, and joins anew',
  },
  {
    name: 'a missing record counts, whenever it was read (D3)',
    file: 'duties.js',
    changes: [['!incomplete && known.has(client)', '!incomplete']],
    schedule: 'D3: a read that began before a joiner was there does not bury it',
  },
  {
    name: 'who removes the record of a client that has not joined yet does not bury it (D3)',
    file: 'duties.js',
    changes: [['removed ? concerned().add(removed) : concerned()', 'concerned()']],
    schedule: 'D3, M1: whoever removes a record buries its client, though that client\'s join has not come yet',
  },
  {
    name: 'a death is noticed by nobody (D4)',
    file: 'duties.js',
    changes: [['context.sending.gone(client);', '']],
    schedule: 'D4: what a dead leader held comes free',
  },
  {
    name: 'who waits does not watch those it waits for (D4)',
    file: 'duties.js',
    changes: [['if (own.waits()) blockersOf(', 'if (false) blockersOf(']],
    schedule: 'D4: who waits learns of the death of whom it waits for, though the leader sleeps',
  },
  {
    name: 'the state does not have the time (D5)',
    file: 'asking.js',
    changes: [['    else context.clock.set(now);\n', '']],
    schedule: 'D5: the state has the time, so a deadline counts from now',
  },
  {
    name: 'who releases tells the time only where there is a deadline (D5)',
    file: 'sending.js',
    changes: [['replica.hash(), clock.now(),', 'replica.core.hash(), replica.core.nextDeadline() < Infinity ? clock.now() : 0,']],
    schedule: 'D5: a lease counts from its grant: the holder releases, and has been busy all the while',
  },
  {
    name: 'a context that is alone does not look at the time (D5)',
    file: 'sending.js',
    changes: [['now > replica.core.time() ? ', 'now < 0 ? ']],
    schedule: 'D5: a lease counts from its grant: nobody else is there',
  },
  {
    name: 'a death does not carry the time (D5)',
    file: 'sending.js',
    changes: [['if (replica.current) context', 'if (false) context']],
    schedule: 'D5: a lease counts from its grant: the holder dies',
  },
  {
    name: 'a newcomer keeps its own clock (D5)',
    file: 'asking.js',
    changes: [['if (hadState) context', 'if (true) context']],
    schedule: 'D5: a context that is older than the log, and comes late, has the log\'s time',
  },
  {
    name: 'a fresh log is acted upon before its `begin` is delivered (D6)',
    file: 'membership.js',
    changes: [[
      '      context.duties.showsAlone(record, hellos);\n',
      '      context.duties.showsAlone(record, hellos);\n      beginLog();\n',
    ]],
    schedule: 'D6: a `begin` is awaited before anything is entered',
  },
  {
    name: 'another log\'s `begin` is not heeded (D6)',
    file: 'membership.js',
    changes: [['begun: returning.suspend, restored: returning.suspend, member: returning.suspend', '']],
    schedule: 'D6: not before it has read the register either',
  },
  {
    name: 'a fresh log does not wait for the living (D6)',
    file: 'register.js',
    changes: [['!stateful || known ||', 'true || known ||']],
  },
  {
    name: 'an empty register is believed, whoever is heard',
    file: 'listening.js',
    changes: [['      heard = true;\n', '']],
    faults: ['wipe', 'join'],
  },
  {
    name: 'alone without a read of the register (D7)',
    file: 'duties.js',
    changes: [['verified !== hellos || ', '']],
    schedule: 'D7: not before a read of the register that began since has shown only this context',
  },
  {
    name: 'alone though somebody has said hello since (D7)',
    file: 'duties.js',
    changes: [['verified !== hellos || ', 'verified < 0 || ']],
    schedule: 'D7: not where somebody has said hello since that read began',
  },
  {
    name: 'alone while a message of its own is on its way (D7)',
    file: 'duties.js',
    changes: [[' || context.underway()) return;', ') return;']],
    schedule: 'D7: not while something of its own is on its way',
  },
  {
    name: 'a hello does not end being alone (D7)',
    file: 'duties.js',
    changes: [['      context.alone = false;\n      if (!hello) return;', '      if (!hello) return;']],
    schedule: 'D7: a hello ends it before it is answered',
  },
  {
    name: 'nothing is sent again (D8)',
    file: 'sending.js',
    changes: [['if (maySend()) sendNow(own.outstanding());', '']],
    schedule: 'D8: what was not delivered is sent again',
  },
  {
    name: 'an operation that was refused is not sent again (D8)',
    file: 'log.js',
    changes: [['own.operationDelivered(replica.core.last(own.id()))', 'own.operationDelivered(operation.number)']],
    schedule: 'D8: where something before was lost, both are sent again, and neither is forgotten',
  },
  {
    name: 'a message is acted upon before it is applied whole',
    file: 'log.js',
    changes: [[
      'own.eventHappened(event, operation);',
      'own.eventHappened(event, operation); own.tellListeners(context.tellSoon, context.mayAct());',
    ]],
    schedule: 'a message is applied whole before anybody is told',
  },
  {
    name: 'who misses messages once more still takes an answer from before (D10)',
    file: 'membership.js',
    changes: [['const doubt = () => {', 'const doubt = () => {\n    if (!replica.current) return;']],
    schedule: 'D10: who misses messages once more while it asks for the state, takes no answer from before',
  },
  {
    name: 'who has missed messages still goes on by the `resume` from before (D10)',
    file: 'asking.js',
    changes: [['if (!resuming) {', 'if (resuming < 0) {']],
    schedule: 'D10: who misses messages before its own `resume` is delivered does not go on',
  },
  {
    name: 'where two copies differ, nobody doubts its own (D9)',
    file: 'log.js',
    changes: [['members.indexOf(other) < members.indexOf(own.id())', 'false']],
    schedule: 'D9: a channel that swaps two messages is found out, and the copy is mended',
  },
  {
    name: 'where two copies differ, the elder doubts its own, too (D9)',
    file: 'log.js',
    changes: [['members.indexOf(other) < members.indexOf(own.id())', 'true']],
    schedule: 'D9: a channel that swaps two messages is found out, and the copy is mended',
  },
  {
    name: 'who has missed messages before its own `resume` gives its locks away, though nobody else is left (D10)',
    file: 'asking.js',
    changes: [['void giveWay();', 'context.membership.lost();']],
    schedule: 'D10: who misses messages before its own `resume` is delivered, and is the only one left, keeps its lock',
  },
  {
    name: 'and keeps others waiting for it (D10)',
    file: 'asking.js',
    changes: [[
      'if (mayWait || (record.incomplete && replica.members.size > 1) || record.log !== replica.log) context.membership.lost();\n    else ',
      '',
    ]],
    schedule: 'D10: who misses messages before its own `resume` is delivered does not go on',
  },
  {
    name: 'a name that was seen to be held is doubted all the same (D4)',
    file: 'connection.js',
    changes: [['!wasHeld && older', 'older']],
    schedule: 'D4: who dies when another one has just joined is gone at once, where it was seen to live',
  },
  {
    name: 'who has acted since it said how far it had got is not waited for (D10)',
    file: 'asking.js',
    changes: [['heardEntry: gathering.given,', 'heardEntry() {},']],
    schedule: 'D10: nobody goes on beside a member that was given the state in a message that was missed, and has acted on it',
  },
  {
    name: 'a joiner forgets which generation it had found (D10)',
    file: 'entering.js',
    changes: [['record.log === replica.log && record.generation > context.generation', 'false']],
    schedule: 'D10: a joiner takes no state from before somebody went on, though it has read the register since',
  },
  {
    name: 'fences do not go on when the register has been written anew (D11)',
    file: 'log.js',
    changes: [['replica.raise(generation);', 'replica.generation = Math.max(replica.generation, generation);']],
    schedule: 'D11: fences go on above those of another version, of which a member knows nothing, that came after a wipe',
  },
  {
    name: 'whoever comes back asks before it has said that the register was written anew (D11)',
    file: 'returning.js',
    changes: [['context.duties.announce(record);', '']],
    schedule: 'D11: fences go on above those of another version, of which a member knows nothing, that came after a wipe',
  },
  {
    name: 'any number is a generation',
    file: 'messages.js',
    changes: [['isCount(value) && Number(value) < 9e12', 'isCount(value)']],
    schedule: 'a forged generation leaves fences, and keeps nobody from joining',
  },
  {
    name: 'who was current while others went on stays so (D10)',
    file: 'asking.js',
    changes: [['if (replica.current && from !== own.id())', 'if (false)']],
    schedule: 'D10: who was current while others went on without it is in doubt when it hears of that',
  },
  {
    name: 'whoever is missing in an incomplete register is not waited for (D10)',
    file: 'gathering.js',
    changes: [['if (incomplete && isEarly) return false;', '']],
    schedule: 'D10: nobody goes on beside a member whose joining it has missed, and that has not come back after a wipe',
  },
  {
    name: 'who has read more of what was given up may go on (D10)',
    file: 'replica.js',
    changes: [['replica.count = Math.max(replica.count, generation);', '']],
    schedule: 'D10: who has read more of what was given up does not go on, when data is cleared again',
  },
  {
    name: 'what is posted tells a state in the middle of a message (D9)',
    file: 'sending.js',
    changes: [['replica.hash()', 'replica.core.hash()']],
    schedule: 'D9: what is posted while a message is applied tells the state before it',
  },
  {
    name: 'a gap is not heeded (D10)',
    file: 'membership.js',
    changes: [['restored: doubt, member: doubt', '']],
    schedule: 'D10: who has missed messages that were swept away enters nothing on what it knew',
  },
  {
    name: 'where nobody is current, anybody goes on (D10)',
    file: 'gathering.js',
    changes: [['if (far === undefined || far > replica.count + 1 || (far === replica.count + 1 && elder)) return false;', '']],
    schedule: 'D10: where nobody is current, whoever got farthest goes on, and one alone',
  },
  {
    name: 'who goes on grants fences that there have been (D10)',
    file: 'replica.js',
    changes: [['      replica.core.raise(generation * FENCES_PER_MILLISECOND);\n', '']],
    schedule: 'D10: who goes on grants higher fences than those that it has not heard of',
  },
  {
    name: 'what a member has said before it was given the state still counts (D10)',
    file: 'gathering.js',
    changes: [['      reached.delete(client);\n', '']],
    schedule: 'D10: nobody goes on beside a member that was given the state after it had said how far it was',
  },
  {
    name: 'a joiner enters though somebody has begun to go on (D10)',
    file: 'membership.js',
    changes: [['record.generation <= context.generation && ', '']],
    schedule: 'D10: nobody goes on beside a joiner that was given the state in a message that it has missed',
  },
  {
    name: 'who is about to go on does so, though somebody is given the state (D10)',
    file: 'asking.js',
    changes: [['(answered || (resuming && ', '((resuming && ']],
    schedule: 'D10: nobody goes on where somebody is given the state before that is delivered; and later, where nobody is left',
  },
  {
    name: 'who was about to go on in vain never does (D10)',
    file: 'asking.js',
    changes: [['if (inVain && generation === resuming) resuming = 0;', '']],
    schedule: 'D10: nobody goes on where somebody is given the state before that is delivered; and later, where nobody is left',
  },
  {
    name: 'who has just joined believes a name that is free, though all connections may have been closed before',
    file: 'duties.js',
    changes: [['watch(alive, onDeath, true)', 'watch(alive, onDeath)']],
    schedule: 'all connections are closed, and a busy holder does not count as dead for who loads before anybody is back',
  },
  {
    name: 'who loses its connections while it joins is not cautious then',
    file: 'membership.js',
    changes: [['context.connection ? context.connection.cautiousUntil() : 0', '0']],
    schedule: 'all connections are closed, and a busy holder does not count as dead for who was about to join',
  },
  {
    name: 'who loses its connections while it joins believes what it was told of deaths just before',
    file: 'entering.js',
    changes: [['      dead.clear();\n', '']],
    schedule: 'all connections are closed, and who was about to join is told of deaths before it is told that',
  },
  {
    name: 'what opens late is opened twice',
    file: 'connection.js',
    changes: [['opening = opening || ', 'opening = ']],
    schedule: 'a database that opens late is not opened twice',
  },
  {
    name: 'a page in the back-forward cache asks once it is hidden (D12)',
    file: 'log.js',
    changes: [["if (isAway() && state !== 'visible') return;", '']],
    schedule: 'D12: what goes into the back-forward cache is told afterwards that it is hidden, and asks for nothing there',
  },
  {
    name: 'a `gone` that was lost is not posted again (D3)',
    file: 'duties.js',
    changes: [['      buried.clear();\n      void duties.look();', '      void duties.look();']],
    schedule: 'D3: a `gone` that was lost is posted again',
  },
  {
    name: 'fences run ahead of the clock with every log',
    file: 'register.js',
    changes: [['time > generation ? time : generation + AHEAD', 'Math.max(time, generation + AHEAD)']],
    schedule: 'fences go on with the clock, however many logs there have been, though data is cleared then',
  },
  {
    name: 'a join counts though its sender has read an older register (D11)',
    file: 'log.js',
    changes: [["operation.type === 'join' && generation < replica.generation", 'false']],
    schedule: 'D11: a join that knows an older register than the log is refused, and nobody is buried alive',
  },
  {
    name: 'who has not come back into an incomplete register counts as dead (D11)',
    file: 'duties.js',
    changes: [['!incomplete && known.has(client)', 'known.has(client)']],
    schedule: 'D11: who is missing in an incomplete register has not come back yet, and lives',
  },
  {
    name: 'who dies while the register is incomplete is forgotten (D11)',
    file: 'register.js',
    changes: [["{ alive: '', stateful: true, dead: true }", "{ alive: '', stateful: true }"]],
    schedule: 'D11: who dies while the register is incomplete is marked, and buried',
  },
  {
    name: 'a log that was begun in vain counts (D11)',
    file: 'begins.js',
    changes: [['(others.length ? vain : valid).add(log);', 'valid.add(log);']],
    schedule: 'D11: a newcomer\'s log that began beside a living one is void, for everybody alike',
  },
  {
    name: 'a member that nobody can watch is waited for, for ever (D11)',
    file: 'register.js',
    changes: [['(alive ? dead.includes(alive) : listened)', 'dead.includes(alive)']],
    schedule: 'D11: closed for ever: one comes back, the other dies before it has, then all close; a visitor is served',
  },
  {
    name: 'contexts that share a thread send as any others do (D15)',
    file: 'sending.js',
    changes: [['      if (place.sharesEventLoop()) {\n', '      if (false) {\n']],
    schedule: 'D15: contexts that share a thread are served in the order of their calls',
  },
  {
    name: 'a release waits for what runs next',
    file: 'sending.js',
    changes: [['if (!heldBack && maySend()) sendNow', 'if (false) sendNow']],
    schedule: 'R20: a release is posted before anything else runs, but where the lock was asked for again at once last time',
  },
  {
    name: 'what was not available is not asked for again',
    file: 'log.js',
    changes: [['context.alone || !own.asksAgain(event)', 'true']],
    schedule: 'what was let go of before somebody asks, and is delivered after that, is available',
  },
  {
    name: 'a query looks once',
    file: 'log.js',
    changes: [['if (!state.held.some(({ client }) => client !== own.id())) return state;', 'if (state) return state;']],
    schedule: 'what was let go of before somebody queries, and is delivered after that, is not shown as held',
  },
  {
    name: 'what is not available is asked for again and again',
    file: 'own-requests.js',
    changes: [['!request || request.askedAgain', '!request']],
    schedule: 'what was let go of before somebody asks, and is delivered after that, is available',
  },
  {
    name: 'a lock is kept though somebody waits for it (R20)',
    file: 'sending.js',
    changes: [['\n    && !replica.core.state().pending.some(({ names }) => names.includes(name))', '']],
    schedule: 'R20: not where somebody waits for it',
  },
  {
    name: 'a lock is kept though its release was sent (R20)',
    file: 'sending.js',
    changes: [['if (!heldBack || !mayBeKept', 'if (!mayBeKept']],
  },
  {
    name: 'somebody enters early what has no place yet (R21)',
    file: 'own-requests.js',
    changes: [['!outstanding.has(number) && request && ', 'request && ']],
    schedule: 'R21: not where another is next or holds too, what is next has no place yet, or a draft asks',
  },
  {
    name: 'somebody enters early while a steal is on its way (R21)',
    file: 'sending.js',
    changes: [[' && !operation.steal))', '))']],
    schedule: 'R21: not while a steal of its own is on its way',
  },
  {
    name: 'somebody enters early where a release is yet to be forced (R21)',
    file: 'sending.js',
    changes: [["operation.type === 'drop' || ", '/^[df]/.test(operation.type) || ']],
    schedule: 'R21: not where somebody whose release would be forced holds it',
  },
  {
    name: 'what was entered early is held on though it is stolen (R21)',
    file: 'own-requests.js',
    changes: [["if (type === 'granted' && isRequest && operation.steal) {", 'if (!type) {']],
    schedule: 'R21: what was entered early ends as stolen where a steal was delivered first',
  },
  {
    name: 'what was entered early is entered again when it is granted (R21)',
    file: 'own-requests.js',
    changes: [["if (type !== 'granted' || request.status === 'open') tell(", 'tell(']],
    schedule: 'R21: a release is sent though what was entered then is held on',
  },
  {
    name: 'a restored state is not compared with one\'s own requests (R7)',
    file: 'membership.js',
    changes: [['own.compare(replica.core.state(), replica.core.foresee(own.outstanding()));', '']],
    faults: ['storageFails', 'wipe', 'closeStorage', 'join'],
  },
];
