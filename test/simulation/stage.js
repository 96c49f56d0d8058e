/**
 * A small world that a test drives by hand, for exact schedules: tabs that ask for locks, and filters of what a test keeps back
 * (`world.hold`).
 *
 * @typedef {import('./world.js').Kept} Kept
 * @typedef {typeof import('../../glue/log/log.js').createLog} CreateLog
 * @typedef {import('../../glue/platform/place.js').OrderKind} OrderKind
 * @typedef {{told: string[], handle: any}} Asked [told]: what its listener was told
 * @typedef {(stage: Stage) => Promise<void>} Schedule
 */
import assert from 'node:assert/strict';
import { fromMessage, fromOtherVersion, toMessage } from '../../glue/log/messages.js';
import { createCore } from './core.js';
import { createOtherVersion } from './variant.js';
import { World } from './world.js';

const createOtherLog = await createOtherVersion();

/** A context, its log, and what the log says. */
export class Tab {
  /**
   * @param {World} world
   * @param {CreateLog} create
   * @param {{kind?: OrderKind, opener?: Tab, showsEnd?: boolean}} [options] [showsEnd]: see context.js; false by default
   */
  constructor(world, create, { kind, opener, showsEnd = false } = {}) {
    this.world = world;
    this.context = world.createContext({ kind, opener: opener && opener.context });
    this.context.showsEnd = showsEnd;
    this.core = createCore();
    this.openCore = () => this.core;
    /** @type {import('../../glue/log/messages.js').Message[]} */
    this.posted = [];
    /** What its log reports: whether it is alone, and whether it may act. @type {Record<string, any>} */
    this.says = { alone: false, acting: false };
    /** What happens to each message that it is about to post. [hears]: that it is about to be delivered. @type {(message: any) => any[]} */
    this.speaks = (message) => [message];
    this.hears = this.speaks;
    /** Call this for a message that the tab cannot read, for example because memory is short. */
    this.missesOne = () => {};
    const { place } = this.context;
    this.log = create({
      ...place,
      trace: (event, value) => {
        this.says[event] = value;
      },
      openOrder: (kind, onMessage, onGap) => {
        this.missesOne = onGap;
        const order = place.openOrder(kind, (message) => this.hears(message).forEach(onMessage), onGap);
        return {
          append: (message) => {
            this.posted.push(/** @type {any} */ (fromMessage(message)));
            this.speaks(message).forEach(order.append);
          },
          look: order.look,
          close: order.close,
        };
      },
    }, () => this.openCore());
  }

  get id() {
    return this.log.clientId();
  }

  /** @param {string} name @param {object} [options] @param {(outcome: string) => void} [listener] @returns {Asked} */
  ask(name, options, listener = () => {}) {
    /** @type {Asked} */
    const asked = { told: [], handle: undefined };
    asked.handle = this.log.request({ names: [name], mode: 'exclusive', ...options }, (outcome) => {
      asked.told.push(outcome);
      listener(outcome);
    });
    return asked;
  }

  /** Asks, and lets the world go on until the request is granted. @param {string} name @param {object} [options] */
  async hold(name, options) {
    const asked = this.ask(name, options);
    await until(this.world, () => asked.told.includes('granted'), 5000);
    return asked;
  }

  /** @param {Asked} asked */
  drop({ handle }) {
    this.log.drop(handle);
  }

  /** How many messages of that kind it has posted. @param {string} kind */
  count(kind) {
    return this.posted.filter((message) => message.kind === kind).length;
  }

  /** The clients whose `gone` it has posted. */
  buried() {
    return this.posted.filter(({ kind }) => kind === 'gone').map(({ values }) => values[1]);
  }

  /** Whether its state lists that client as a member. @param {string} client */
  lists(client) {
    return this.core.state().members.some((member) => member.client === client);
  }

  kill() {
    this.context.kill();
  }

  /** Its page ends like a page that is closed. */
  async end() {
    this.context.tell('over');
    await this.world.run(this.world.time + 20);
    this.kill();
  }
}

