/**
 * The runs of spin: which model, with which bounds and switches, and which result.
 *
 * @typedef {object} Run
 * @property {string} name
 * @property {string} model
 * @property {string} switches what is defined, as the models' text explains it
 * @property {number[]} [violates] one of these claims must be found violated, 6 for L; absent: none may be
 * @property {boolean} [long] only where MODEL_CHECKING=long
 */

const broadcast = 'order-broadcast.pml';
const store = 'order-store.pml';
const wipe = 'order-wipe.pml';
const doubt = 'order-doubt.pml';
const early = 'early.pml';

/** @type {Run[]} */
export const proofs = [
  {
    name: 'broadcast: three members, two crashes',
    model: broadcast,
    switches: '-DCRASHES=2 -DREQUESTERS=6',
  },
  {
    name: 'broadcast: three members, one crashes and one stops',
    model: broadcast,
    switches: '-DSTOPS=1 -DREQUESTERS=6',
  },
  {
    name: 'broadcast: three members with aborts, one steals, one crashes',
    model: broadcast,
    switches: '-DTHIEVES=4 -DABORTS -DREQUESTERS=6',
  },
  {
    name: 'broadcast: three members, one says that it goes, or crashes',
    model: broadcast,
    switches: '-DFAREWELLS',
  },
  {
    name: 'broadcast: one joins two members late, one crash, alone',
    model: broadcast,
    switches: '-DMEMBERS=2 -DALONE -DHELLOS=1',
  },
  {
    name: 'broadcast: one joins two members late, one stops',
    model: broadcast,
    switches: '-DMEMBERS=2 -DCRASHES=0 -DSTOPS=1',
  },
  {
    name: 'broadcast: two join one that may be alone',
    model: broadcast,
    switches: '-DMEMBERS=1 -DALONE -DHELLOS=1 -DCRASHES=0',
  },
  {
    name: 'broadcast: two contexts from an empty register, one crash, alone',
    model: broadcast,
    switches: '-DMEMBERS=0 -DCONTEXTS=2 -DALONE',
  },
  {
    name: 'store: three members, one crash',
    model: store,
    switches: '-DMESSAGES=2',
  },
  {
    name: 'store: three members, one steals, one crashes and one stops',
    model: store,
    switches: '-DMESSAGES=2 -DSTOPS=1 -DREQUESTERS=6 -DTHIEVES=4',
  },
  {
    name: 'store: two members, a write fails and one is repeated, one crash',
    model: store,
    switches: '-DCONTEXTS=2 -DABORTS -DFAILS=1 -DREPEATS=1',
  },
  {
    name: 'store: one joins two members late, one crash, alone',
    model: store,
    switches: '-DMEMBERS=2 -DALONE -DREQUESTERS=5 -DMESSAGES=2',
  },
  {
    name: 'store: two contexts from nothing, one crash, alone',
    model: store,
    switches: '-DMEMBERS=0 -DCONTEXTS=2 -DALONE',
  },
  {
    name: 'doubt: three members, all miss messages',
    model: doubt,
    switches: '-DREQUESTERS=3 -DMESSAGES=1 -DANSWERS_AT_ONCE=2',
  },
  {
    name: 'doubt: three members, all miss messages, one stops',
    model: doubt,
    switches: '-DREQUESTERS=2 -DMESSAGES=1 -DANSWERS_AT_ONCE=2 -DSTOPS=1',
  },
  {
    name: 'doubt: three members, each but one may miss messages, one crash',
    model: doubt,
    switches: '-DCLEARINGS=0 -DLOSSES=2 -DREQUESTERS=2 -DMESSAGES=1 -DANSWERS_AT_ONCE=2 -DCRASHES=1',
  },
  {
    name: 'doubt: one joins two members late, all miss messages',
    model: doubt,
    switches: '-DMEMBERS=2 -DREQUESTERS=1 -DMESSAGES=1 -DANSWERS_AT_ONCE=2',
  },
  {
    name: 'doubt: two members miss messages twice',
    model: doubt,
    switches: '-DCONTEXTS=2 -DCLEARINGS=2',
  },
  {
    name: 'doubt: two members miss messages three times, and a frame repeats a hello',
    model: doubt,
    switches: '-DCONTEXTS=2 -DCLEARINGS=0 -DLOSSES=3 -DREPEATS=1',
  },
  {
    name: 'early: two clients, one of which waits three times and steals at last',
    model: early,
    switches: '-DCONTEXTS=2 -DREQUESTS=3 -DPATIENT=1 -DTHIEVES=1',
  },
  {
    name: 'early: two clients that wait twice and steal at last; one crash',
    model: early,
    switches: '-DCONTEXTS=2 -DTHIEVES=2 -DCRASHES=1',
  },
  {
    name: 'early: three clients, one of which waits twice',
    model: early,
    switches: '-DPATIENT=1',
  },
  {
    name: 'wipe: one joins one that may be alone; one crash',
    model: wipe,
    switches: '-DMEMBERS=1 -DCONTEXTS=2 -DALONE',
  },
  {
    name: 'wipe: one joins two members late',
    model: wipe,
    switches: '-DMEMBERS=2 -DCRASHES=0 -DREQUESTERS=5 -DMESSAGES=1',
  },
  {
    name: 'wipe: three members, one crash',
    model: wipe,
    switches: '-DMEMBERS=3 -DREQUESTERS=5 -DMESSAGES=1',
  },

  {
    name: 'broadcast: three members, two crashes, a longer order',
    model: broadcast,
    long: true,
    switches: '-DCRASHES=2 -DMESSAGES=5',
  },
  {
    name: 'broadcast: three members with aborts, all make requests, one steals, one crashes',
    model: broadcast,
    long: true,
    switches: '-DTHIEVES=1 -DABORTS',
  },
  {
    name: 'broadcast: three members, two requests each, one crash',
    model: broadcast,
    long: true,
    switches: '-DREQUESTS=2',
  },
  {
    name: 'broadcast: one joins two members late, two hellos, two crashes, alone',
    model: broadcast,
    long: true,
    switches: '-DMEMBERS=2 -DALONE -DCRASHES=2',
  },
  {
    name: 'broadcast: one joins two members late, one crashes and one stops',
    model: broadcast,
    long: true,
    switches: '-DMEMBERS=2 -DALONE -DSTOPS=1 -DHELLOS=1',
  },
  {
    name: 'broadcast: two join one that may be alone, one crash',
    model: broadcast,
    long: true,
    switches: '-DMEMBERS=1 -DALONE -DHELLOS=1',
  },
  {
    name: 'broadcast: three contexts from an empty register, one crash, alone',
    model: broadcast,
    long: true,
    switches: '-DMEMBERS=0 -DALONE -DHELLOS=1',
  },
  {
    name: 'store: three members, two crashes, a longer order',
    model: store,
    long: true,
    switches: '-DCRASHES=2 -DMESSAGES=3',
  },
  {
    name: 'store: three contexts from nothing, one crash, alone',
    model: store,
    long: true,
    switches: '-DMEMBERS=0 -DALONE -DMESSAGES=2',
  },
  {
    name: 'doubt: three members, all miss messages, one crash',
    model: doubt,
    long: true,
    switches: '-DREQUESTERS=2 -DMESSAGES=1 -DANSWERS_AT_ONCE=2 -DCRASHES=1',
  },
  {
    name: 'doubt: three members, messages are missed three times',
    model: doubt,
    long: true,
    switches: '-DCLEARINGS=0 -DLOSSES=3 -DREQUESTERS=3 -DMESSAGES=1 -DANSWERS_AT_ONCE=2',
  },
  {
    name: 'doubt: one joins two members late, and asks, all miss messages',
    model: doubt,
    long: true,
    switches: '-DMEMBERS=2 -DREQUESTERS=5 -DMESSAGES=1 -DANSWERS_AT_ONCE=2',
  },
  {
    name: 'doubt: two members, all miss messages, and one once more, one crash',
    model: doubt,
    long: true,
    switches: '-DCONTEXTS=2 -DLOSSES=1 -DCRASHES=1',
  },
  {
    name: 'early: three clients, one of which waits twice; one crash',
    model: early,
    long: true,
    switches: '-DPATIENT=1 -DCRASHES=1',
  },
  {
    name: 'wipe: two contexts from an empty register, one crash, alone',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=0 -DCONTEXTS=2 -DALONE',
  },
  {
    name: 'wipe: three members, two crashes',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=3 -DCRASHES=2 -DREQUESTERS=5 -DMESSAGES=1',
  },
  {
    name: 'wipe: one joins two members late, two crashes: a visitor after all have died',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=2 -DCRASHES=2 -DREQUESTERS=5 -DMESSAGES=1',
  },
  {
    name: 'wipe: two join one',
    model: wipe,
    long: true,
    switches: '-DMEMBERS=1 -DCRASHES=0 -DREQUESTERS=3 -DMESSAGES=1',
  },
];
