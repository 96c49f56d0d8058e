/**
 * Looks from outside, through the place of one context's log, at the messages that are delivered to it and that it posts.
 *
 * D1 A restored state is the sender's state at that very hello. D3 No `gone` for a living member. D6 After another log's `begin` a context
 * enters nothing before it has read the register, unless the register has already shown that the other log was replaced. D9 Current copies
 * of one log are equal at each place of the order. Independence: what a member posts is delivered to it soon, though others are stopped.
 *
 * @typedef {import('./program.js').Program} Program
 * @typedef {import('../../glue/platform/place.js').Place} Place
 */
import { fromMessage } from '../../glue/log/messages.js';
import { PROTOCOL } from '../../glue/log/register.js';
import { recordMadeBy } from './storage.js';
import { OTHER_PROTOCOL } from './variant.js';

/** The reports of a log that are of use to the reader of a trace. */
const TOLD = ['acting', 'alone', 'restored', 'begin'];

/** @param {any} message */
const print = (message) => typeof message === 'string' ? message
  : JSON.stringify(message, (key, value) => (value instanceof Uint8Array ? `${value.byteLength} bytes` : value)) || '';

/** @param {any} message @returns {number} the version of the protocol of the message */
const versionOf = (message) => typeof message === 'string' ? parseInt(message.slice(1), 10) : message[0];

const OTHER_BEGINNING = new RegExp(`^\\[${OTHER_PROTOCOL},`);

/** @param {any} message */
const parse = (message) => fromMessage(typeof message === 'string' ? message.replace(OTHER_BEGINNING, `[${PROTOCOL},`)
  : Array.isArray(message) ? [message[0] === OTHER_PROTOCOL ? PROTOCOL : message[0], ...message.slice(1)] : message);

/** Messages that were read: every context gets them, each at its own time. @type {Map<any, ReturnType<typeof fromMessage>>} */
const contents = new Map();
const MOST_READ = 200;

/** The content of a message of either version. @param {any} message */
export const read = (message) => {
  if (contents.has(message)) return contents.get(message);
  if (contents.size === MOST_READ) contents.clear();
  const content = parse(message);
  contents.set(message, content);
  return content;
};

export class Witness {
  /** @param {import('./simulation.js').Simulation} simulation @param {Program} program */
  constructor(simulation, program) {
    this.simulation = simulation;
    this.program = program;
    /** The log whose messages it posts; empty before the first. */
    this.log = '';
    /** Which client it was when it last posted. */
    this.client = '';
    /** Whether its log reports that it is a member with a usable state. */
    this.acting = false;
    /** The client that it was when it last was such a member. */
    this.actedAs = '';
    /** When something last happened that may delay its messages. */
    this.disturbed = 0;
    /** The clients whose `gone` it has posted, but has not received yet: until then it may stay. @type {Set<string>} */
    this.unheard = new Set();
    /** Its state at the delivery of each hello, by nonce. @type {Map<string, any>} */
    this.atHello = new Map();
    /**
     * The other logs whose `begin` was delivered since the last read of the register, each with its version.
     * @type {Map<string, number>}
     */
    this.mustRead = new Map();
    this.begins = 0;
    /** When the `begin` of each log was delivered to it. @type {Map<string, number>} */
    this.begunAt = new Map();
    /** The log of each `begin` that was delivered, and each `resume`: a repeated one means nothing (D17). @type {Set<any>} */
    this.heardOnce = new Set();
    /** Whether it believes that its copy differs, because a frame has lied. If another log has begun, it posts no hello. */
    this.mayDoubt = false;
    /** Whether it first heard a `begin` when a frame repeated it. */
    this.hasHeardRepeat = false;
    /** Logs that stood in the register before it showed that this context's log is the right one. @type {Set<string>} */
    this.settled = new Set();
    /** The log that its own log replaced. A `begin` of the replaced log means nothing new. */
    this.over = '';
    this.place = this.wrap(program.context.place);
  }

  /** @param {string} text */
  note(text) {
    this.simulation.note(this.program.context, text);
  }

  disturb() {
    this.disturbed = this.simulation.world.time;
  }

  /** It takes no part, or not yet, or has no usable state. */
  outOfDate() {
    this.acting = this.program.copy.current = false;
    this.disturb();
  }

