/**
 * Looks for what the script-tag build compresses best with: short names, the order of what may be in any order, in the Wasm too, and the
 * alphabet of the Wasm's text. Changes one thing, keeps what does no harm, and so on. `node build/search.mjs 60000` after a build; it
 * writes build/short-names.json, build/wasm-order.json and glue/core/text.js; then build again. A build does without it; what is found gets
 * a little out of date with each change of the source, and costs bytes then, nothing else.
 */
import { readFileSync } from 'node:fs';
import { scriptBeforeRenaming, withHeading } from './bundle.mjs';
import { OPTIMISED, ORDER } from './core.mjs';
import { at, gzippedSize, write } from './files.mjs';
import { internalNames, together } from './internal-names.mjs';
import { SHORT_NAMES, plan, print } from './rename.mjs';
import { encode } from './text.mjs';
import { readModule, wishedOrder, writeModule } from './wasm-module.mjs';
import { ALPHABET, ESCAPES } from '../glue/core/text.js';

const turns = Number(process.argv[2] || 5000);
const wishes = JSON.parse(readFileSync(at('build/short-names.json'), 'utf8'));
const planned = plan(await scriptBeforeRenaming(), internalNames, together, wishes);
const { variables, shortOf } = planned;
const rivals = new Map(variables.map((variable) => [variable, [...planned.rivalsOf(variable)].filter((each) => each !== variable)]));
const properties = [...shortOf.keys()];
const letters = SHORT_NAMES.filter(({ length }) => length === 1);
const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(i + 32)).filter((each) => !`"'\`\\${ESCAPES}`.includes(each));
let alphabet = ALPHABET;
const wasm = encode(readFileSync(at('dist/core.wasm')));
if (!planned.code.includes(wasm)) throw new Error('The last build had another alphabet: build again');

/** Always the same numbers, so that a search can be repeated. */
let seed = 1;
/** @param {number} below */
const draw = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

/** @param {string} text in the old alphabet @returns {string} in the present one */
const translated = (text) => text.replace(/[^]/g, (character) => {
  const place = ESCAPES.includes(character) ? -1 : ALPHABET.indexOf(character);
  return place < 0 ? character : alphabet[place];
});
const module = readModule(readFileSync(at(OPTIMISED)));
const order = wishedOrder(module, JSON.parse(readFileSync(at(ORDER), 'utf8')));
const encodedModule = () => encode(writeModule(module, order, shortOf));
let wasmNow = encodedModule();
const size = () => gzippedSize(
  withHeading(print(planned, false).replace(wasm, () => translated(wasmNow)).replace(ALPHABET, () => alphabet)));

/**
 * A change that the Wasm shows.
 * @param {() => void} change
 * @param {() => void} undo
 */
const changeWasm = (change, undo) => {
  const before = wasmNow;
  change();
  wasmNow = encodedModule();
  return () => {
    undo();
    wasmNow = before;
  };
};
/** @param {number[]} list @param {number} from @param {number} to */
const move = (list, from, to) => void list.splice(to, 0, ...list.splice(from, 1));
/** @param {number[]} list @param {number} one @param {number} other */
const swap = (list, one, other) => {
  [list[one], list[other]] = [list[other], list[one]];
};
/** @param {number[]} list */
const swapSome = (list) => {
  const [one, other] = [draw(list.length), draw(list.length)];
  return changeWasm(() => swap(list, one, other), () => swap(list, one, other));
};

const items = planned.arranged.reduce((sum, { order }) => sum + order.length, 0);

/**
 * Gives [one] the short name [other], and its own to whichever of its rivals has that.
 * @template T
 * @param {T} one
 * @param {string} other
 * @param {(each: T) => T[]} rivalsOf
 * @param {(each: T) => string} get
 * @param {(each: T, short: string) => void} set
 * @returns {((back?: boolean) => void) | undefined} does it, or undoes it; undefined where somebody else is in the way
 */
const exchange = (one, other, rivalsOf, get, set) => {
  const short = get(one);
  const clashing = rivalsOf(one).filter((rival) => get(rival) === other);
  if (other === short || clashing.some((each) => rivalsOf(each).some((rival) => rival !== one && get(rival) === short))) return undefined;
  return (back = false) => {
    set(one, back ? short : other);
    for (const each of clashing) set(each, back ? other : short);
  };
};

/** Each tries something and returns what undoes it, or undefined where it cannot be. @type {(() => (() => void) | undefined)[]} */
const changes = [
  () => {
    const variable = variables[draw(variables.length)];
    const other = letters[Math.min(draw(letters.length), draw(letters.length))];
    const change = exchange(variable, other, (each) => rivals.get(each) || [], ({ short }) => short, (each, short) => {
      each.short = short;
    });
    if (!change) return undefined;
    change();
    return () => change(true);
  },
  () => {
    const name = properties[draw(properties.length)];
    const other = SHORT_NAMES[Math.min(draw(properties.length), draw(properties.length))];
    const change = exchange(name, other, (each) => [...planned.besides.get(each) || []], (each) => shortOf.get(each) || '',
      (each, short) => void shortOf.set(each, short));
    return change && changeWasm(change, () => change(true));
  },
  () => {
    let place = draw(items);
    const group = /** @type {typeof planned.arranged[0]} */ (planned.arranged.find(({ order }) => (place -= order.length) < 0));
    const [from, to] = [draw(group.order.length), draw(group.order.length)];
    move(group.order, from, to);
    return () => move(group.order, to, from);
  },
  () => {
    const before = alphabet;
    const [one, other] = [characters[draw(characters.length)], characters[draw(characters.length)]];
    alphabet = [...alphabet].map((each) => (each === one ? other : each === other ? one : each)).join('');
    return () => {
      alphabet = before;
    };
  },
  () => {
    const { functions } = order;
    if (draw(2)) return swapSome(functions);
    const [from, to] = [draw(functions.length), draw(functions.length)];
    return changeWasm(() => move(functions, from, to), () => move(functions, to, from));
  },
  () => {
    const some = order.locals.filter(({ length }) => length > 1);
    return swapSome(some[draw(some.length)]);
  },
  () => swapSome(order.types),
];
/** How often each is tried, of twenty times. */
const SHARES = [7, 3, 2, 1, 3, 3, 1];
const choices = SHARES.flatMap((share, index) => Array(share).fill(changes[index]));

let best = size();
for (let turn = 0; turn < turns; turn++) {
  if (turn % 1000 === 0) console.log(turn, best);
  const undo = choices[draw(choices.length)]();
  if (!undo) continue;
  const now = size();
  if (now > best) undo();
  else best = now;
}
console.log(turns, best);
/** @type {Record<string, string>} */
const found = {};
for (const [name, short] of shortOf) found[`.${name}`] = short;
for (const { id, short } of variables) if (short.length === 1) found[id] = short;
for (const { key, order } of planned.arranged) if (order.some((item, place) => item !== place)) found[`,${key}`] = order.join();
write('build/short-names.json', `${JSON.stringify(found, Object.keys(found).sort(), 0).replaceAll(',"', ',\n"')}\n`);
write(ORDER, `${JSON.stringify(order).replaceAll('],', '],\n')}\n`);
const source = readFileSync(at('glue/core/text.js'), 'utf8');
write('glue/core/text.js', source.replace(ALPHABET, () => alphabet));
