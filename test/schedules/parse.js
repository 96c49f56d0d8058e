/** Reads schedule files. README.md of this folder describes what they look like. */
import { Numbering } from './numbering.js';
import { required, tokens, Words } from './words.js';

/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('../../glue/core/types.js').LockEvent} LockEvent */
/** @typedef {import('./words.js').Token} Token */
/** @typedef {{events: LockEvent[]} | {error: string}} Outcome what an operation led to */
/** @typedef {{client: string, number: number}} RequestName */

/**
 * @typedef {{at: number, kind: 'apply', operation: Operation, expected: Outcome}} ApplyStep [at] is the line in the file
 * @typedef {{at: number, kind: 'raise', fence: number, expected: Outcome}} RaiseStep
 * @typedef {{at: number, kind: 'restore'}} RestoreStep
 * @typedef {{at: number, kind: 'list', list: 'held' | 'pending', requests: RequestName[]}} ListStep
 * @typedef {{at: number, kind: 'deadline', deadline: number}} DeadlineStep
 * @typedef {ApplyStep | RaiseStep | RestoreStep | ListStep | DeadlineStep} Step
 * @typedef {{at: number, end: number, steps: Step[]}} Block
 * @typedef {{title: string, blocks: Block[]}} Schedule
 */

const eventTypes = /** @type {const} */ (['granted', 'unavailable', 'broken', 'removed', 'expired', 'joined']);

/**
 * A heading starts a schedule, with a manager of its own; the fenced blocks under it go on from each other.
 * @param {string} text
 * @param {string} file for error messages
 */