/** @param {World} world @param {() => unknown} condition @param {number} milliseconds */
export const until = async (world, condition, milliseconds) => {
  const deadline = world.time + milliseconds;
  while (!condition()) {
    assert.ok(world.time < deadline, `not within ${milliseconds} virtual milliseconds: ${condition}`);
    await world.run(world.time + 1);
  }
};

/** @param {string} [kind] @returns {(message: unknown) => boolean} whether one of that kind, or any without [kind], has come by now */
const fromFirst = (kind) => {
  let isThere = !kind;
  return (message) => (isThere = isThere || (fromMessage(message) || fromOtherVersion(message))?.kind === kind);
};

/**
 * What the tab is about to post; with [kind], from the first message of that kind on, since a context's messages keep their order.
 * @param {Tab} tab @param {string} [kind] @returns {(kept: Kept) => boolean}
 */
export const posts = (tab, kind) => {
  const isKept = fromFirst(kind);
  return ({ context, sort, subject }) => sort === 'post' && context === tab.context && isKept(subject);
};

/**
 * What is delivered to the tab; with [kind], from the first message of that kind on.
 * @param {Tab} tab @param {string} [kind] @returns {(kept: Kept) => boolean}
 */
export const hears = (tab, kind) => {
  const isKept = fromFirst(kind);
  return ({ context, sort, subject }) => sort === 'message' && context === tab.context && isKept(subject);
};

/** A transaction that writes such a change; without [type], one that reads. @param {string} [type] @returns {(kept: Kept) => boolean} */
export const writes = (type) => ({ context, sort, subject }) =>
  sort === 'storage' && !context && (subject && subject.type) === type;

/** The answers of storage to the tab. @param {Tab} tab @returns {(kept: Kept) => boolean} */
export const isAnswered = (tab) => ({ context, sort }) => sort === 'storage' && context === tab.context;

/** The news to the tab that its connections were closed. @param {Tab} tab @returns {(kept: Kept) => boolean} */
export const isLost = (tab) => ({ context, sort }) => sort === 'world' && context === tab.context;

/** For Tab.speaks: of the tab's answers all are lost, or all but those to [client], or only those. Only a `state` is posted as a list. */
export const answersOnly = (/** @type {string} */ client) => (/** @type {any} */ message) =>
  Array.isArray(message) && message[3] !== client ? [] : [message];
export const answersNobody = answersOnly('');
export const answersAllBut = (/** @type {string} */ client) => (/** @type {any} */ message) =>
  Array.isArray(message) && message[3] === client ? [] : [message];

/**
 * For Tab.hears: the tab cannot read some messages.
 * @param {Tab} tab
 * @param {(message: any) => boolean} isMissed
 */
export const misses = (tab, isMissed) => (/** @type {any} */ message) => {
  if (!isMissed(message)) return [message];
  tab.missesOne();
  return [];
};

/** @param {Tab} tab @param {Tab} other */
export const missesOperationsOf = (tab, other) => misses(tab, (message) => /"operations"/.test(message) && message.includes(other.id));

/** @param {unknown} message */
export const isGone = (message) => fromMessage(message)?.kind === 'gone';

/** Storage answers these tabs quickly from now on. @param {Tab[]} tabs */
export const prompt = (...tabs) => tabs.forEach(({ context }) => {
  context.promptUntil = Infinity;
});

/**
 * Collects what the tab posts of one kind from now on.
 * @param {Tab} tab @param {string} kind @param {(values: any[]) => boolean} [isMeant]
 */
export const recorded = (tab, kind, isMeant = () => true) => {
  /** @type {any[]} */
  const messages = [];
  const { speaks } = tab;
  tab.speaks = (message) => {
    const parts = fromMessage(message);
    if (parts && parts.kind === kind && isMeant(parts.values)) messages.push(message);
    return speaks(message);
  };
  return messages;
};

/**
 * The same message with other values.
 * @param {any} message @param {(values: any[]) => unknown[]} change @param {string} [sender] another one
 */
export const changed = (message, change, sender) => {
  const { kind, from, values } = /** @type {import('../../glue/log/messages.js').Message} */ (fromMessage(message));
  return toMessage(kind, sender || from, change(values));
};

