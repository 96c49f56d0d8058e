/**
 * Worlds in which something was wrong once. A seed gives the same world for as long as the log draws the same random numbers in the same
 * order. After a change there it is still one world among others. What they have shown stands in ./schedules as well.
 *
 * @type {{seed: number, what: string}[]}
 */
export const regressions = [
  { seed: 3420, what: 'a context that wakes after messages were deleted, and knows only the dead, continues beside a living log' },
  { seed: 3947, what: 'the hello that ends listening is lost' },
  { seed: 4412, what: 'the member that continues after a wipe of the store dies, and those that wait for it do not learn of that' },
  { seed: 5670, what: 'storage fails while a context asks, and its hello is lost' },
  { seed: 5886, what: 'messages are deleted, and the state of the sleeper does not list some members' },
  { seed: 5950, what: 'messages are deleted, and the state of the sleeper does not list some members' },
  { seed: 7924, what: 'a lock is kept, and another context asks for it before it is entered again' },
  { seed: 10150, what: 'members in doubt, and one of them dies' },
  { seed: 10460, what: 'members in doubt wait for a dead one' },
  { seed: 11134, what: 'members in doubt wait for a dead one' },
  { seed: 12121, what: 'members in doubt wait for a dead one' },
  { seed: 13705, what: 'a store is wiped while messages are on their way' },
  { seed: 8613986, what: 'a message from before a gap is delivered after it; its sender counts as alone while another one is on its way' },
  { seed: 70021622, what: 'data is cleared, and the only member awake is hidden, and leaves while a holder is frozen' },
  { seed: 200021631, what: 'a log replaces a void one, and the writer of the void one hears only then that it is void' },
  { seed: 70027499, what: 'a member that is about to continue misses messages again (D10)' },
  { seed: 4085021770, what: 'data is cleared, and a log is taken back before it has begun: members may lose theirs (docs/guarantees.md)' },
];
