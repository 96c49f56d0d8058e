/** Random schedules: intentions are drawn, and the model's state says which operations they are. */
import fc from 'fast-check';
import { createModel } from '../model/model.js';
import { print } from './print.js';
import { Machine } from './programs.js';

/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('./programs.js').Instruction} Instruction */
/** @typedef {import('./programs.js').Report} Report */

/** Few of each, so that they meet; the second row finds what is not made for every string. */
const alphabets = [
  { clients: ['tab1', 'tab2', 'tab3', 'tab4'], names: ['a', 'b', 'c', 'd'] },
  { clients: ['\ud800', '__proto__', '\u0000', 'tab'], names: ['', '\ud800', '__proto__', '\u0000\u0000a'] },
];

/**
 * Numbers that an operation should not have: added to the right one, or instead of it.
 * @type {{offset?: number, number?: number}[]}
 */
const wrongNumbers = [...[-1, 1, -100, 100].map((offset) => ({ offset })),
  ...[0, -1, 0.5, NaN, Infinity, 2 ** 53 - 1, 2 ** 53].map((number) => ({ number }))];

/** @type {number[][]} */
const wrongScopes = [[], [0, 0], [1, 0, 1]];

const duration = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(Infinity, 0, 0, -0, 2 ** 53 - 1, 2 ** 53 - 20) },
);
const wrongDuration = fc.constantFrom(-1, 0.5, NaN, -Infinity, 2 ** 53);
const index = fc.nat({ max: 1000 });
const client = fc.nat({ max: 3 });
const scope = fc.oneof(
  { weight: 6, arbitrary: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 }) },
  { weight: 3, arbitrary: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }) },
);
/** @type {fc.Arbitrary<{ifAvailable?: boolean, steal?: boolean, mode?: 'exclusive' | 'shared', limit?: number}>} */
const flags = fc.oneof(
  { withCrossShrink: true },
  { weight: 10, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ ifAvailable: true }) },
  { weight: 6, arbitrary: fc.record({ mode: fc.constant('shared'), limit: fc.constantFrom(0, 1, 2, 2, 3, 2 ** 32 - 1) }) },
  { weight: 2, arbitrary: fc.constant({ steal: true, mode: 'exclusive' }) },
);
const mode = fc.constantFrom('shared', 'exclusive');
const request = fc.record({ type: fc.constant('request'), client, scope, mode, flags, wait: duration, hold: duration });
const end = fc.record({ type: fc.constant('end'), index });
const drop = fc.record({ type: fc.constant('drop'), client, number: fc.nat({ max: 40 }) });
const force = fc.record({ type: fc.constant('force-release'), client, scope });
const gone = fc.record({ type: fc.constant('gone'), client });
const join = fc.record({ type: fc.constant('join'), client });
const tick = fc.record({ type: fc.constant('tick'), delta: fc.integer({ min: -3, max: 25 }) });
const stranger = fc.record({ type: fc.constant('stranger'), intention: fc.oneof(request, drop, force) });
const restore = fc.record({ type: fc.constant('restore') });
const raise = fc.record({
  type: fc.constant('raise'),
  delta: fc.oneof(fc.integer({ min: -3, max: 20 }), fc.constantFrom(NaN, 0.5, -Infinity, 2 ** 53, -(2 ** 53))),
});
const misnumbered = fc.record({
  type: fc.constant('misnumbered'),
  intention: fc.oneof(request, drop, force, join),
  wrong: fc.constantFrom(...wrongNumbers),
});
const malformed = fc.oneof(
  request.chain((fine) => fc.oneof(
    fc.record({ wait: wrongDuration }),
    fc.record({ hold: wrongDuration }),
    fc.record({ scope: fc.constantFrom(...wrongScopes) }),
    fc.constant({ flags: { ifAvailable: true, steal: true, mode: 'exclusive' } }),
    fc.constant({ flags: { steal: true, mode: 'shared' } }),
    fc.constant({ flags: { limit: 2, mode: 'exclusive' } }),
    fc.record({ wait: fc.constant(2 ** 53 - 1) }),
    fc.record({ hold: fc.constant(2 ** 53 - 1) }),
  ).map((fault) => ({ ...fine, ...fault }))),
  fc.record({ type: fc.constant('drop'), client, number: fc.constantFrom(-1, NaN, 1.5, 2 ** 53) }),
  fc.record({ type: fc.constant('force-release'), client, scope: fc.constantFrom(...wrongScopes) }),
  fc.record({ type: fc.constant('tick'), delta: fc.constantFrom(NaN, 0.5, -Infinity, Infinity, 2 ** 53) }),
);