/**
 * Data is cleared. A newcomer asks for `a` and writes its log, since the member hears of neither. Then the member speaks, while the
 * newcomer's `begin` is kept back. So that `begin` is void.
 * @param {Stage} stage
 * @param {Tab} member
 * @param {() => Tab} [create] makes the newcomer
 */
export const speaksBeforeBegin = async (stage, member, create = () => stage.tab()) => {
  const { world } = stage;
  const deaf = world.hold(hears(member));
  const news = world.hold(isLost(member));
  world.wipe();
  const newcomer = create();
  const begin = world.hold(posts(newcomer, 'begin'));
  const waiting = newcomer.ask('a');
  await stage.until(() => begin.kept.length, 500);
  deaf.release();
  news.release();
  await stage.run(20);
  return { waiting, begin };
};

/** Both makers of an order, for Stage.with(). */
export const kinds = /** @type {const} */ (['broadcast', 'store']);

export class Stage {
  /** @param {number} seed @param {CreateLog} createLog @param {OrderKind} [kind] */
  constructor(seed, createLog, kind = 'broadcast') {
    this.seed = seed;
    this.createLog = createLog;
    this.world = new World({ seed, kind });
  }

  /** The same stage once more, with another order. @param {OrderKind} kind */
  with(kind) {
    return new Stage(this.seed, this.createLog, kind);
  }

  /** @param {{kind?: OrderKind, opener?: Tab, showsEnd?: boolean}} [options] */
  tab(options) {
    return new Tab(this.world, this.createLog, options);
  }

  /**
   * A tab that has to ask for the state once it is in the register (D2), since its earlier hellos are lost.
   * @param {{showsEnd?: boolean}} [options]
   */
  latecomer(options) {
    const tab = this.tab(options);
    const isEarly = (/** @type {any} */ message) => fromMessage(message)?.kind === 'hello' && !this.world.record.members[tab.id];
    tab.speaks = (message) => isEarly(message) && fromMessage(message)?.values[1] ? [] : [message];
    return tab;
  }

  /** A tab of another version of this library. @param {{kind?: OrderKind}} [options] */
  stranger(options) {
    return new Tab(this.world, createOtherLog, options);
  }

  /** Posts messages as they are. */
  frame() {
    return this.world.createContext().openOrder(this.world.kind, () => {}, () => {});
  }

  /** @param {number} count @param {{showsEnd?: boolean}} [options] @returns {Promise<Tab[]>} that many members, eldest first */
  async open(count, options) {
    const tabs = Array.from({ length: count }, () => this.tab(options));
    for (const tab of tabs) tab.drop(await tab.hold('door'));
    await this.run(200);
    return tabs;
  }

  /** @param {() => unknown} condition @param {number} milliseconds */
  until(condition, milliseconds) {
    return until(this.world, condition, milliseconds);
  }

  /** @param {number} milliseconds */
  run(milliseconds) {
    return this.world.run(this.world.time + milliseconds);
  }
}

/**
 * Of two members, the younger holds [name] and is frozen. Then the elder steals that lock and releases it.
 * @param {Stage} stage @param {string} name
 */
export const sleepsThroughSteal = async (stage, name) => {
  const [leader, sleeper] = await stage.open(2);
  const held = await sleeper.hold(name);
  await stage.run(100);
  sleeper.context.freeze('all');
  await stage.run(100);
  const thief = leader.ask(name, { steal: true });
  await stage.until(() => thief.told.length, 1000);
  leader.drop(thief);
  return { leader, sleeper, held };
};

/**
 * A member is in doubt, and gets no answer. Meanwhile another context joins, so the member's state does not list it. It holds [name], and
 * the member watches it.
 * @param {Stage} stage
 * @param {string} name
 */
export const joinsBesideDoubt = async (stage, name) => {
  const [eldest, doubtful] = await stage.open(2);
  await stage.run(1500);
  eldest.speaks = answersAllBut(doubtful.id);
  doubtful.missesOne();
  await stage.until(() => doubtful.says.acting === false, 100);
  const holder = stage.tab();
  holder.speaks = answersNobody;
  const held = await holder.hold(name);
  prompt(eldest, doubtful, holder);
  await stage.run(1500);
  return { eldest, doubtful, holder, held };
};
