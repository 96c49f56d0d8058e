/**
 * Worlds from seeds for the log of threads and processes: its journal is the real one, in files; who lives, who rings, time, and the
 * points at which contexts end are simulated. Programs and checks are those of test/simulation.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournal } from '../../../glue/platform/node/journal.js';
import { createSharedLog } from '../../../glue/platform/node/log.js';
import { createCore } from '../../simulation/core.js';
import { kinds } from '../../simulation/faults.js';
import { Simulation } from '../../simulation/simulation.js';
import { watchLiveness } from './liveness.js';

/** @typedef {import('../../simulation/program.js').Program} Program */

/** What can go wrong among threads and processes. */
const FAULTS = ['kill', 'killInside', 'stop', 'stall', 'join', 'outOfMemory'];

export class NodeSimulation extends Simulation {
  /** @param {{seed: number, trace?: boolean}} options */
  constructor({ seed, trace }) {
    super({ seed, trace, createCore, createLog: /** @type {any} */ ((context, open) => this.openLog(context, open)) });
    this.directory = mkdtempSync(join(tmpdir(), 'lockkeeper-simulation-'));
    this.kernelRings = seed % 2 === 1;
    /** The chance that a context ends at a point inside its own doing. */
    this.suddenness = 0;
    /** @type {Map<string, any>} who lives, by client */
    this.living = new Map();
    /** @type {Map<string, Set<() => void>>} who wants to learn of a death, by client */
    this.watchers = new Map();
    /** @type {Map<string, any>} by client */
    this.ears = new Map();
    /** @type {Set<any>} contexts that hear of every entry */
    this.attending = new Set();
    /** @type {Map<string, any>} snapshots, by their bytes as text: a file keeps nothing else of them */
    this.snapshots = new Map();
    /** @type {Map<number, any>} by fence */
    this.emptied = new Map();
    /** @type {{close(): void}[]} */
    this.journals = [];
  }

  placeFor({ context }) {
    return context;
  }

  /** @param {any} context */
  kill(context) {
    if (!context.alive) return;
    this.note(context, 'ends');
    context.kill();
    this.programs.find((program) => program.context === context)?.died();
    this.attending.delete(context);
    for (const [client, owner] of this.living) if (owner === context) this.buried(client);
  }

  /** @param {string} client */
  buried(client) {
    this.living.delete(client);
    this.watchers.get(client)?.forEach((tell) => tell());
    this.watchers.delete(client);
  }

  /** A point at which a context may end. @param {any} context @returns {boolean} whether it goes on */
  survives(context) {
    if (context.alive && this.world.random() < this.suddenness) this.kill(context);
    return context.alive;
  }

  /** @param {any} context */
  mustSurvive(context) {
    if (!this.survives(context)) throw Object.assign(new Error('dead'), { syscall: 'dead', code: 'EIO' });
  }

  openLog(context, open) {
    const copy = () => this.programs.find((program) => program.context === context)?.copy;
    const log = createSharedLog(this.surroundings(context), () => this.remember(open(), copy));
    return {
      ...log,
      // A context that has ended inside its own doing is not told anything any more.
      request: (description, listener) => log.request(description, (outcome, fence) => context.alive && listener(outcome, fence)),
    };
  }

  /**
   * What [core] becomes by the same bytes, or emptied with the same fence, is the same place for the checker.
   * @param {any} core
   * @param {() => any} copy
   */
  remember(core, copy) {
    const text = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('base64');
    return {
      ...core,
      snapshot: () => {
        const bytes = core.snapshot();
        this.snapshots.set(text(bytes), bytes);
        return bytes;
      },
      reset: (/** @type {number} */ fence) => {
        core.reset(fence);
        const known = this.emptied.get(fence) || copy().place;
        this.emptied.set(fence, known);
        copy().place = known;
      },
      restore: (/** @type {Uint8Array} */ bytes) => core.restore(this.snapshots.get(text(bytes)) || bytes),
    };
  }

  journalFor(context, parts) {
    const journal = createJournal({
      ...parts,
      directory: this.directory,
      sizes: { first: 300, next: 2000 },
      snapshot: () => {
        this.mustSurvive(context);
        return parts.snapshot();
      },
    });
    this.journals.push(journal);
    return {
      ...journal,
      append: (record) => {
        this.mustSurvive(context);
        this.note(context, `> ${JSON.stringify(record).slice(0, 1500)}`);
        journal.append(record);
        this.rungByKernel();
        this.survives(context);
      },
      read: () => context.alive && journal.read(),
      tidy: () => context.alive && journal.tidy(),
    };
  }

  rungByKernel() {
    for (const context of this.attending) this.world.after(context, 0.1, 3, () => context.hears?.());
  }