const intention = fc.oneof(
  { weight: 40, arbitrary: request },
  { weight: 18, arbitrary: end },
  { weight: 8, arbitrary: tick },
  { weight: 4, arbitrary: force },
  { weight: 3, arbitrary: gone },
  { weight: 4, arbitrary: join },
  { weight: 3, arbitrary: drop },
  { weight: 2, arbitrary: restore },
  { weight: 1, arbitrary: raise },
  { weight: 1, arbitrary: stranger },
  { weight: 2, arbitrary: misnumbered },
  { weight: 1, arbitrary: malformed },
);

/** @typedef {typeof intention extends fc.Arbitrary<infer Intention> ? Intention : never} Intention */

/**
 * @param {Intention} intended
 * @param {Machine} machine the model, as it is now
 * @param {typeof alphabets[number]} alphabet
 * @returns {Instruction}
 */
function instruct(intended, machine, { clients, names }) {
  /** @param {Operation} operation @returns {Instruction} */
  const apply = (operation) => ({ kind: 'apply', operation });
  /** @param {number[]} places */
  const named = (places) => places.map((place) => names[place]);
  const { members, held, pending, time, fence } = machine.state();
  /** @param {number} place */
  const sender = (place) => {
    const member = members[place % members.length];
    return member ? { client: member.client, number: member.last + 1 } : { client: clients[place], number: 1 };
  };
  switch (intended.type) {
    case 'request': {
      const { type, mode: wanted, flags: options, wait, hold } = intended;
      const durations = { ...wait === undefined ? {} : { wait }, ...hold === undefined ? {} : { hold } };
      return apply({ type, ...sender(intended.client), names: named(intended.scope), mode: wanted, ...options, ...durations });
    }
    case 'end': {
      const all = [...held, ...pending];
      if (all.length === 0) return { kind: 'look' };
      const { client: owner, number } = all[intended.index % all.length];
      return apply({ type: 'drop', client: owner, number: machine.last(owner) + 1, request: number });
    }
    case 'drop':
      return apply({ type: 'drop', ...sender(intended.client), request: intended.number });
    case 'force-release':
      return apply({ type: 'force-release', ...sender(intended.client), names: named(intended.scope) });
    case 'gone':
      return apply({ type: 'gone', client: clients[intended.client] });
    case 'join':
      return apply({ type: 'join', client: clients[intended.client], number: Math.max(machine.last(clients[intended.client]), 0) + 1 });
    case 'tick':
      return apply({ type: 'tick', now: Math.max(time + intended.delta, -1) });
    case 'misnumbered': {
      const instruction = instruct(intended.intention, machine, { clients, names });
      const { offset, number } = intended.wrong;
      if (instruction.kind === 'apply' && 'number' in instruction.operation) {
        instruction.operation.number = number ?? instruction.operation.number + (offset ?? 0);
      }
      return instruction;
    }
    case 'stranger': {
      const instruction = instruct(intended.intention, machine, { clients, names });
      if (instruction.kind === 'apply' && 'client' in instruction.operation) instruction.operation.client = 'stranger';
      return instruction;
    }
    case 'raise':
      return { kind: 'raise', fence: fence + intended.delta };
    case 'restore':
      return { kind: 'restore' };
  }
}

/** @typedef {{program: Instruction[], reports: Report[]}} Run what was done, and what the model reports of it */

const model = new Machine(createModel);

/**
 * @param {Intention[]} intentions
 * @param {number} alphabet
 * @returns {Run}
 */
function run(intentions, alphabet) {
  model.reset();
  /** @type {Intention[]} */
  const joins = [0, 1, 2].map((place) => ({ type: 'join', client: place }));
  /** @type {Instruction[]} */
  const program = [];
  /** @type {Report[]} */
  const reports = [];
  /** @param {Instruction} instruction */
  const take = (instruction) => {
    program.push(instruction);
    reports.push(model.do(instruction));
  };
  for (const intended of [...joins, ...intentions]) take(instruct(intended, model, alphabets[alphabet]));
  take({ kind: 'look' });
  return { program, reports };
}

/**
 * The first [count] steps of a run as a schedule, as the model has it.
 * @param {Run} run
 */
export function text({ program, reports }, count = program.length) {
  /** @type {import('./print.js').Happening[]} */
  const happenings = [];
  program.slice(0, count).forEach((instruction, place) => {
    const outcome = reports[place];
    if (instruction.kind === 'restore') happenings.push({ kind: 'restore' });
    if (instruction.kind === 'raise' && !('hash' in outcome)) happenings.push({ ...instruction, outcome });
    if (instruction.kind === 'apply' && !('hash' in outcome)) {
      happenings.push({ kind: 'apply', operation: instruction.operation, outcome });
    }
  });
  return print(happenings);
}

/** Runs that the model has been through. */
export const runs = fc.tuple(
  fc.array(intention, { minLength: 1, maxLength: 60, size: 'max' }),
  fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
).map(([intentions, alphabet]) => {
  const made = run(intentions, alphabet);
  return Object.defineProperty(made, fc.toStringMethod, { value: () => `\n${text(made)}\n`, enumerable: false });
});
