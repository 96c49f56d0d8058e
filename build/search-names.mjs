/**
 * Looks for short names, and for an alphabet of the Wasm's text, with which the script-tag build compresses best: changes one thing, keeps
 * what does no harm, and so on. `node build/search-names.mjs 20000` after a build; it writes build/short-names.json and glue/core/text.js.
 * A build does without it; what is found gets a little out of date with each change of the source, and costs bytes then, nothing else.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { scriptBeforeRenaming } from './bundle.mjs';
import { at, write } from './files.mjs';
import { internalNames } from './internal-names.mjs';
import { SHORT_NAMES, plan, print } from './rename.mjs';
import { encode } from './text.mjs';
import { ALPHABET, ESCAPES } from '../glue/core/text.js';

const turns = Number(process.argv[2] || 5000);
const wishes = JSON.parse(readFileSync(at('build/short-names.json'), 'utf8'));
const planned = plan(await scriptBeforeRenaming(), internalNames, wishes);
const { variables, shortOf } = planned;
const rivals = new Map(variables.map((variable) => [variable, [...planned.rivalsOf(variable)].filter((each) => each !== variable)]));
const properties = [...shortOf.keys()];
const letters = SHORT_NAMES.filter(({ length }) => length === 1);
const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(i + 32)).filter((each) => !`"'\`\\${ESCAPES}`.includes(each));
let alphabet = ALPHABET;
const wasm = encode(readFileSync(at('dist/core.wasm')));

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
const size = () => gzipSync(
  print(planned, false).replace(wasm, () => translated(wasm)).replace(ALPHABET, () => alphabet), { level: 9 }).length;

/** Each tries something and returns what undoes it, or undefined where it cannot be. @type {(() => (() => void) | undefined)[]} */
const changes = [
  () => {
    const variable = variables[draw(variables.length)];
    const { short } = variable;
    const other = letters[Math.min(draw(letters.length), draw(letters.length))];
    const clashing = (rivals.get(variable) || []).filter((rival) => rival.short === other);
    if (other === short || clashing.some((each) => (rivals.get(each) || []).some((rival) => rival !== variable && rival.short === short))) {
      return undefined;
    }
    const set = (/** @type {string} */ own, /** @type {string} */ theirs) => {
      variable.short = own;
      for (const each of clashing) each.short = theirs;
    };
    set(other, short);
    return () => set(short, other);
  },
  () => {
    const name = properties[draw(properties.length)];
    const short = /** @type {string} */ (shortOf.get(name));
    const other = SHORT_NAMES[draw(properties.length + 20)];
    const owner = properties.find((each) => shortOf.get(each) === other);
    const set = (/** @type {string} */ own, /** @type {string} */ theirs) => {
      if (owner) shortOf.set(owner, theirs);
      shortOf.set(name, own);
    };
    set(other, short);
    return () => set(short, other);
  },
  () => {
    const before = alphabet;
    const [one, other] = [characters[draw(characters.length)], characters[draw(characters.length)]];
    alphabet = [...alphabet].map((each) => (each === one ? other : each === other ? one : each)).join('');
    return () => {
      alphabet = before;
    };
  },
];

let best = size();
for (let turn = 0; turn < turns; turn++) {
  if (turn % 1000 === 0) console.log(turn, best);
  const undo = changes[draw(10) < 6 ? 0 : draw(2) + 1]();
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
write('build/short-names.json', `${JSON.stringify(found, Object.keys(found).sort(), 0).replaceAll(',"', ',\n"')}\n`);
const source = readFileSync(at('glue/core/text.js'), 'utf8');
write('glue/core/text.js', source.replace(ALPHABET, () => alphabet));
