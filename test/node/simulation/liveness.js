/**
 * What must hold at every moment, and not only after the faults: no request waits for a context that neither holds the lock nor waits
 * before it, whatever others do meanwhile: compute, stand still, or die. A witness reads the journal and writes nothing. It knows the true
 * state, and compares it with what the programs have been told.
 *
 * L2 the request of an awake program is in the state. L3 a grant in the state has been told. L4 no request waits only for the dead.
 * L5 what a program has released or aborted is no longer in the state, even if its context computes or stands still since.
 * L6 what a program holds is held in the state, or it is told.
 */
import { createJournal } from '../../../glue/platform/node/journal.js';

/** Milliseconds between two looks. */
const LOOK = 5;
/** This is how long something may take. What fails for want of memory is tried again half a second later, and may fail once more. */
const PATIENCE = 200;
const RETRY = 1000;
/** An action that fails several times is tried again later and later. */
const TRIALS = 1500;
/** The time where nothing goes wrong. What takes longer was found by a look, and no context has rung. */
const PROMPT = 11;

/** @param {any} one @param {any} other */
const conflict = (one, other) =>
  (one.mode === 'exclusive' || other.mode === 'exclusive') && one.names.some((name) => other.names.includes(name));

/** @param {import('./simulation.js').NodeSimulation} simulation @param {import('../../../glue/core/types.js').Core} core */
export const watchLiveness = (simulation, core) => {
  const { world } = simulation;
  const patience = simulation.calm ? PROMPT
    : PATIENCE + (simulation.faults.includes('outOfMemory') ? RETRY : 0) + (simulation.failing ? TRIALS : 0);
  /** A file has no head yet: that is for the contexts to write. */
  const refuse = () => {
    throw new Error('a witness writes nothing');
  };
  const journal = createJournal({
    directory: () => simulation.directory,
    randomId: refuse,
    snapshot: refuse,
    begin: refuse,
    restore: core.restore,
    apply({ operations }) {
      for (const operation of operations) {
        try {
          core.apply(operation);
        } catch {
          // All refuse it.
        }
      }
    },
  });
  simulation.journals.push(journal);
  let opened = false;

  /** @returns {boolean} whether there is a state */
  const read = () => {
    try {
      if (opened) journal.read();
      else {
        opened = true;
        journal.open();
      }
      return true;
    } catch (error) {
      if (/writes nothing/.test(String(error))) return false;
      throw error;
    }
  };

  /** @param {any} program */
  const isAwake = ({ context: { alive, frozen, loop } }) => alive && !frozen && loop.busyUntil <= world.time;

  /** If system calls fail, a context that stands still cannot try again. @param {string} client */
  const couldWrite = (client) =>
    !simulation.failing || simulation.programs.some((program) => program.log.clientId() === client && isAwake(program));

  /** By program and complaint, since when. @type {Map<string, number>} */
  let since = new Map();

  /** The faults of this program now. @param {any} program @param {any} state @returns {Iterable<string>} */
  const complaints = function* (program, { held, pending }) {
    const client = program.log.clientId();
    for (const asked of program.asked) {
      const key = program.key(asked);
      const isThis = (/** @type {any} */ each) => each.client === client && each.number === asked.handle.number;
      if (asked.state === 'held' && !held.some(isThis)) yield `L6: ${key} was taken away and has not been told`;
      if (asked.state !== 'open') continue;
      const place = pending.findIndex(isThis);
      if (held.some(isThis)) yield `L3: ${key} is granted and has not been told`;
      else if (place < 0) yield `L2: ${key} was asked for and is not in the state`;
      else {
        const before = [...held, ...pending.slice(0, place)].filter((each) => conflict(each, pending[place]));
        if (!before.some((each) => simulation.lives.has(each.client))) yield `L4: ${key} waits for the dead`;
      }
    }
  };

  /** @param {any} state @returns {Iterable<string>} */
  const leftovers = function* ({ held, pending }) {
    for (const { client, number } of [...held, ...pending]) {
      const key = `${client}/${number}`;
      const isLeftOver = simulation.checker.dropped.has(key) && simulation.lives.has(client) && couldWrite(client);
      if (isLeftOver) yield `L5: ${key} has ended and is in the state`;
    }
  };

  const look = () => {
    world.at(undefined, world.time + LOOK, look);
    if (!read()) {
      // No head is written yet. The context that should write it may be stopped, and that time does not count.
      since.clear();
      return;
    }
    const state = core.state();
    /** @type {Map<string, number>} */
    const now = new Map();
    /** @param {Iterable<string>} list */
    const note = (list) => {
      for (const complaint of list) {
        const start = since.get(complaint) ?? world.time;
        now.set(complaint, start);
        if (world.time - start > patience) simulation.fail(`${complaint} for ${Math.round(world.time - start)} ms`);
      }
    };
    note(leftovers(state));
    for (const program of simulation.programs) if (isAwake(program)) note(complaints(program, state));
    since = now;
  };
  world.at(undefined, LOOK, look);
};
