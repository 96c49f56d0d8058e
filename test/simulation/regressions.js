/**
 * Worlds in which something was wrong once. A seed shows what it showed for as long as the log draws the same randomness in the same
 * order; where it does not any more, it is still one world among others.
 *
 * @type {{seed: number, what: string}[]}
 */
export const regressions = [
  { seed: 5, what: 'who left while the leader was busy, and data was cleared' },
  { seed: 56, what: 'a lock that one has stolen from oneself is let go of at once' },
  { seed: 267, what: 'a goodbye is an answer to prepare' },
  { seed: 1141, what: 'the leader stops for ever' },
  { seed: 3873, what: 'a client that begins anew after a wipe says goodbye' },
  { seed: 5268, what: 'a frozen page is out of memory when it wakes after a wipe' },
  { seed: 9518, what: 'listening before a fresh log is not cut short by a second look' },
  { seed: 20385, what: 'who has said goodbye is not waited for' },
  { seed: 50571, what: 'a member whose join had no place before a wipe is not forgotten by a leader that goes alone' },
  { seed: 113923, what: 'a fresh log after a wipe waits for a slow answer' },
  { seed: 1022804, what: 'who joined just before data was cleared is not known to the one that writes the register anew' },
  { seed: 1031558, what: 'who was frozen while data was cleared comes back late, and dies' },
  { seed: 2142, what: 'two looks at the register at once begin one log' },
  { seed: 5917, what: 'who is out of memory as it begins a log begins anew, once' },
  { seed: 2029021, what: 'who is gone does not come back by a look that began before' },
  { seed: 2026135, what: 'pages of another version look again, though nobody whom they watch has died' },
  { seed: 3035491, what: 'who began anew after a wipe, and said goodbye, is not taken for one that has not come back' },
  { seed: 3064159, what: 'who has written the register anew, and died, is not taken for one that has not come back' },
  { seed: 10000064, what: 'whoever listens again asks again, so that who is slow to write down the log is heard' },
  { seed: 10007368, what: 'a look at the register that outlives its client does nothing in the name of the next' },
  { seed: 30232235, what: 'an operation of no known type is no entry, wherever its message stands in the order' },
  { seed: 7006355, what: 'a log that is begun while data is cleared' },
  { seed: 70572578, what: 'a log that begins, alone, while another context has long been listening, and is wiped from the register' },
];