  /** @param {Place} place @returns {Place & {trace: (event: string, ...details: any[]) => void}} */
  wrap(place) {
    return {
      ...place,
      trace: (event, ...details) => this.told(event, details),
      openOrder: (kind, onMessage, onGap) => {
        const order = /** @type {any} */ (place).openOrder(kind, (/** @type {any} */ message, /** @type {number} */ index) => {
          this.delivered(message);
          onMessage(message);
          this.handled(kind, index);
        }, () => {
          this.note('has a gap');
          this.outOfDate();
          onGap();
        });
        return {
          append: (message) => {
            this.posted(message);
            order.append(message);
          },
          look: () => order.look(),
          close: () => {
            this.outOfDate();
            order.close();
          },
        };
      },
      openRegister: async (onLost) => {
        const register = await place.openRegister(onLost);
        return { ...register, append: (entry) => this.reads(register.append(entry), entry) };
      },
      watchAlive: (name, onDeath) => place.watchAlive(name, (wasHeld) => {
        this.note(`sees the death of ${name}`);
        onDeath(wasHeld);
      }),
      warn: (text) => {
        place.warn(text);
        this.note(text);
        if (!/differ/.test(text)) return;
        const { repeater } = this.simulation;
        if (repeater && repeater.hasLied) this.mayDoubt = true;
        else this.simulation.fail('D9: copies differ');
      },
    };
  }

  /** @param {string} event @param {any[]} details */
  told(event, details) {
    if (TOLD.includes(event)) this.note(`* ${event} ${details.join(' ')}`);
    if (event === 'acting') {
      this.acting = details[0];
      if (!this.acting && this.mayDoubt) {
        this.mayDoubt = false;
        this.outOfDate();
      }
      if (this.acting) this.actedAs = this.program.log.clientId();
      this.disturb();
    }
    // In the moment in which a context wakes, it is given what was posted before.
    if (event === 'restored' && this.simulation.world.time > this.program.context.overslept) this.program.context.overslept = -1;
    if (event === 'restored' || (event === 'acting' && this.acting)) this.program.copy.current = true;
  }

  /**
   * @template {any[]} T
   * @param {Promise<T>} appending
   * @param {any} entry
   */
  async reads(appending, entry) {
    const { begins } = this;
    if (entry) this.note(`+ ${JSON.stringify(entry)}`);
    if (entry && entry.type === 'withdraw') {
      this.simulation.withdrawn.add(entry.log);
      if (this.log === entry.log && !this.begunAt.has(entry.log)) this.simulation.takenBack.add(entry.log);
    }
    const entries = await appending;
    if (begins === this.begins) this.mustRead.clear();
    const { log } = recordMadeBy(/** @type {any} */ (entries));
    if (log === this.log || (entry && entry.type === 'begin' && log === entry.log)) this.settle(entries, log);
    return entries;
  }

  /** The register shows that [log] counts, and earlier ones do not. @param {any[]} entries @param {string} log */
  settle(entries, log) {
    for (const { value } of entries) if (value && value.type === 'begin' && value.log !== log) this.settled.add(value.log);
    this.settled.forEach((each) => this.mustRead.delete(each));
  }

  /** @param {any} message */
  delivered(message) {
    const { simulation, program } = this;
    if (simulation.notes) this.note(`< ${print(message).slice(0, 300)}`);
    const known = read(message);
    if (!known) return;
    simulation.lastDelivered = message;
    const { kind, from, values } = known;
    if (kind === 'hello') this.atHello.set(values[0], program.copy.place);
    if (kind === 'gone') this.unheard.delete(values[1]);
    const version = versionOf(message);
    if (kind === 'begin' || kind === 'resume') {
      const name = kind === 'begin' ? values[0] : message;
      if (this.heardOnce.has(name)) return;
      this.heardOnce.add(name);
    }
    // It starts over (D10), also if it may not ask for the state at once because another log has begun. (Otherwise its hello shows that.)
    if (kind === 'resume' && values[0] === this.log && from !== program.log.clientId() && !this.acting) this.outOfDate();
    if (kind === 'begin') {
      this.begunAt.set(values[0], simulation.world.time);
      if (simulation.repeater && simulation.repeater.begins.has(message)) {
        // The repeat says that nothing begins now.
        this.hasHeardRepeat = true;
        return;
      }
    }
    if (kind === 'begin' && from === program.log.clientId()) {
      // An earlier log of another version had ended before this one could begin.
      this.mustRead.forEach((other, log) => other !== version && this.mustRead.delete(log));
    } else if (kind === 'begin' && this.log && ![this.log, this.over].includes(values[0]) && !this.settled.has(values[0])) {
      this.mustRead.set(values[0], version);
      this.begins++;
    }
  }

