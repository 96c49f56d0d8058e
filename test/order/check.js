/** One random world of contexts with an order from a store, and what must hold there. */
import { World } from '../simulation/world.js';
import { Databases } from './databases.js';
import { Member, Origin } from './realms.js';

/** By then, in milliseconds, all must have heard everything. */
const PATIENCE = 6000;

/** @typedef {{database: number, at: number}} Position of a message */

/** Each member's deliveries, against the contents of the databases. */
class Listeners {
  /** @param {Databases} databases @param {(text: string) => never} fail */
  constructor(databases, fail) {
    this.databases = databases;
    this.fail = fail;
    /** @type {Map<Member, {last: Position | undefined, hasGap: boolean, own: number}>} */
    this.states = new Map();
  }

  /**
   * Its last place. A page that goes away does not learn whether its last messages were added, and sends them again when it comes back.
   * @param {string} message @returns {Position | undefined}
   */
  find(message) {
    const { all } = this.databases;
    for (let database = all.length - 1; database >= 0; database--) {
      const at = all[database].added.findLastIndex((entry) => entry.message === message);
      if (at >= 0) return { database, at };
    }
    return undefined;
  }

  /** @param {string} message @param {Position} position */
  isAt(message, { database, at }) {
    const entry = this.databases.all[database].added[at];
    return !!entry && entry.message === message;
  }

  /** The number of its last own message that it was delivered. @param {Member} member */
  own(member) {
    return this.states.get(member)?.own || 0;
  }

  /** @param {Member} member @param {string} message */
  heard(member, message) {
    const state = this.states.get(member) || { last: undefined, hasGap: true, own: 0 };
    this.states.set(member, state);
    if (member.isClosed) this.fail(`${member.context.id} is closed, and hears ${message}`);
    if (message === 'gap') {
      state.hasGap = true;
      return undefined;
    }
    const { id } = member.context;
    const { last, hasGap } = state;
    const next = last && { database: last.database, at: last.at + 1 };
    const here = !hasGap && next && this.isAt(message, next) ? next : this.find(message);
    const isLater = here && (!last || here.database > last.database || (here.database === last.database && here.at > last.at));
    if (!here || !isLater) return this.fail(`${id} hears ${message} late, or twice`);
    if (!hasGap && here !== next) this.fail(`${id} hears ${message}, has missed something, and was told of no gap`);
    const [sender, number] = message.split(':').map(Number);
    if (sender === id) {
      if (number > state.own + 1 && !member.gaps.some((appended) => appended >= number - 1)) {
        this.fail(`${id} has lost ${id}:${number - 1}, and was told of no gap`);
      }
      if (number <= state.own && !member.wasAway) this.fail(`${id} hears its own ${message} after a later one`);
      state.own = Math.max(state.own, number);
    }
    return Object.assign(state, { last: here, hasGap: false });
  }
}

/**
 * @param {number} seed
 * @param {import('./realms.js').Load} load
 * @param {string[]} [notes] takes what happens
 */
