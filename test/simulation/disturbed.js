/**
 * Runs an exact schedule once more, with further faults. That leads to situations that random worlds rarely reach. What the schedule
 * asserts does not count. In the end all living contexts are awake and hear everything, and three things must hold: no lock has two
 * holders, each waiter is served, and so is a visitor. `npm run test:disturbed -- --seeds 20 --from 0` does that with every schedule.
 */
import { createRandom, drawName } from './random.js';
import { Stage, Tab } from './stage.js';

/** The latest time of a fault, in milliseconds. Most faults come early. */
const LATEST = 6000;
/** After so many milliseconds no context believes anything that is not true any more. A request may wait for [PATIENCE] then. */
const HEALING = 20000;
const PATIENCE = 60000;
/** A schedule may wait for something that does not happen now. It is given up after so many milliseconds of real time. */
const STUCK = 1500;

/** Schedules in which something is broken for good, or messages are lost without notice. */
const BROKEN = [
  /openCore|connect =|holdAlive =|deletion =|watchAlive = .*\{|=> \[(gone)?\]|late\.(push|splice)|hold\(hears|speaksBefore/,
  /missesItsGone\(|hears = \(message\) => \/"join"\/\.test\(message\) \?/,
];
/** Schedules with two versions: pages of one version wait until those of the other one have ended. */
const TWO_VERSIONS = /stranger\(|inBothVersions\(/;

/** @param {import('./stage.js').Schedule} schedule */
export const isFit = (schedule) => ![...BROKEN, TWO_VERSIONS].some((unfit) => unfit.test(String(schedule)));

/** A tab that remembers its requests. */
class DisturbedTab extends Tab {
  /** @type {{names: string[], isExclusive: boolean, asked: import('./stage.js').Asked, dropped: boolean}[]} */
  requests = [];

  /** @param {string} name @param {any} [options] @param {(outcome: string) => void} [listener] */
  ask(name, options = {}, listener = undefined) {
    const asked = super.ask(name, options, listener);
    this.requests.push({ names: options.names || [name], isExclusive: options.mode !== 'shared', asked, dropped: false });
    return asked;
  }

  /** @param {import('./stage.js').Asked} asked */
  drop(asked) {
    for (const request of this.requests) if (request.asked === asked) request.dropped = true;
    super.drop(asked);
  }

  pending() {
    return this.requests.filter(({ asked, dropped }) => !dropped && !asked.told.length);
  }

  held() {
    return this.requests.filter(({ asked, dropped }) => !dropped && asked.told.join() === 'granted');
  }

  heal() {
    const { context } = this;
    this.hears = this.speaks = (/** @type {any} */ message) => [message];
    context.thaw();
    Object.assign(context, { promptUntil: Infinity, brokenUntil: 0 });
    if (context.told !== 'visible') context.tell('visible');
  }
}

/** Each fault happens to one tab, or to all. @type {Record<string, {weight: number, happens: (tab: Tab, random: () => number) => void}>} */
const faults = {
  wipe: { weight: 22, happens: ({ world }) => world.wipe() },
  deleteAll: { weight: 5, happens: ({ world }) => world.deleteAll() },
  closeStorage: { weight: 12, happens: ({ world }) => world.closeStorage() },
  kill: { weight: 12, happens: (tab) => tab.kill() },
  freeze: { weight: 14, happens: ({ context }, random) => context.freeze('all', random() < 0.5 ? random() * 2000 : Infinity) },
  miss: { weight: 10, happens: (tab) => tab.missesOne() },
  stall: { weight: 10, happens: ({ context }, random) => context.stall(random() * 2500) },
  hide: { weight: 10, happens: ({ context }) => context.tell('hidden') },
  'go away': { weight: 5, happens: ({ context }) => context.tell('away') },
};

/** @param {any} object @param {string} method @param {(...values: any[]) => void} act */
const before = (object, method, act) => {
  const original = object[method].bind(object);
  object[method] = (/** @type {any[]} */ ...values) => {
    act(...values);
    return original(...values);
  };
};

/** A stage on which more happens than the schedule says. */
class DisturbedStage extends Stage {
  /** @type {DisturbedTab[]} */
  tabs = [];
  /** @type {string[]} */
  happened = [];
  /** @type {{release: () => void}[]} */
  holds = [];
  isHealed = false;
  isCleared = false;
  /** No context can know of a death, so the locks of the dead context stay held (docs/guarantees.md). */
  isDeathUnknown = false;

  /**
   * @param {number} seed
   * @param {import('./stage.js').CreateLog} createLog
   * @param {import('./stage.js').OrderKind} kind
   * @param {{many: number, stages: DisturbedStage[]}} all how many faults at most; the stages of the schedule's other worlds
   */
  constructor(seed, createLog, kind, all) {
    super(seed, createLog, kind);
    this.all = all;
    all.stages.push(this);
    const { world } = this;
    const hold = world.hold.bind(world);
    world.hold = (filter) => {
      const held = hold(filter);
      this.holds.push(held);
      return held;
    };
    this.lookForUnknownDeaths();
    const random = createRandom(seed * 7919 + all.stages.length);
    for (let left = Math.ceil(random() * all.many); left > 0; left--) {
      const kindOfFault = drawName(faults, random);
      world.at(undefined, 60 + random() ** 2 * LATEST, () => this.disturb(kindOfFault, random));
    }
  }

  /** @param {string} name @param {() => number} random */
  disturb(name, random) {
    const living = this.living();
    if (this.isHealed || !living.length) return;
    const tab = living[Math.floor(random() * living.length)];
    this.happened.push(`${name} (${tab.context.id}) at ${Math.round(this.world.time)}`);
    faults[name].happens(tab, random);
  }

  lookForUnknownDeaths() {
    const { storage } = this.world;
    const clear = () => {
      this.isCleared = true;
      this.isDeathUnknown ||= this.listsDead();
    };
    before(storage, 'wipe', clear);
    before(storage, 'deleteAll', clear);
    before(storage, 'died', (context) => {
      // A context that has left is dead for the others. But it may have been the only one that knew of a death.
      const tab = this.tabs.find((each) => each.context === context);
      const record = tab && this.world.record.members[tab.id];
      const isSeen = !context.listening || (!!record && !!record.alive && !storage.deletion);
      this.isDeathUnknown ||= !isSeen || (this.isCleared && this.listsDead(context.listening ? tab && tab.id : ''));
    });
  }

  /**
   * Whether the register, or the state of a living context, lists a client of a context that is dead or has left.
   * @param {string} [besides] a client that does not count
   */
  listsDead(besides) {
    const dead = this.tabs.filter(({ context }) => !context.alive || !context.listening).map(({ context }) => `${context.id}-`);
    const members = this.living().flatMap(({ core }) => core.state().members.map(({ client }) => client));
    return [...members, ...Object.keys(this.world.record.members)]
      .some((client) => client !== besides && dead.some((id) => client.startsWith(id)));
  }

  living() {
    return this.tabs.filter(({ context }) => context.alive);
  }

  /** @param {import('./stage.js').OrderKind} kind */
  with(kind) {
    return new DisturbedStage(this.seed, this.createLog, kind, this.all);
  }

  /** @param {{kind?: import('./stage.js').OrderKind, opener?: Tab}} [options] */
  tab(options) {
    const tab = new DisturbedTab(this.world, this.createLog, options);
    this.tabs.push(tab);
    return tab;
  }

  heal() {
    this.isHealed = true;
    /** @type {any} */
    const { storage } = this.world;
    // The schedule may have replaced functions of storage.
    for (const [name, value] of Object.entries(storage)) if (typeof value === 'function') delete storage[name];
    this.holds.forEach((held) => held.release());
    this.living().forEach((tab) => tab.heal());
  }

  /** All contexts release what they hold, again and again, until [condition] is true. @param {() => boolean} condition */
  async letsGoUntil(condition) {
    const end = this.world.time + PATIENCE;
    while (!condition() && this.world.time < end) {
      for (const tab of this.living()) for (const { asked } of tab.held()) tab.drop(asked);
      await this.run(200);
    }
    return condition();
  }

  /** @returns {Promise<string>} what is wrong, empty if nothing is */
  async judge() {
    this.heal();
    await this.run(HEALING);
    const held = this.living().flatMap((tab) => tab.held());
    const names = [...new Set(this.tabs.flatMap(({ requests }) => requests.flatMap((request) => request.names)))];
    for (const name of names) {
      const holders = held.filter((request) => request.names.includes(name));
      if (holders.length > 1 && holders.some(({ isExclusive }) => isExclusive)) return `${name} has ${holders.length} holders`;
    }
    if (this.isDeathUnknown) return '';
    if (!await this.letsGoUntil(() => this.living().every((tab) => !tab.pending().length))) return 'a request waits for nobody';
    const visitor = this.tab();
    const asked = names.map((name) => visitor.ask(name));
    return await this.letsGoUntil(() => asked.every(({ told }) => told.length)) ? '' : 'a visitor waits for nobody';
  }
}

/**
 * @param {import('./stage.js').Schedule} schedule
 * @param {number} seed
 * @param {import('./stage.js').CreateLog} createLog
 * @param {{many?: number, kind?: import('./stage.js').OrderKind}} [options] [many]: how many faults at most; [kind]: the maker of the
 *   order, unless the schedule says it
 * @returns {Promise<string[]>} what is wrong, with the faults that have led there
 */
export const disturb = async (schedule, seed, createLog, { many = 2, kind = 'broadcast' } = {}) => {
  const all = { many, stages: /** @type {DisturbedStage[]} */ ([]) };
  const stage = new DisturbedStage(seed, createLog, kind, all);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const isStuck = new Promise((resolve) => {
    timer = setTimeout(resolve, STUCK);
  });
  await Promise.race([schedule(stage).catch(() => {}), isStuck]);
  clearTimeout(timer);
  const wrong = [];
  for (const each of all.stages) {
    const what = await each.judge().catch(String);
    if (what) wrong.push(`${what}; ${each.happened.join(', ')}`);
  }
  return wrong;
};
