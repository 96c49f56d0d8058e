/** Numbers that look random and are the same for the same seed (mulberry32). */

/** @param {number} seed */
export function createRandom(seed) {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** @param {number} limit */
  const below = (limit) => Math.floor(next() * limit);
  return {
    next,
    below,
    /** @template T @param {T[]} list @returns {T} */
    pick: (list) => list[below(list.length)],
    /** @param {number} share */
    chance: (share) => next() < share,
  };
}

/** The seed of this run: from the environment, to see a failure again. */
export const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
