/**
 * What is asked of spin: which model, with which bounds and switches, and what must come out.
 *
 * @typedef {object} Run
 * @property {string} name
 * @property {string} model
 * @property {string} switches what is defined, as the models' text explains it
 * @property {boolean} [liveness] the claim `served` (L1, L2) instead of the assertions alone
 * @property {number[]} [violates] the claims of which one must be found violated, 0 for liveness; absent: none may be
 * @property {boolean} [long] only where MODEL_CHECKING=long
 * @property {boolean} [bitstate] not exhaustive: two bits a state
 */

const oneOrder = 'leader-log.pml';
const ownFirst = 'own-process-first.pml';
const early = 'early.pml';
/** All of them post nothing that everybody will find void; the first proof shows the same with what is void. */
const brief = '-DVOID_LEFT_OUT';
const fromNothing = `${brief} -DJOINING -DALONE -DCONTEXTS=2 -DMEMBERS=0`;

/** @type {Run[]} */
export const proofs = [
  {
    name: 'two members, void entries and all; one crash, two take-overs',
    model: oneOrder,
    switches: '-DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=4',
  },
  {
    name: 'two members, two requests each; one crash, two take-overs, a resignation',
    model: oneOrder,
    switches: `${brief} -DALONE -DCONTEXTS=2 -DREQUESTS=2 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=4 -DNO_ABORTS -DRESIGNS=1`,
  },
  {
    name: 'three members of whom two make requests; two crashes, two take-overs',
    model: oneOrder,
    switches: `${brief} -DALONE -DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=3 -DMESSAGES=4 -DNO_ABORTS -DREQUESTERS=6`,
  },
  {
    name: 'the leader enters early (R21): two members, two requests each, void entries and all; one crash, two take-overs',
    model: oneOrder,
    switches: '-DEARLY -DCONTEXTS=2 -DREQUESTS=2 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=4 -DNO_ABORTS',
  },
  {
    name: 'the leader enters early (R21): three members; one crash, one take-over',
    model: oneOrder,
    switches: `${brief} -DEARLY -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=3 -DNO_ABORTS`,
  },
  {
    name: 'R21 by itself: two clients that may wait twice, and steal at last; one crash',
    model: early,
    switches: '-DCONTEXTS=2 -DTHIEVES=2 -DCRASHES=1',
  },
  {
    name: 'R21 by itself: three clients, of whom one may wait twice',
    model: early,
    switches: '-DCONTEXTS=3 -DPATIENT=1',
  },
  {
    name: 'two contexts from an empty register: fresh starts, joining, alone; one crash, three epochs',
    model: oneOrder,
    switches: `${fromNothing} -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=5`,
  },
  {
    name: 'one joins a leader that is alone, and says hello before it registers, too; one crash, two take-overs',
    model: oneOrder,
    switches: `${brief} -DJOINING -DALONE -DEARLY_HELLO -DCONTEXTS=2 -DMEMBERS=1 -DCRASHES=1 -DEPOCHS=3`,
  },
  {
    name: 'one joins two members; one crash, one take-over',
    model: oneOrder,
    switches:
      `${brief} -DJOINING -DALONE -DCONTEXTS=3 -DMEMBERS=2 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=4 -DHELLOS=1 ` +
      '-DNO_ABORTS -DREQUESTERS=5',
  },
  {
    name: 'without the floor (FLOOR_UNREAD): two contexts from an empty register; one crash, three epochs',
    model: oneOrder,
    switches: `${fromNothing} -DFLOOR_UNREAD -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=4`,
  },
  {
    name: 'without R4 (FENCING_OFF), S1 alone: two members, one take-over',
    model: oneOrder,
    switches: '-DFENCING_OFF -DCLAIM=1 -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2',
  },
  {
    name: 'liveness: three members, two crashes',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=4 -DMESSAGES=3`,
  },
  {
    name: 'liveness: three members, one crashes and one stops without a word',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DCONTEXTS=3 -DCRASHES=1 -DSTOPS=1 -DEPOCHS=4 -DMESSAGES=3 -DREQUESTERS=6`,
  },
  {
    name: 'liveness: three members, one crashes and one resigns',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DCONTEXTS=3 -DCRASHES=1 -DRESIGNS=1 -DEPOCHS=4 -DMESSAGES=3 -DREQUESTERS=6`,
  },
  {
    name: 'liveness: two contexts from an empty register, one crash',
    model: oneOrder,
    liveness: true,
    switches: `${fromNothing} -DCRASHES=1 -DEPOCHS=4`,
  },
  {
    name: 'liveness: one joins two members late, one crashes and one stops',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DJOINING -DLATE_JOINING -DCONTEXTS=3 -DMEMBERS=2 -DCRASHES=1 -DSTOPS=1 -DEPOCHS=4 -DMESSAGES=3 -DREQUESTERS=2`,
  },
  {
    name: 'no one order: every answer or death is waited for; three members, two crashes',
    model: ownFirst,
    switches: '-DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=3 -DMESSAGES=2 -DNO_ABORTS -DREQUESTERS=6',
  },
  {
    name: 'no one order, deaths learnt after the last message: nobody is waited for; three members, one crash',
    model: ownFirst,
    switches: '-DDEATH_AFTER_LAST_MESSAGE -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=3 -DNO_ABORTS -DREQUESTERS=3',
  },
  {
    name: 'no one order, entries committed to the register: the living are deposed; two members, one crash',
    model: ownFirst,
    switches: '-DCOMMITS -DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=3',
  },
  {
    name: 'no one order, entries committed to the register: liveness',
    model: ownFirst,
    liveness: true,
    switches: '-DCOMMITS -DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=4',
  },
  {
    name: 'two members, void entries and all; one crash, two take-overs, a longer channel',
    model: oneOrder,
    long: true,
    switches: '-DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=6',
  },
  {
    name: 'the leader enters early (R21): three members; one crash, two take-overs, a longer channel',
    model: oneOrder,
    long: true,
    switches: `${brief} -DEARLY -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=4 -DNO_ABORTS`,
  },
  {
    name: 'R21 by itself: three clients, of whom one may wait twice, and steal at last',
    model: early,
    long: true,
    switches: '-DCONTEXTS=3 -DPATIENT=1 -DTHIEVES=1',
  },
  {
    name: 'two members, two requests each, with aborts; one crash, two take-overs, a resignation',
    model: oneOrder,
    long: true,
    switches: `${brief} -DALONE -DCONTEXTS=2 -DREQUESTS=2 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=5 -DRESIGNS=1`,
  },
  {
    name: 'three members; two crashes, two take-overs, a resignation',
    model: oneOrder,
    long: true,
    switches: `${brief} -DALONE -DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=3 -DMESSAGES=4 -DNO_ABORTS -DRESIGNS=1`,
  },
  {
    name: 'three members with aborts; one crash, one take-over, a longer channel',
    model: oneOrder,
    long: true,
    switches: `${brief} -DALONE -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=5`,
  },
  {
    name: 'two contexts from an empty register, two requests each',
    model: oneOrder,
    long: true,
    switches: `${fromNothing} -DCRASHES=1 -DEPOCHS=3 -DREQUESTS=2`,
  },
  {
    name: 'two join one; one crash, two take-overs',
    model: oneOrder,
    long: true,
    bitstate: true,
    switches: `${brief} -DJOINING -DALONE -DCONTEXTS=3 -DMEMBERS=1 -DCRASHES=1 -DEPOCHS=3`,
  },
  {
    name: 'three contexts from an empty register; two crashes, four epochs',
    model: oneOrder,
    long: true,
    bitstate: true,
    switches: `${brief} -DJOINING -DALONE -DCONTEXTS=3 -DMEMBERS=0 -DCRASHES=2 -DEPOCHS=4`,
  },
  {
    name: 'liveness: three members who all make requests, one crashes and one stops',
    model: oneOrder,
    liveness: true,
    long: true,
    switches: `${brief} -DCONTEXTS=3 -DCRASHES=1 -DSTOPS=1 -DEPOCHS=4 -DMESSAGES=3`,
  },
  {
    name: 'liveness: two contexts from an empty register, one crash, two stops',
    model: oneOrder,
    liveness: true,
    long: true,
    switches: `${fromNothing} -DCRASHES=1 -DSTOPS=2 -DEPOCHS=5 -DMESSAGES=4`,
  },
  {
    name: 'no one order: every answer or death is waited for; three members who all make requests, two crashes',
    model: ownFirst,
    long: true,
    switches: '-DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=3 -DMESSAGES=3 -DNO_ABORTS',
  },
  {
    name: 'no one order, entries committed to the register: three members, one crash',
    model: ownFirst,
    long: true,
    switches: '-DCOMMITS -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=3 -DNO_ABORTS -DREQUESTERS=6',
  },
  {
    name: 'no one order, entries committed to the register: liveness of three members',
    model: ownFirst,
    liveness: true,
    long: true,
    switches: '-DCOMMITS -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=2 -DREQUESTERS=6',
  },
];

