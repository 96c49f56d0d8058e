/**
 * Worlds in which something was wrong once. A seed shows what it showed for as long as the log draws the same randomness in the same
 * order; where it does not any more, it is still one world among others. What one of them has shown stands in ./schedules as well.
 *
 * @type {{seed: number, what: string}[]}
 */
export const regressions = [
  { seed: 3420, what: 'a context that wakes after a sweep, and knows only dead ones, goes on beside a living log' },
  { seed: 3947, what: 'the hello that ends listening is lost' },
  { seed: 4412, what: 'who goes on after a wipe of the store dies, and nobody who waits for it learns of it' },
  { seed: 5670, what: 'storage fails while a context asks, and its hello is lost' },
  { seed: 5886, what: 'a sweep, and members that the sleeper\'s state does not know' },
  { seed: 5950, what: 'a sweep, and members that the sleeper\'s state does not know' },
  { seed: 7924, what: 'a lock is kept, and somebody asks for it before it is entered again' },
  { seed: 10150, what: 'members in doubt, and one of them dies' },
  { seed: 10460, what: 'members in doubt wait for a dead one' },
  { seed: 11134, what: 'members in doubt wait for a dead one' },
  { seed: 12121, what: 'members in doubt wait for a dead one' },
  { seed: 13705, what: 'a store is wiped while messages are on their way' },
  { seed: 8613986, what: 'a message from before a gap is delivered after it; its sender counts as alone while another one is on the way' },
  { seed: 70021622, what: 'data is cleared, and the only member awake is hidden, and leaves while a holder is frozen' },
  { seed: 200021631, what: 'a log begins over one that was begun in vain, of which its writer hears only then' },
  { seed: 70027499, what: 'who is about to go on misses messages again (D10)' },
];
