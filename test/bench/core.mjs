/**
 * The core's cost, natively, in Wasm and in JavaScript: `node test/bench/core.mjs`. Fails where native or Wasm miss a bar; what is
 * compiled to JavaScript is only shown.
 *
 * An operation is half a pair of a request and a drop. "oldest": the request goes behind all others and the drop ends the oldest
 * one (with requests queued on one name: the holder, so that the next is granted). "fresh": both are about an otherwise
 * unused name. "steal and drop": one more waits, one steals, and drops. "scope": a request for so many otherwise unused names.
 */
import { execFileSync } from 'node:child_process';
import { buildNative } from '../native/build.js';
import { wrapCore } from '../../glue/core/core.js';
import { instantiate as instantiateJs } from '../../glue/core/js.js';
import { instantiate as instantiateWasm } from '../../glue/core/wasm.js';

const ROUNDS = 9;
const PAIRS = 50_000;

/** @typedef {import('../../glue/core/types.js').Core} Core */

/** Nanoseconds: other programs do not count. */
const processorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
};

/** A core with one client, and [size] requests made by [fill], oldest first. */
class Bench {
  #core;
  #last = 1;
  #serial = 0;
  /** @type {number[]} */
  #numbers = [];
  #oldest = 0;

  /**
   * @param {Core} core
   * @param {number} size
   * @param {(bench: Bench) => number} fill
   */
  constructor(core, size, fill) {
    this.#core = core;
    core.apply({ type: 'join', client: 'c', number: 1 });
    for (let i = 0; i < size; i++) this.#numbers.push(fill(this));
  }

  /** @param {string[]} names @param {boolean} [steal] */
  ask(names, steal = false) {
    this.#core.apply({ type: 'request', client: 'c', number: ++this.#last, names, mode: 'exclusive', steal });
    return this.#last;
  }

  askNew(count = 1) {
    const serial = (++this.#serial).toString(36).padStart(4, '0');
    return this.ask(Array.from({ length: count }, (_, i) => serial + i.toString(36)));
  }

  /** @param {number} request */
  #drop(request) {
    this.#core.apply({ type: 'drop', client: 'c', number: ++this.#last, request });
  }

  /**
   * Nanoseconds per operation of one round of pairs.
   * @param {(bench: Bench) => number} request
   * @param {boolean} ofOldest
   */
  round(request, ofOldest) {
    const start = processorTime();
    for (let i = 0; i < PAIRS; i++) {
      const number = request(this);
      if (!ofOldest) {
        this.#drop(number);
        continue;
      }
      this.#drop(this.#numbers[this.#oldest]);
      this.#numbers[this.#oldest] = number;
      this.#oldest = (this.#oldest + 1) % this.#numbers.length;
    }
    return (processorTime() - start) / PAIRS / 2;
  }
}

/**
 * The two's times. They take turns, and the best round of each counts: what other programs do to the processor's caches does not.
 * @param {() => number} one
 * @param {() => number} other
 * @returns {number[]}
 */
const compare = (one, other) => {
  const rounds = Array.from({ length: ROUNDS }, () => [one(), other()]);
  return [0, 1].map((side) => Math.min(...rounds.map((round) => round[side])));
};

const askOneName = (/** @type {Bench} */ bench) => bench.ask(['name']);
/** One more waits, so that the queue stays as long: the next in line is granted when the thief drops. @param {Bench} bench */
const stealOneName = (bench) => {
  askOneName(bench);
  return bench.ask(['name'], true);
};
const askNewName = (/** @type {Bench} */ bench) => bench.askNew();

/** @param {() => Core} create */
const measureInProcess = (create) => {
  const results = [];
  for (const [many, fill] of /** @type {const} */ ([[1_000_000, askOneName], [100_000, askNewName]])) {
    const small = new Bench(create(), 1000, fill);
    const big = new Bench(create(), many, fill);
    results.push(compare(() => small.round(fill, true), () => big.round(fill, true)));
    results.push(compare(() => small.round(askNewName, false), () => big.round(askNewName, false)));
    if (fill === askOneName) results.push(compare(() => small.round(stealOneName, false), () => big.round(stealOneName, false)));
    if (fill === askNewName) {
      results.push(compare(() => small.round(askNewName, false), () => small.round((bench) => bench.askNew(16), false)));
    }
  }
  return results;
};

const measureNative = () => {
  const text = execFileSync(`${buildNative(['bench'])}/test/bench/bench`, { encoding: 'utf8' });
  return text.trim().split('\n').map((line) => line.split('\t').map(Number));
};

/** The comparisons, in the order of the results, and how much more the second may cost. @type {[string, number][]} */
const bars = [
  ['oldest: 1,000 -> 1,000,000 queued on one name', 1.5],
  ['fresh: 1,000 -> 1,000,000 queued on one name', 1.5],
  ['steal and drop: 1,000 -> 1,000,000 queued', 1.5],
  ['oldest: 1,000 -> 100,000 names held', 1.5],
  ['fresh: 1,000 -> 100,000 names held', 1.5],
  ['scope: 1 -> 16 names', 16],
];

let missed = 0;
console.log('nanoseconds per operation'.padEnd(57) + 'one     other  ratio   bar');
for (const [flavour, measure] of /** @type {const} */ ([
  ['native', measureNative],
  ['wasm', () => measureInProcess(() => wrapCore(instantiateWasm()))],
  ['js', () => measureInProcess(() => wrapCore(instantiateJs()))],
])) {
  for (const [index, [one, other]] of measure().entries()) {
    const [name, bar] = bars[index];
    const ratio = other / one;
    const figures = [one.toFixed(0).padStart(7), other.toFixed(0).padStart(9), ratio.toFixed(2).padStart(6), String(bar).padStart(5)];
    console.log(flavour.padEnd(8) + name.padEnd(45) + figures.join(' '));
    if (ratio > bar && flavour !== 'js') missed++;
  }
}
if (missed) {
  console.log(`${missed} bars missed`);
  process.exitCode = 1;
}
