/** A small fast generator (mulberry32): the same seed gives the same world. @param {number} seed @returns {() => number} from 0 up to 1 */
export const createRandom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

/** @template T @param {T[]} list @param {() => number} random */
export const drawOne = (list, random) => list[Math.floor(random() * list.length)];

/**
 * Draws one of the names. Each comes as often as its weight says.
 * @param {Record<string, {weight: number}>} weighted whole numbers
 * @param {() => number} random
 */
export const drawName = (weighted, random) => {
  const names = Object.keys(weighted).flatMap((name) => Array(weighted[name].weight).fill(name));
  return drawOne(names, random);
};