export function parse(text, file = 'schedule') {
  /** @type {Schedule[]} */
  const schedules = [];
  /** @type {Section | undefined} */
  let section;
  /** @type {Block | undefined} */
  let block;
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const at = index + 1;
    try {
      if (line.startsWith('```')) {
        if (block) {
          section?.finishLine();
          block.end = at;
          block = undefined;
        } else {
          block = { at, end: at, steps: [] };
          required(section, 'a heading above').blocks.push(block);
        }
      } else if (block) {
        required(section, 'a heading above').line(line, at);
      } else if (/^#+ /.test(line)) {
        section = new Section();
        schedules.push({ title: line.replace(/^#+ /, ''), blocks: section.blocks });
      }
    } catch (error) {
      const place = section?.unfinished ?? at;
      throw new Error(`${file}:${place}: ${lines[place - 1].trim()}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  });
  if (block) throw new Error(`${file}: the last block has no end`);
  return schedules.filter((schedule) => schedule.blocks.length > 0);
}

class Section {
  /** @type {Block[]} */
  blocks = [];
  #numbering = new Numbering();
  /**
   * The operation with expectations that may go on in the next line.
   * @type {{left: Token[], expected: Token[], at: number} | undefined}
   */
  #open;

  /**
   * @param {string} text
   * @param {number} at
   */
  line(text, at) {
    const goesOn = /^\s*=>/.test(text);
    if (!goesOn) this.finishLine();
    const all = tokens(text);
    if (all.length === 0) return;
    const arrow = all.findIndex((token) => token.kind === 'arrow');
    const left = arrow < 0 ? all : all.slice(0, arrow);
    const expected = arrow < 0 ? [] : all.slice(arrow + 1);
    if (goesOn) {
      const open = required(this.#open, 'an operation before =>');
      if (open.expected.length) open.expected.push({ kind: 'comma', text: ',', quoted: false });
      open.expected.push(...expected);
      return;
    }
    this.#open = { left, expected, at };
  }

  /** The line of the operation that is being read. */
  get unfinished() {
    return this.#open?.at;
  }

  finishLine() {
    if (!this.#open) return;
    const { left, expected, at } = this.#open;
    const words = new Words(left);
    const [first] = left;
    const keyword = first.kind === 'word' && !first.quoted ? first.text : '';
    if (keyword === 'join') {
      words.take();
      while (!words.done()) this.#join(words.name(), at);
    } else if (keyword === 'held' || keyword === 'pending') {
      words.take();
      this.#push({ at, kind: 'list', list: keyword, requests: words.labels().map((label) => this.#request(label)) });
    } else if (keyword === 'snapshot') {
      words.expect('snapshot', 'and', 'restore');
      this.#push({ at, kind: 'restore' });
    } else if (keyword === 'next') {
      words.expect('next', 'deadline');
      this.#push({ at, kind: 'deadline', deadline: words.number() });
    } else if (keyword === 'fences') {
      words.expect('fences', 'above');
      this.#raise(words.number(), new Words(expected), at);
      expected.length = 0;
    } else {
      this.#apply(words, expected, at);
      expected.length = 0;
    }
    if (!words.done()) throw new Error('has words left over');
    if (expected.length) throw new Error('causes no events of its own');
    this.#open = undefined;
  }

  /** @param {Step} step */
  #push(step) {
    required(this.blocks.at(-1), 'a block').steps.push(step);
  }

  /**
   * @param {string} client
   * @param {number} at
   */
  #join(client, at) {
    /** @type {Operation} */
    const operation = { type: 'join', client, number: 1 };
    this.#numbering.succeeded(operation);
    this.#push({ at, kind: 'apply', operation, expected: { events: [{ type: 'joined', client, number: 1, fence: 0 }] } });
  }

  /**
   * @param {number} fence
   * @param {Words} expected
   * @param {number} at
   */
  #raise(fence, expected, at) {
    if (expected.keyword('fails')) {
      this.#push({ at, kind: 'raise', fence, expected: { error: expected.word() } });
    } else {
      this.#numbering.fence = Math.max(this.#numbering.fence, fence);
      this.#push({ at, kind: 'raise', fence, expected: { events: [] } });
    }
    if (!expected.done()) throw new Error('has words left over behind =>');
  }

  /**
   * @param {Words} words
   * @param {Token[]} expectedTokens
   * @param {number} at
   */
  #apply(words, expectedTokens, at) {
    const { operation, label } = this.#operation(words);
    const expected = new Words(expectedTokens);
    if (expected.keyword('fails')) {
      const error = expected.word();
      this.#numbering.failed(operation, error);
      this.#push({ at, kind: 'apply', operation, expected: { error } });
    } else {
      this.#numbering.succeeded(operation, label);
      this.#push({ at, kind: 'apply', operation, expected: { events: this.#events(expected, operation) } });
    }
    if (!expected.done()) throw new Error('has words left over behind =>');
  }

  /**
   * @param {Words} words
   * @returns {{operation: Operation, label?: string}}
   */
  #operation(words) {
    if (words.keyword('time')) return { operation: { type: 'tick', now: words.number() } };
    const client = words.name();
    const verb = words.word();
    const number = () => (words.keyword('number') ? words.number() : this.#numbering.next(client));
    switch (verb) {
      case 'joins':
        return { operation: { type: 'join', client, number: words.keyword('number') ? words.number() : 1 } };
      case 'is':
        words.expect('gone');
        return { operation: { type: 'gone', client } };
      case 'releases':
      case 'aborts': {
        const request = words.isLabel() ? this.#own(client, words.label()) : words.number();
        return { operation: { type: 'drop', client, request, number: number() } };
      }
      case 'force-releases':
        return { operation: { type: 'force-release', client, names: words.names(), number: number() } };
      case 'requests': {
        const label = words.label();
        const names = words.names();
        const mode = words.keyword('shared') ? 'shared' : (words.expect('exclusive'), 'exclusive');
        /** @type {Partial<import('../../glue/core/types.js').RequestOperation>} */
        const options = {};
        if (words.keyword('limit')) options.limit = words.number();
        if (words.keyword('ifAvailable')) options.ifAvailable = true;
        if (words.keyword('steal')) options.steal = true;
        if (words.keyword('wait')) options.wait = words.number();
        if (words.keyword('hold')) options.hold = words.number();
        return { operation: { type: 'request', client, names, mode, ...options, number: number() }, label };
      }
      default:
        throw new Error(`does not know what it means to "${verb}"`);
    }
  }

  /**
   * @param {Words} words
   * @param {Operation} operation
   */
  #events(words, operation) {
    /** @type {LockEvent[]} */
    const events = [];
    while (!words.done()) {
      if (words.isLabel()) {
        const request = this.#request(words.label());
        const type = required(eventTypes.find((each) => words.keyword(each)), 'what becomes of it');
        events.push({ type, ...request, fence: type === 'granted' ? this.#numbering.fence += 1 : 0 });
      } else {
        const client = words.name();
        words.expect('joined');
        events.push({ type: 'joined', client, number: operation.type === 'join' ? operation.number : NaN, fence: 0 });
      }
      if (!words.done()) words.comma();
    }
    return events;
  }

  /** @param {string} label */
  #request(label) {
    return required(this.#numbering.request(label), `a request ${label}`);
  }

  /**
   * @param {string} client
   * @param {string} label
   */
  #own(client, label) {
    const request = this.#request(label);
    if (request.client !== client) throw new Error(`${label} is not a request of ${client}; write the number instead`);
    return request.number;
  }
}
