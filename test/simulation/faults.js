/**
 * What goes wrong in a world, and until when. Each world draws which kinds it has, so that some have nearly none and some one kind
 * only, often.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('./program.js').Program} Program
 */
import { AWAY, FROZEN, HIDDEN, VISIBLE } from '../../glue/platform/lifecycle.js';

/** After its storage was taken away, a context needs so long to come back; what stops it in that time, the protocol does not cover. */
const RECOVERY = 2000;

/** @param {Program} program */
const isAwake = ({ context, simulation }) => context.alive && !context.frozen && context.busyUntil <= simulation.world.time;

/** @type {Record<string, (simulation: Simulation, program: Program) => void>} */
export const kinds = {
  kill(simulation, program) {
    if (simulation.isProtected(program)) return;
    simulation.note(program.context, 'is killed');
    program.context.kill();
    program.died();
  },

  /** A stopped process, a phone that sleeps: nobody is told. */
  stop(simulation, program) {
    simulation.freeze(program, 'all', simulation.world.between(50, 4000));
  },

  stall(simulation, program) {
    if (simulation.isProtected(program)) return;
    const milliseconds = simulation.world.between(10, 2500);
    simulation.note(program.context, `is busy for ${Math.round(milliseconds)}`);
    program.context.stall(milliseconds);
  },

  /** Chromium's freezing: the page is told; messages are still delivered to it. */
  freeze(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    if (simulation.world.random() < 0.7) program.context.tell(FROZEN);
    simulation.freeze(program, 'chromium', simulation.world.between(50, 4000));
  },

  hide(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    simulation.note(program.context, 'is hidden');
    program.mayLose = true;
    program.context.tell(HIDDEN);
    program.later(simulation.world.between(10, 2000), () => program.context.tell(VISIBLE));
  },

  /** Into the back-forward cache and out of it, or dead there. */
  away(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    program.mayLose = true;
    program.context.tell(AWAY);
    const { world } = simulation;
    world.at(program.context, world.time, () => {
      if (program.context.frozen || !program.context.alive) return;
      simulation.freeze(program, 'all', world.between(20, 2000));
    });
  },

  storageFails(simulation, program) {
    if (simulation.isProtected(program)) return;
    const milliseconds = simulation.world.between(10, 3000);
    simulation.note(program.context, `has no storage for ${Math.round(milliseconds)}`);
    program.context.brokenUntil = simulation.world.time + milliseconds;
  },

  slowStorage(simulation) {
    simulation.world.slowStorage = simulation.world.random() < 0.5 ? 1 : simulation.world.between(1, 8);
  },

  outOfMemory(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program)) return;
    simulation.note(program.context, 'will be out of memory');
    program.mayLose = true;
    program.copy.outOfMemory = true;
  },

  /** One context's connections are closed, and nothing is deleted. */
  closeStorage(simulation, program) {
    if (!isAwake(program) || simulation.isProtected(program) || program.context.brokenUntil > simulation.world.time) return;
    simulation.note(program.context, 'loses its connections');
    simulation.protect(program, RECOVERY);
    program.context.closeStorage();
  },

  /**
   * The site's data is cleared, while somebody who has the state is awake and stays able to keep it, and while no death is unknown:
   * whoever dies around that time, nobody can tell from one that lives.
   */
  wipe(simulation) {
    const { world, programs } = simulation;
    const living = programs.filter(({ context }) => context.alive);
    const cannotCome = living.some(({ context }) => !context.frozen && Math.max(context.busyUntil, context.brokenUntil) > world.time);
    const clients = living.filter(({ copy }) => copy.lives()).map(({ log }) => log.clientId());
    const awake = living.find((program) =>
      isAwake(program) && program.copy.lives() && program.copy.isMember() && !program.copy.outOfMemory);
    if (cannotCome || world.slowStorage > 1 || !awake) return;
    if (!awake.core.state().members.every(({ client }) => clients.includes(client))) return;
    // A leader that has been away may still order what the dead had asked for: by the register they live.
    const { members = {} } = world.record || {};
    if (programs.some(({ context, log }) => !context.alive && members[log.clientId()]?.stateful)) return;
    simulation.note(undefined, 'site data is cleared');
    simulation.wiped = true;
    for (const program of living) simulation.protect(program, RECOVERY);
    world.wipe();
  },

  /** Another library on our channel, or a message of ours that was damaged. */
  garbage(simulation) {
    const { world } = simulation;
    const choices = [undefined, null, 'text', 7, [], {}, [1], '[1', '[1,"constructor"]', '{}'];
    const damaged = simulation.lastMessage && damage(simulation.lastMessage, world.random);
    const message = world.random() < 0.7 && damaged ? damaged : choices[Math.floor(world.random() * choices.length)];
    if (world.random() < 0.7) simulation.stranger.postLog(message);
    else simulation.stranger.postOperations(message);
  },

  join(simulation) {
    if (simulation.programs.length < 8) simulation.addProgram(0);
  },

  /** A page from before, or after, a deploy: its messages are strange, and the register's version is not its own. */
  otherVersion(simulation) {
    if (simulation.programs.length < 8) simulation.addProgram(0, 1);
  },

  clockJumps(simulation) {
    simulation.world.wallClockBase += simulation.world.between(-1e6, 1e6);
  },
};

/** Some are rarer than others. @type {Record<string, number>} */
const weights = { wipe: 0.4, join: 2, kill: 1.5, outOfMemory: 0.5 };

/** @param {any} message @param {() => number} random */
const damage = (message, random) => {
  const isText = typeof message === 'string';
  const operations = [{ type: 'gone', client: 7 }, { type: '__proto__', client: 'x', number: 1 }, {}, null, 'x'];
  const wrong = [undefined, null, NaN, -1, 0.5, {}, ...operations.map((operation) => [operation])];
  const damaged = isText ? JSON.parse(message) : message.slice();
  const place = Math.floor(random() * damaged.length);
  const cut = damaged[place] instanceof Uint8Array && random() < 0.8 && damaged[place].slice(0, random() * damaged[place].length);
  damaged[place] = cut || wrong[Math.floor(random() * wrong.length)];
  if (!isText) return damaged;
  const text = JSON.stringify(damaged);
  return random() < 0.9 ? text : text.slice(0, random() * text.length);
};

/**
 * Draws the world's faults and lets them happen until [until].
 * @param {Simulation} simulation
 * @param {number} until
 * @param {string[]} [only] these kinds, and nothing is drawn
 */
export const plan = (simulation, until, only) => {
  const { world } = simulation;
  const drawn = Object.keys(kinds).filter(() => world.random() < 0.35);
  const chosen = only || drawn;
  // A clock that goes back and a register that forgets: then nothing says any more that fences grow. And nobody would tell a page of
  // another version that there is a log to come back to.
  const fitting = chosen.filter((kind) => !chosen.includes('wipe') || (kind !== 'clockJumps' && kind !== 'otherVersion'));
  simulation.faults = fitting;
  for (const kind of fitting) {
    const count = Math.round(world.between(0, 6) * (weights[kind] || 1) + (weights[kind] < 1 ? 0.4 : 0));
    for (let each = 0; each < count; each++) {
      world.at(undefined, world.between(0, until), () => {
        const living = simulation.programs.filter(({ context }) => context.alive);
        if (living.length) kinds[kind](simulation, living[Math.floor(world.random() * living.length)]);
      });
    }
  }
};