  /**
   * Whether it may take its log for lost because of a `begin` of a log that never acted: a repeat, which who hears it for the first time
   * cannot tell (D17), or one whose writer has taken it back. If the register is just being written anew, it does not show whether that was
   * before the other log began, and a member gives up its own.
   */
  mayBeMisled() {
    const { takenBack, world: { orders: { store: { wipedAt } } } } = this.simulation;
    const wasTakenBack = () => [...this.begunAt].some(([log, time]) => time >= wipedAt && takenBack.has(log));
    return wipedAt >= 0 && (this.hasHeardRepeat || wasTakenBack());
  }

  /** One message has been handled. @param {string} kind @param {number} index */
  handled(kind, index) {
    const { simulation, program: { copy, context } } = this;
    // A copy that does not take part yet may be behind: see the ledger's forked().
    if (!copy.current || !copy.place || !context.alive || !copy.mayHaveActed()) return;
    const place = /** @type {import('./ledger.js').Place} */ (copy.place);
    const places = simulation.places[kind][index] || (simulation.places[kind][index] = []);
    const other = places.find(({ log }) => log === place.log);
    if (!other) places.push(place);
    else if (other !== place) {
      const after = [place, other].map(({ seq, operation }) => `${seq} ${operation}`);
      simulation.fail(`D9: at ${kind} ${index} ${this.program.log.clientId()} is after ${after[0]}, and another copy after ${after[1]}`);
    }
  }

  /** @param {any} message */
  posted(message) {
    const { simulation, program } = this;
    const known = read(message) || simulation.fail(`posts what nobody understands: ${print(message)}`);
    if (simulation.notes) this.note(`> ${print(message).slice(0, 300)}`);
    const { kind, from, values } = known;
    if (kind === 'begin' || kind === 'operations') this.log = values[0];
    if (kind === 'begin') this.over = values[2];
    // A context that has the state does not ask for it.
    if (kind === 'hello' && (values[1] || from !== this.client)) this.outOfDate();
    this.client = from;
    if (kind === 'gone') {
      this.buries(values[0], values[1]);
      this.unheard.add(values[1]);
      simulation.gone.add(values[1]);
    }
    if (kind === 'state') {
      const { trace } = values[values.length - 1];
      if (!program.copy.current) simulation.fail('D10: a context that has missed messages answers a hello');
      if (trace.place !== this.atHello.get(values[1])) simulation.fail('D1: a state is not that at its hello');
    }
  }

  /** @param {string} log @param {string} client */
  buries(log, client) {
    const { simulation } = this;
    const buried = simulation.programs.find((program) => program.log.clientId() === client);
    if (!buried || buried === this.program || !buried.copy.lives() || !buried.context.alive) return;
    if (buried.witness.log === log && buried.copy.isMember()) simulation.fail(`D3: gone is posted for ${client}, which lives`);
  }

  /** Its program enters a callback. @param {string} key */
  entered(key) {
    // Everybody knows that a void log does not count, without the register.
    const mustRead = [...this.mustRead.keys()].some((log) => !this.simulation.withdrawn.has(log));
    if (mustRead) this.simulation.fail(`D6: ${key} is entered after another log has begun`);
  }

  /**
   * An operation is on its way. It must be delivered to its own context soon.
   * @param {() => number} number of the operation
   * @param {() => boolean} isOpen whether the program still waits for it
   * @param {number} rounds how often it may be asked for
   */
  asked(number, isOpen, rounds) {
    const { simulation, program } = this;
    const { world } = simulation;
    const { context } = program;
    if (!this.acting || context.isStopped() || simulation.isSlow(program)) return;
    const client = program.log.clientId();
    const began = world.time;
    const patience = simulation.promptness(program) * rounds;
    world.at(undefined, began + patience, () => {
      const stopped = Math.max(context.loop.busyUntil, context.frozenUntil);
      const disturbed = Math.max(this.disturbed, simulation.lastDisturbance, stopped);
      if (!context.alive || context.isStopped() || disturbed >= began) return;
      if (!isOpen() || program.log.clientId() !== client || program.core.last(client) >= number()) return;
      simulation.fail(`independence: #${number()} of ${client} is not delivered to it within ${patience} ms`);
    });
  }
}
