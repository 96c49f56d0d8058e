/*
 * What spin must find: a rule is taken away, and a claim is violated. If CLAIM names a claim, only that one is checked.
 */

const broadcast = 'order-broadcast.pml';
const store = 'order-store.pml';
const wipe = 'order-wipe.pml';
const doubt = 'order-doubt.pml';
const early = 'early.pml';

/** @type {import('./runs.js').Run[]} */
export const mutations = [
  {
    name: 'NONCE_IGNORED: a joiner takes the answer to an earlier hello (D1)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DALONE -DNONCE_IGNORED -DCRASHES=0 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'STATE_TAKEN_LATE: the state is not taken in the handler of the hello (D1)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DSTATE_TAKEN_LATE -DCRASHES=0',
    violates: [4],
  },
  {
    name: 'KEEPING_LATE: a joiner keeps what is delivered after the state, not after its hello (D1)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DKEEPING_LATE -DCRASHES=0 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'EPOCH_IGNORED: an answer from before the record was committed counts, though a member was alone since (D2)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DALONE -DEPOCH_IGNORED -DCRASHES=0 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'STATEFUL_LATE: operations before the register shows `stateful` (D2)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DALONE -DSTATEFUL_LATE -DHELLOS=1 -DREQUESTERS=6 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'D3_REVERSED: a record is absent by a read that is older than its join',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DD3_REVERSED -DCRASHES=0 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'ONLY_LEADERS_WATCHED: a waiter does not watch those it waits for (D4)',
    model: broadcast,
    switches: '-DONLY_LEADERS_WATCHED -DSTOPS=1',
    violates: [6],
  },
  {
    name: 'ALONE_WITHOUT_A_READ: a member is alone when it knows of no other (D7)',
    model: broadcast,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DALONE -DALONE_WITHOUT_A_READ -DCRASHES=0 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'ALONE_WITH_SOME_ON_THEIR_WAY: before all that it posted was delivered (D7)',
    model: broadcast,
    switches: '-DCONTEXTS=2 -DALONE -DABORTS -DALONE_WITH_SOME_ON_THEIR_WAY',
    violates: [6],
  },
  {
    name: 'GAP_IGNORED: a context that finds a gap reads on behind it (D10)',
    model: store,
    switches: '-DCONTEXTS=2 -DCRASHES=0 -DGAP_IGNORED -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'SWEEP_UNCHECKED: a context that has a gap may sweep, too, and so write an older state',
    model: store,
    switches: '-DCONTEXTS=2 -DCRASHES=0 -DSWEEP_UNCHECKED -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'ALONE_UNMARKED: the kept state does not say that a member acts alone',
    model: store,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DCRASHES=0 -DALONE -DALONE_UNMARKED -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'REFUSED_CLEARED: an operation that was delivered is not sent again, though it was refused (D8)',
    model: store,
    switches: '-DCONTEXTS=2 -DCRASHES=0 -DFAILS=1 -DABORTS -DREFUSED_CLEARED',
    violates: [6],
  },
  {
    name: 'OWN_STEAL_FORGOTTEN: a context enters early what its own steal takes (R21)',
    model: early,
    switches: '-DOWN_STEAL_FORGOTTEN -DCONTEXTS=2 -DREQUESTS=3 -DPATIENT=1 -DTHIEVES=1',
    violates: [5],
  },
  {
    name: 'EARLY_OUT_OF_TURN: a context enters early though another one is next (R21)',
    model: early,
    switches: '-DEARLY_OUT_OF_TURN -DCONTEXTS=2 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'EARLY_WITHOUT_A_PLACE: a context enters early before its request was delivered (R21)',
    model: early,
    switches: '-DEARLY_WITHOUT_A_PLACE -DCONTEXTS=2 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'KEEPS_WHAT_IS_STOLEN: a lock that was entered early goes on after a steal (R21)',
    model: early,
    switches: '-DKEEPS_WHAT_IS_STOLEN -DCONTEXTS=2 -DTHIEVES=1 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'FURTHEST_UNCHECKED: any member that has heard from all goes on (D10)',
    model: doubt,
    switches: '-DCONTEXTS=2 -DFURTHEST_UNCHECKED',
    violates: [3],
  },
  {
    name: 'GIVEN_FORGOTTEN: a member that was given the state still counts as in doubt (D10)',
    model: doubt,
    switches: '-DCLEARINGS=0 -DLOSSES=2 -DREQUESTERS=2 -DMESSAGES=1 -DANSWERS_AT_ONCE=2 -DCRASHES=1 -DHELLOS=2 -DGIVEN_FORGOTTEN',
    violates: [3],
  },
  {
    name: 'REPEATS_COUNT: an old message of a member counts, if a frame repeats it (D10)',
    model: doubt,
    switches: '-DCONTEXTS=2 -DCLEARINGS=0 -DLOSSES=3 -DREPEATS=1 -DREPEATS_COUNT',
    violates: [3],
  },
  {
    name: 'GENERATION_UNREAD: a joiner becomes a member though another one has gone on without it (D10)',
    model: doubt,
    switches: '-DCONTEXTS=2 -DMEMBERS=1 -DGENERATION_UNREAD',
    violates: [3],
  },
  {
    name: 'ENDS_SILENTLY: a joiner whose join may have been delivered gives up, and says nothing (D11)',
    model: wipe,
    switches: '-DMEMBERS=2 -DCRASHES=0 -DREQUESTERS=5 -DMESSAGES=1 -DENDS_SILENTLY',
    violates: [6],
  },
  {
    name: 'BEGIN_NOT_AWAITED: a context that begins a log acts before its `begin` is delivered (D6)',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DALONE -DCRASHES=0 -DBEGIN_NOT_AWAITED -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'BEGIN_NEVER_VOID: a `begin` counts though another context has said `here` before it (D6)',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DCRASHES=0 -DBEGIN_NEVER_VOID',
    violates: [1, 3],
  },
  {
    name: 'JOIN_OF_ANY_GENERATION: a join counts that was committed before a wipe (D11)',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DCRASHES=0 -DJOIN_OF_ANY_GENERATION',
    violates: [5],
  },
  {
    name: 'COMPLETE_AT_ONCE: a context that writes the register anew knows all members (D11)',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DCRASHES=0 -DCOMPLETE_AT_ONCE',
    violates: [5],
  },
  {
    name: 'ABSENT_WHILE_INCOMPLETE: absence means something in an incomplete register (D11)',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DCRASHES=0 -DABSENT_WHILE_INCOMPLETE',
    violates: [5],
  },
  {
    name: 'OVER_WHO_MAY_LIVE: a `begin` is not made void by a log of which some members may live (D6)',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=2 -DREQUESTERS=5 -DMESSAGES=1 -DOVER_WHO_MAY_LIVE',
    violates: [1, 3],
  },
  {
    name: 'DEATH_UNMARKED: a record that is removed while the register is incomplete leaves nothing (D11)',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=3 -DCRASHES=2 -DREQUESTERS=5 -DMESSAGES=1 -DDEATH_UNMARKED',
    violates: [6],
  },
];