  bellFor(context) {
    const { world } = this;
    let own = '';
    return {
      listen: (client, onRing) => {
        own = client;
        this.ears.set(client, { context, onRing, awake: false, rung: false });
        context.hears = () => onRing(undefined);
      },
      ring: (client, message) => {
        const ear = this.ears.get(client);
        if (this.kernelRings || !ear || !this.survives(context)) return;
        if (ear.awake && !message) ear.rung = true;
        else world.after(ear.context, 0.1, 5, () => this.ears.get(client)?.onRing(message));
      },
      stayAwake: (look) => {
        const ear = this.ears.get(own);
        if (this.kernelRings || ear.awake || world.random() < 0.5) return;
        ear.awake = true;
        look();
        world.after(context, 0, 0.3, () => {
          ear.awake = false;
          if (!ear.rung) return;
          ear.rung = false;
          look();
        });
      },
      forget: () => {},
      attend: () => {
        if (!this.kernelRings || this.attending.has(context)) return;
        this.attending.add(context);
        context.hears();
      },
      rest: () => this.attending.delete(context),
      close: () => {
        this.ears.delete(own);
        this.attending.delete(context);
        context.hears = undefined;
      },
    };
  }

  lifeFor(context) {
    const { world } = this;
    return {
      hold: async (client) => {
        await new Promise((resolve) => world.after(context, 0.1, 2, () => resolve(undefined)));
        this.living.set(client, context);
        return { ref() {}, unref() {}, close: () => this.buried(client) };
      },
      watch: (client, onDeath) => {
        let wanted = true;
        const tell = () => world.after(context, 0.1, 10, () => wanted && onDeath());
        if (!this.living.has(client)) tell();
        else this.watchers.set(client, (this.watchers.get(client) || new Set()).add(tell));
        return () => {
          wanted = false;
        };
      },
      isAlive: (client) => new Promise((resolve) => {
        const answer = this.living.has(client);
        world.after(context, 0.1, 5, () => resolve(answer));
      }),
      bury: () => {},
      touch: () => {},
      sweep: async () => {},
    };
  }

  surroundings(context) {
    const { world } = this;
    context.listening = 1;
    return {
      prepare: () => {},
      createJournal: (parts) => this.journalFor(context, parts),
      life: this.lifeFor(context),
      bell: this.bellFor(context),
      now: () => world.time,
      wallClock: () => Math.floor(world.wallClockBase + world.time),
      randomId: context.place.randomId,
      setTimer: context.place.setTimer,
      afterTask: (callback) => world.after(context, 0, 0.02, callback),
      defer: (callback) => void Promise.resolve().then(() => context.alive && callback()),
      warn: (text) => this.note(context, text),
      keepAlive: true,
    };
  }

  plan(until) {
    const { world } = this;
    const chosen = FAULTS.filter(() => world.random() < 0.5);
    this.faults = chosen;
    for (const kind of chosen) {
      if (kind === 'killInside') this.suddenness = 10 ** -world.between(1, 3);
      for (let left = kind === 'killInside' ? 0 : Math.round(world.between(0, 8)); left; left--) {
        world.at(undefined, world.between(0, until), () => {
          const living = this.programs.filter(({ context }) => context.alive);
          if (!living.length) return;
          const program = living[Math.floor(world.random() * living.length)];
          if (kind === 'kill') this.kill(program.context);
          else kinds[kind](this, program);
        });
      }
    }
  }

  async run() {
    const { world } = this;
    const until = world.between(500, 4000);
    const first = Math.floor(world.between(1, 6));
    for (let each = 0; each < first; each++) this.addProgram(each && world.random() < 0.5 ? world.between(0, until) : 0);
    this.plan(until);
    watchLiveness(this, createCore());
    await this.advance(until);
    this.suddenness = 0;
    await this.end();
  }

  clear() {
    for (const journal of this.journals) journal.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** @param {{seed: number, trace?: boolean}} options @returns {Promise<NodeSimulation>} */
export const simulate = async (options) => {
  const simulation = new NodeSimulation(options);
  let /** @type {any} */ failure;
  const notice = (/** @type {unknown} */ error) => {
    failure = failure || error;
  };
  process.on('unhandledRejection', notice);
  try {
    await simulation.run();
  } catch (error) {
    failure = failure || error;
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', notice);
  simulation.clear();
  failure = simulation.checker.violation || failure;
  if (!failure) return simulation;
  const lines = [`seed ${options.seed}: ${failure.message}`, `faults: ${simulation.faults.join(' ')}`, ...(simulation.notes || [])];
  throw new Error(lines.join('\n'), { cause: failure });
};
