/** Bytes that are nearly snapshots: those of a random schedule's end, with a few changes of the kind that breaks a state's sense. */
import fc from 'fast-check';
import { createModel } from '../model/model.js';
import { decode, encode } from '../model/snapshot.js';
import { fromHexadecimal, Machine, toHexadecimal } from './programs.js';
import { runs } from './random.js';

/** @typedef {import('../../glue/core/types.js').State} State */
/** @typedef {import('./programs.js').Instruction} Instruction */

const number = fc.constantFrom(
  0, -0, 1, 2, 3, 5, 10, 20, 1.5, -1, NaN, Infinity, -Infinity, 2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 2 ** 54, 2 ** 54 + 4);
const word = fc.constantFrom(0, 1, 2, 3, 4, 5, 2 ** 31, 2 ** 32 - 1);
const place = fc.nat({ max: 20 });

/** @type {string[][]} */
const scopes = [[], ['a'], ['b', 'a'], ['a', 'b', 'c', 'd'], ['a', 'a'], ['e']];

/** [place] is taken modulo the length of the list that it is a place in. */
const change = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('time', 'fence'), value: number, relative: fc.boolean() }) },
  fc.record({ what: fc.constant('lastHandle'), value: word }),
  fc.record({ what: fc.constant('member'), place, field: fc.constant('handle'), value: word }),
  fc.record({ what: fc.constant('member'), place, field: fc.constant('client'), value: fc.constantFrom('', 'tab1', 'tab2', '\ud800') }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('last'), place, value: number, relative: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({
    what: fc.constantFrom('number', 'fence of', 'deadline of', 'hold of'), place, value: number, relative: fc.boolean() }) },
  fc.record({ what: fc.constant('request'), place, field: fc.constant('mode'), value: fc.constantFrom('exclusive', 'shared') }),
  fc.record({ what: fc.constant('request'), place, field: fc.constant('limit'), value: word }),
  fc.record({ what: fc.constant('request'), place, field: fc.constant('client'), value: fc.constantFrom('tab1', 'tab2', 'nobody') }),
  fc.record({ what: fc.constant('request'), place, field: fc.constant('names'), value: fc.constantFrom(...scopes) }),
  fc.record({ what: fc.constantFrom('remove', 'swap', 'repeat'), list: fc.constantFrom('members', 'held', 'pending'), place }),
  fc.record({ what: fc.constantFrom('hold', 'queue'), place }),
);

const bite = fc.oneof(
  fc.record({ what: fc.constant('byte'), at: fc.nat({ max: 4000 }), value: fc.nat({ max: 255 }) }),
  fc.record({ what: fc.constant('cut'), at: fc.nat({ max: 4000 }) }),
  fc.record({ what: fc.constant('more'), value: fc.nat({ max: 255 }) }),
);

const fields = /** @type {const} */ ({ number: 'number', 'fence of': 'fence', 'deadline of': 'deadline', 'hold of': 'hold' });

/**
 * @param {State} state changed in place
 * @param {typeof change extends fc.Arbitrary<infer Change> ? Change : never} changed
 */
function forge(state, changed) {
  /**
   * @template Item
   * @param {Item[]} items
   * @param {number} index
   * @returns {Item | undefined}
   */
  const pick = (items, index) => items[index % items.length];
  switch (changed.what) {
    case 'time':
    case 'fence':
      state[changed.what] = changed.value + (changed.relative ? state[changed.what] : 0);
      break;
    case 'lastHandle':
      state.lastHandle = changed.value;
      break;
    case 'member':
      Object.assign(pick(state.members, changed.place) ?? {}, { [changed.field]: changed.value });
      break;
    case 'last': {
      const member = pick(state.members, changed.place);
      if (member) member.last = changed.value + (changed.relative ? member.last : 0);
      break;
    }
    case 'number':
    case 'fence of':
    case 'deadline of':
    case 'hold of': {
      const request = pick([...state.held, ...state.pending], changed.place);
      const field = fields[changed.what];
      if (request) request[field] = changed.value + (changed.relative ? request[field] : 0);
      break;
    }
    case 'request':
      Object.assign(pick([...state.held, ...state.pending], changed.place) ?? {}, { [changed.field]: changed.value });
      break;
    case 'remove':
      state[changed.list].splice(changed.place % state[changed.list].length, 1);
      break;
    case 'swap': {
      const [removed] = state[changed.list].splice(changed.place % state[changed.list].length, 1);
      if (removed) state[changed.list].push(/** @type {any} */ (removed));
      break;
    }
    case 'repeat': {
      const repeated = pick(/** @type {any[]} */ (state[changed.list]), changed.place);
      if (repeated) state[changed.list].push(structuredClone(repeated));
      break;
    }
    case 'hold':
      state.held.push(...state.pending.splice(changed.place % state.pending.length, 1));
      break;
    case 'queue':
      state.pending.push(...state.held.splice(changed.place % state.held.length, 1));
      break;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {typeof bite extends fc.Arbitrary<infer Bite> ? Bite : never} bitten
 */
function damage(bytes, bitten) {
  if (bitten.what === 'cut') return bytes.slice(0, bitten.at % bytes.length);
  if (bitten.what === 'more') return Uint8Array.of(...bytes, bitten.value);
  return bytes.map((byte, index) => (index === bitten.at % bytes.length ? bitten.value : byte));
}

const model = new Machine(createModel);

/** Programs that load such bytes into a manager that is in use, and the model's reports; and what the run that was changed ended with. */
export const forgeries = fc.tuple(
  runs,
  fc.array(change, { minLength: 1, maxLength: 3 }),
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(bite, { minLength: 1, maxLength: 2 }) }),
).map(([run, changes, bites]) => {
  const end = run.reports.at(-1);
  if (!end || !('hash' in end)) throw new Error('a run ends with a look');
  const state = decode(fromHexadecimal(end.snapshot));
  if (!state) throw new Error('what the model wrote it can read');
  for (const changed of changes) forge(state, changed);
  const snapshot = toHexadecimal(bites.reduce(damage, encode(state)));
  /** @type {Instruction[]} */
  const program = [
    { kind: 'apply', operation: { type: 'join', client: 'tab1', number: 1 } },
    { kind: 'apply', operation: { type: 'request', client: 'tab1', number: 2, names: ['a'], mode: 'exclusive' } },
    { kind: 'load', snapshot },
    { kind: 'look' },
    { kind: 'apply', operation: { type: 'join', client: 'newcomer', number: 1 } },
    { kind: 'apply', operation: { type: 'request', client: 'newcomer', number: 2, names: ['new'], mode: 'shared' } },
    { kind: 'apply', operation: { type: 'gone', client: 'tab1' } },
    { kind: 'apply', operation: { type: 'tick', now: 1000 } },
    { kind: 'look' },
  ];
  model.reset();
  const reports = program.map((instruction) => model.do(instruction));
  return { program, reports, before: end };
});