/**
 * A rule taken away, and what then goes wrong. Those that violate S1 are asked for S1 alone: two holders at once.
 *
 * @type {Run[]}
 */
export const mutations = [
  {
    name: 'ACT_ON_POSTING: the leader acts on what it posts, not on what is delivered',
    model: oneOrder,
    switches: '-DACT_ON_POSTING -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'EARLY_OUT_OF_TURN: the leader enters early though somebody else is next (R21)',
    model: oneOrder,
    switches: '-DEARLY -DEARLY_OUT_OF_TURN -DCONTEXTS=3 -DCRASHES=0 -DEPOCHS=1 -DNO_ABORTS -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'EARLY_OUT_OF_TURN, by itself: somebody enters early though another one is next (R21)',
    model: early,
    switches: '-DCONTEXTS=2 -DEARLY_OUT_OF_TURN -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'EARLY_WITHOUT_A_PLACE: somebody enters early what the log has not been seen to hold (R21)',
    model: early,
    switches: '-DCONTEXTS=2 -DEARLY_WITHOUT_A_PLACE -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'KEEPS_WHAT_IS_STOLEN: what was entered early goes on after a steal (R21)',
    model: early,
    switches: '-DCONTEXTS=2 -DTHIEVES=1 -DKEEPS_WHAT_IS_STOLEN -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'FENCING_OFF: entries of a deposed leader count (R4)',
    model: oneOrder,
    switches: '-DFENCING_OFF -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=5',
    violates: [5],
  },
  {
    name: 'NO_DEDUPE: an operation that was sent twice is placed twice (R1)',
    model: oneOrder,
    switches: '-DNO_DEDUPE -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2',
    violates: [2],
  },
  {
    name: 'CUT_AT_POSTING: a new leader begins where it is when it posts prepare (R9)',
    model: oneOrder,
    switches: `${brief} -DCUT_AT_POSTING -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'NO_EXPECTED: takeOver does not look at what the register shows (R8)',
    model: oneOrder,
    switches: `${brief} -DNO_EXPECTED -DCONTEXTS=3 -DCRASHES=0 -DEPOCHS=3 -DMESSAGES=5 -DNO_ABORTS -DREQUESTERS=6`,
    violates: [5],
  },
  {
    name: 'FRESH_START_UNCHECKED: nor for stateful members at a fresh start (R8, R11)',
    model: oneOrder,
    switches: `${fromNothing} -DFRESH_START_UNCHECKED -DCRASHES=0 -DEPOCHS=3 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'STATEFUL_UNREGISTERED: operations before the register shows `stateful` (R11)',
    model: oneOrder,
    switches:
      `${brief} -DJOINING -DALONE -DSTATEFUL_UNREGISTERED -DCONTEXTS=3 -DMEMBERS=1 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=3 -DHELLOS=1 ` +
      '-DNO_ABORTS -DREQUESTERS=6 -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'ENTRIES_SINCE_HELLO_LOST: a joiner does not keep what is delivered between its hello and the snapshot',
    model: oneOrder,
    switches: `${brief} -DJOINING -DALONE -DENTRIES_SINCE_HELLO_LOST -DCONTEXTS=2 -DMEMBERS=1 -DCRASHES=0 -DEPOCHS=3 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'SNAPSHOT_OF_AN_EARLIER_HELLO: a joiner takes the answer to a hello from before it registered again',
    model: oneOrder,
    switches: `${fromNothing} -DSNAPSHOT_OF_AN_EARLIER_HELLO -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'SNAPSHOT_OF_AN_EARLIER_HELLO, EARLY_HELLO: or to one from before it registered at all',
    model: oneOrder,
    switches:
      `${brief} -DJOINING -DALONE -DEARLY_HELLO -DSNAPSHOT_OF_AN_EARLIER_HELLO -DCONTEXTS=2 -DMEMBERS=1 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'ALONE_WITHOUT_REGISTER: a leader is alone when it knows of no other member, whatever the register shows (R6)',
    model: oneOrder,
    switches: `${brief} -DJOINING -DALONE -DALONE_WITHOUT_REGISTER -DCONTEXTS=2 -DMEMBERS=1 -DCRASHES=0 -DEPOCHS=3 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'ALONE_WITH_SOME_ON_THEIR_WAY: a leader is alone before all that it posted was delivered (R6)',
    model: oneOrder,
    switches: `${brief} -DALONE -DALONE_WITH_SOME_ON_THEIR_WAY -DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=3`,
    violates: [2],
  },
  {
    name: 'DEATH_TOO_EARLY: the place tells of deaths that have not happened',
    model: oneOrder,
    switches: `${brief} -DDEATH_TOO_EARLY -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'LOSES_MESSAGES: the place delivers a message to some only',
    model: oneOrder,
    switches: `${brief} -DLOSES_MESSAGES -DCONTEXTS=2 -DCRASHES=0 -DEPOCHS=2 -DCLAIM=1`,
    violates: [1],
  },
  {
    name: 'DEPOSES: a silent leader is deposed where there is no one order (R12)',
    model: ownFirst,
    switches: '-DDEPOSES -DCONTEXTS=3 -DCRASHES=0 -DEPOCHS=2 -DMESSAGES=3 -DNO_ABORTS -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'ANSWERS_NOT_AWAITED: a take-over waits for nobody where there is no one order (R9)',
    model: ownFirst,
    switches: '-DANSWERS_NOT_AWAITED -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=2 -DMESSAGES=3 -DNO_ABORTS -DCLAIM=1',
    violates: [1],
  },
  {
    name: 'GONE_MISSING: no leader orders gone',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DGONE_MISSING -DCONTEXTS=2 -DCRASHES=1 -DEPOCHS=3`,
    violates: [0],
  },
  {
    name: 'RESEND_MISSING: what has no place is not sent again (R2)',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DRESEND_MISSING -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=3`,
    violates: [0],
  },
  {
    name: 'CHALLENGE_MISSING: a silent leader is waited for (R12)',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DCHALLENGE_MISSING -DCONTEXTS=2 -DCRASHES=0 -DSTOPS=1 -DEPOCHS=3`,
    violates: [0],
  },
  {
    name: 'DEATH_WITHOUT_PLACE_BORNE: only operations without a place, not deaths, make a replica challenge (R12)',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DDEATH_WITHOUT_PLACE_BORNE -DCONTEXTS=3 -DCRASHES=1 -DSTOPS=1 -DEPOCHS=4 -DMESSAGES=4`,
    violates: [0],
  },
  {
    name: 'MEMBER_WITHOUT_RECORD_KEPT: a leader orders gone only for those whose records it deleted itself (R3)',
    model: oneOrder,
    liveness: true,
    switches: `${brief} -DMEMBER_WITHOUT_RECORD_KEPT -DCONTEXTS=3 -DCRASHES=2 -DEPOCHS=4`,
    violates: [0],
  },
  {
    name: 'REGISTER_EPOCH_UNREAD: a leader pays no heed to a higher epoch in the register or a hello',
    model: oneOrder,
    liveness: true,
    switches:
      `${brief} -DJOINING -DLATE_JOINING -DREGISTER_EPOCH_UNREAD -DCONTEXTS=3 -DMEMBERS=2 -DCRASHES=1 -DSTOPS=1 ` +
      '-DEPOCHS=4 -DMESSAGES=3 -DREQUESTERS=2',
    violates: [0],
  },
  {
    name: 'LAST_ENTRY_NOT_POSTED_AGAIN: what its leader committed and did not post stays unposted',
    model: ownFirst,
    liveness: true,
    switches: '-DLAST_ENTRY_NOT_POSTED_AGAIN -DCOMMITS -DCONTEXTS=3 -DCRASHES=1 -DEPOCHS=3 -DMESSAGES=2 -DREQUESTERS=6',
    violates: [0],
  },
];