export const check = async (seed, load, notes) => {
  const world = new World({ seed, kind: 'store' });
  const { wallClockBase } = world;
  const { random } = world;
  /** @type {Error | undefined} */
  let violation;
  /** @type {(text: string) => never} */
  const fail = (text) => {
    violation = violation || new Error(`seed ${seed}: ${text}`);
    throw violation;
  };
  const note = (/** @type {string} */ text) => notes && notes.push(`${world.time.toFixed(1).padStart(8)} ${text}`);
  const databases = new Databases(world);
  const isCalm = seed % 4 === 0;
  const origin = new Origin(world, databases, { hasChannel: seed % 3 !== 0, deaf: random() < 0.3 ? 0.2 : 0 });
  const listeners = new Listeners(databases, fail);
  /** @type {Member[]} */
  const members = [];
  /** @type {Map<object, string[]>} what the contexts of a thread have appended when all of them were connected */
  const calls = new Map();

  const draw = (/** @type {Member[]} */ some) => some[Math.floor(random() * some.length)];
  const join = () => {
    const opener = draw(members.filter((each) => each.isThere() && !each.context.isStopped()));
    const member = new Member(origin, load, random() < 0.4 ? opener : undefined);
    member.listener = (message) => {
      note(`${member.context.id} < ${message}`);
      listeners.heard(member, message);
    };
    members.push(member);
  };
  const append = (/** @type {Member} */ member) => {
    const { loop } = member.context;
    const isConnected = members.every(({ context, heard }) => context.loop !== loop || heard.length);
    const message = member.append();
    note(`${member.context.id} > ${message}`);
    if (isConnected) calls.set(loop, [...calls.get(loop) || [], message]);
    return message;
  };

  const until = world.between(200, 1500);
  join();
  for (let left = random() * 4; left > 0; left--) world.at(undefined, random() < 0.7 ? 0 : world.between(0, until), join);
  // Tasks that append some messages each, now and then over several promise jobs.
  for (let left = world.between(5, 60); left > 0; left--) {
    world.at(undefined, world.between(0, until), () => {
      const member = draw(members.filter((each) => each.isThere()));
      if (!member) return;
      world.at(member.context, world.time, async () => {
        for (let burst = random() ** 3 * 6; burst > 0; burst--) {
          const by = draw(members.filter((each) => each.context.loop === member.context.loop && each.isThere()));
          if (by) append(by);
          if (random() < 0.3) for (let jobs = random() * 20; jobs > 0; jobs--) await undefined;
        }
      }, 'user');
    });
  }

  /** @type {Record<string, (member: Member) => void>} */
  const faults = {
    kill: (member) => member.kill(),
    close: (member) => member.close(),
    freeze(member) {
      member.context.freeze('all');
      world.at(undefined, world.time + world.between(1, 600), () => member.isAway || member.context.thaw());
    },
    stall: ({ context }) => context.stall(world.between(1, 300)),
    breaks: ({ context }) => {
      context.brokenUntil = world.time + world.between(1, 200);
    },
    fails() {
      databases.failures = 0.3;
      world.at(undefined, world.time + world.between(1, 100), () => {
        databases.failures = 0;
      });
    },
    lose: ({ context }) => databases.lose(context),
    wipe() {
      // Then keys begin lower than before. A page that was away, and did not close its order, would not notice that.
      if (random() < 0.3 && !members.some(({ wasAway }) => wasAway)) world.wallClockBase -= 1e6;
      databases.wipe();
    },
    deleted: () => databases.delete('order'),
    away(member) {
      if (member.context.loop.contexts.size > 1 || member.context.frozen || world.wallClockBase < wallClockBase) return;
      member.goAway();
      world.at(undefined, world.time + world.between(1, 400), () => member.context.alive && member.comeBack());
    },
    sweep() {
      const database = databases.byName.get('order');
      if (database) database.entries.splice(0, Math.max(0, database.entries.length - 3));
    },
  };
  for (const kind of isCalm ? [] : Object.keys(faults).filter(() => random() < 0.4)) {
    for (let left = random() * 4; left > 0; left--) {
      world.at(undefined, world.between(0, until), () => {
        const member = draw(members.filter((each) => each.isThere()));
        if (!member) return;
        note(`${kind} ${member.context.id}`);
        faults[kind](member);
      });
    }
  }

  const go = (/** @type {number} */ milliseconds) => world.run(world.time + milliseconds, () => {
    if (violation) throw violation;
  });
  await go(until + 1000);
  note('the faults are over');
  for (const { context } of members) context.brokenUntil = 0;
  await go(PATIENCE);
  const living = members.filter((member) => member.isThere());
  for (const member of living) {
    const { context, appended, gaps } = member;
    if (listeners.own(member) < appended && !gaps.includes(appended)) fail(`${context.id} waits for ${context.id}:${appended}`);
    member.heard = [];
  }
  if (isCalm) {
    for (const each of calls.values()) {
      each.map((message) => listeners.find(message)?.at || 0).reduce((before, at, index) => {
        if (at < before) fail(`${each[index]} was appended later on its thread than what stands behind it`);
        return at;
      }, 0);
    }
  }
  const last = living.map(append);
  await go(PATIENCE);
  for (const { context, heard } of living) {
    const missing = last.find((message) => !heard.includes(message));
    if (missing) fail(`${context.id} does not hear ${missing}`);
    if (heard.includes('gap')) fail(`${context.id} is told of a gap where there is none`);
  }
  // A message that is appended just before the end of a life still travels, and nothing stays open.
  const [leaver, ...others] = living;
  if (!leaver) return;
  const farewell = append(leaver);
  leaver.close();
  await go(PATIENCE);
  if (!listeners.find(farewell)) fail(`${farewell} was appended, and its order closed; it has no place`);
  const deaf = others.find(({ heard }) => !heard.includes(farewell));
  if (deaf) fail(`${deaf.context.id} does not hear ${farewell}`);
  if (databases.isConnected(leaver.context)) fail(`${leaver.context.id} is closed, and keeps its connection`);
};
