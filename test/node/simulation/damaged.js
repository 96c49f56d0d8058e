/**
 * A disturbed schedule with further damage: files of the journal, or signs of life, are removed or emptied, or a living context is
 * buried. Then locks are lost, and for a while two may hold the same (docs/node.md). Once all have written after that, this must
 * hold: no lock has two holders, every waiter is served, and so is a visitor.
 */
import { existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { conflict } from '../../simulation/ledger.js';
import { DisturbedStage } from './disturbed.js';

/** The latest time of the damage, in milliseconds; most of it happens early. */
const LATEST = 4000;
/** A schedule waits no longer than so many milliseconds at once. */
const LONGEST = 5000;
/** Within so many milliseconds a writer checks whether the files are there, and joins anew if it must. */
const LOOK = 3000;
/** How many times all write; how long until no context believes what is no longer true; and how long a request may wait then. */
const ROUNDS = 4;
const HEALING = 20000;
const PATIENCE = 30000;

export class DamagedStage extends DisturbedStage {
  letsGo = false;
  isOver = false;

  /** The checks of other worlds do not hold here, or not at every moment. */
  watch() {
    Object.assign(this.simulation.checker, { fail() {}, readEntry() {} });
  }

  plan() {
    super.plan();
    this.simulation.world.after(undefined, 0, this.random() ** 2 * LATEST, () => this.damage());
  }

  /** @param {string} name */
  disturb(name) {
    if (!this.isOver) super.disturb(name);
  }

  /** A context that can no longer know where the journal goes on says so. @param {Error} error */
  isRight = ({ message }) => /files are missing/.test(message) && this.happened.some((each) => /^(removed|emptied)/.test(each));

  damage() {
    if (this.isOver) return;
    const folder = join(this.simulation.directory, 'log');
    // The context that would make it may have been stopped before that.
    if (!existsSync(folder)) return;
    const files = readdirSync(folder).map((name) => join(folder, name));
    const some = this.random() < 0.5 ? files : [files[Math.floor(this.random() * files.length)]];
    const isRemoved = this.random() < 0.5;
    const what = `${isRemoved ? 'removed' : 'emptied'}: ${some === files ? 'all' : some}`;
    this.happened.push(`${what} at ${this.simulation.world.time.toFixed(1)}`);
    some.forEach((each) => (isRemoved ? rmSync(each) : truncateSync(each)));
    if (isRemoved && some === files) rmSync(folder, { recursive: true });
  }

  /** @param {number} milliseconds */
  pass(milliseconds) {
    return super.pass(Math.min(milliseconds, LONGEST));
  }

  living() {
    return this.simulation.programs.filter(({ context }) => context.alive);
  }

  /** @param {number} milliseconds */
  wait(milliseconds) {
    return this.simulation.advance(this.simulation.world.time + milliseconds);
  }

  wakeAll() {
    for (const program of this.simulation.programs) {
      program.context.loop.busyUntil = 0;
      program.copy.outOfMemory = false;
      program.context.catchUp();
      this.simulation.thaw(program);
      this.letGo(program);
      program.run = () => {};
    }
  }

  /** From the end on it releases what it is granted. @param {any} program */
  letGo(program) {
    program.hold = (/** @type {any} */ asked) => this.letsGo && program.later(20, () => program.drop(asked));
  }

  async end() {
    this.isOver = true;
    this.wakeAll();
    for (let round = 0; round < ROUNDS; round++) {
      await this.wait(LOOK);
      for (const program of this.living()) this.ask(program, { names: ['to write'], mode: 'shared' }).drop();
    }
    await this.wait(HEALING);
    const held = this.living().flatMap((program) => [...program.asked].filter(({ state }) => state === 'held'));
    const isTwice = held.some((one, index) => held.slice(index + 1).some((other) => conflict(one, other)));
    if (isTwice) throw new Error('a lock has two holders');
    this.letsGo = true;
    for (const program of this.living()) {
      // It may have come since.
      this.letGo(program);
      program.finish();
    }
    await this.settle('a request waits for no holder');
    const visitor = this.simulation.addVisitor();
    this.letGo(visitor);
    visitor.request({ names: [...this.names], mode: 'exclusive' });
    await this.settle('a visitor waits for no holder');
  }

  /** @param {string} complaint */
  async settle(complaint) {
    const end = this.simulation.world.time + PATIENCE;
    while (this.living().some(({ asked }) => asked.size)) {
      if (this.simulation.world.time > end) throw new Error(complaint);
      await this.wait(50);
    }
  }
}
