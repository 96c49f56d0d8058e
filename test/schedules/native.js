/** The core compiled natively, behind a pipe: test/native/replay.c says how it is spoken to. */
import { spawn } from 'node:child_process';
import { EVENTS, IF_AVAILABLE, MODES, OK, OPERATIONS, STALE, STATUSES, STEAL, USES } from '../../glue/core/constants.js';
import { decodeSnapshot } from '../../glue/core/snapshot.js';
import { Answers, Commands } from './bytes.js';
import { fromHexadecimal, toHexadecimal } from './programs.js';

/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('../../glue/core/types.js').LockEvent} LockEvent */
/** @typedef {import('./programs.js').Instruction} Instruction */
/** @typedef {import('./programs.js').Report} Report */

const RESET = 0;
const APPLY = 1;
const LOOK = 2;
const RESTORE = 3;
const COPY = 4;
const RAISE = 5;

/**
 * The handles that the core gives. They are predicted, so that a program need not wait for the answer to each join. If a prediction
 * is wrong, the reports are.
 */
class Handles {
  #last = 0;
  /** @type {Map<string, number>} */
  #members = new Map();
  /** @type {Map<number, string>} */
  #clients = new Map();

  /** @param {Operation} operation whose handle is needed */
  of(operation) {
    if (operation.type === 'tick') return 0;
    const { type, client } = operation;
    if (type === 'join' && this.#willJoin(operation)) this.#add(client, this.#last + 1);
    const handle = this.#members.get(client) ?? 0;
    if (type === 'gone') this.#members.delete(client);
    return handle;
  }

  /** @param {import('../../glue/core/types.js').JoinOperation} operation */
  #willJoin({ client, number }) {
    return client !== '' && Number.isSafeInteger(number) && number > 0 && !this.#members.has(client) && this.#last < 2 ** 32 - 1;
  }

  /** @param {number} handle */
  client(handle) {
    return this.#clients.get(handle) ?? `unknown handle ${handle}`;
  }

  /** @param {Uint8Array} snapshot */
  restored(snapshot) {
    const { members, lastHandle } = decodeSnapshot(snapshot);
    this.#members.clear();
    for (const { client, handle } of members) this.#add(client, handle);
    this.#last = lastHandle;
  }

  /**
   * @param {string} client
   * @param {number} handle
   */
  #add(client, handle) {
    this.#last = handle;
    this.#members.set(client, handle);
    this.#clients.set(handle, client);
  }
}

/** The program, and what it has still to answer. */
class Pipe {
  commands = new Commands();
  answers = new Answers();
  #process;
  #complaint = '';
  /** @type {Error | undefined} */
  #broken;
  /** @type {{read: () => unknown, resolve: (answer: any) => void, reject: (error: Error) => void}[]} */
  #waiting = [];
  /** @type {Promise<void>} */
  #ended;

  /** @param {string} path of the program */
  constructor(path) {
    this.#process = spawn(path, { stdio: 'pipe' });
    this.#process.stderr.on('data', (text) => { this.#complaint += text; });
    this.#process.stdin.on('error', (error) => this.#break(error));
    this.#process.stdout.on('data', (bytes) => this.#received(bytes));
    this.#ended = new Promise((resolve) => {
      this.#process.on('error', (error) => this.#break(error));
      this.#process.on('close', (code) => {
        if (code !== 0) this.#break(new Error(`the native core ended with code ${code}: ${this.#complaint}`));
        resolve();
      });
    });
  }

  /** @param {Error} error */
  #break(error) {
    this.#broken = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** @param {Buffer} bytes */
  #received(bytes) {
    this.answers.add(bytes);
    while (this.#waiting.length > 0) {
      const answer = this.answers.whole(this.#waiting[0].read);
      if (answer === undefined) return;
      this.#waiting.shift()?.resolve(answer);
    }
  }

  /**
   * Waits for the next answer without a waiter.
   * @template Answer
   * @param {() => Answer} read
   * @returns {Promise<Answer>}
   */
  answer(read) {
    return new Promise((resolve, reject) => {
      if (this.#broken) reject(this.#broken);
      else this.#waiting.push({ read, resolve, reject });
    });
  }

  send() {
    this.#process.stdin.write(this.commands.take());
  }

  /** The program looks for leaks when it ends. */
  async close() {
    this.#process.stdin.end();
    await this.#ended;
    if (this.#broken) throw this.#broken;
  }
}

class Replay {
  #pipe;
  #handles = new Handles();
  /** Which of two slots has the manager; the other one is for what is restored. */
  #slot = 0;

  /** @param {Pipe} pipe */
  constructor(pipe) {
    this.#pipe = pipe;
  }

  /** @param {Instruction[]} program */
  async run(program) {
    this.#handles = new Handles();
    this.#begin(RESET, this.#slot);
    this.#pipe.commands.number(0);
    const begun = this.#status();
    /** @type {Promise<Report>[]} */
    const reports = [];
    for (const instruction of program) {
      if (instruction.kind === 'apply') reports.push(this.#apply(instruction.operation));
      else if (instruction.kind === 'raise') reports.push(this.#raise(instruction.fence));
      else if (instruction.kind === 'load') reports.push(Promise.resolve(await this.#load(fromHexadecimal(instruction.snapshot))));
      else reports.push(this.#look(instruction.kind === 'restore'));
    }
    this.#pipe.send();
    if (await begun < 0) throw new Error('there is no empty manager');
    return Promise.all(reports);
  }

  /**
   * @param {number} command
   * @param {number} slot
   */
  #begin(command, slot) {
    this.#pipe.commands.byte(command);
    this.#pipe.commands.byte(slot);
  }

  #status() {
    return this.#pipe.answer(() => this.#pipe.answers.status());
  }

  /** @param {Operation} operation */
  #apply(operation) {
    const { commands, answers } = this.#pipe;
    /** @type {any} the properties that the type does not have stay undefined */
    const {
      type, client, number = 0, request = 0, mode, limit = 0, ifAvailable, steal, wait = Infinity, hold = Infinity, names, now = 0,
    } = operation;
    const handles = this.#handles;
    const list = type === 'join' ? [client] : names ?? [];
    this.#begin(APPLY, this.#slot);
    commands.word(OPERATIONS.indexOf(type));
    commands.word(handles.of(operation));
    for (const value of [number, request, wait, hold, now]) commands.number(value);
    commands.word(mode === undefined ? 0 : MODES.indexOf(mode));
    commands.word(limit);
    commands.word((ifAvailable ? IF_AVAILABLE : 0) | (steal ? STEAL : 0));
    commands.word(list.length);
    commands.word(list.reduce((/** @type {number} */ total, /** @type {string} */ name) => total + 2 + name.length, 0));
    list.forEach((/** @type {string} */ name) => commands.name(name));
    return this.#pipe.answer(() => {
      const status = answers.status();
      const events = Array.from({ length: answers.word() }, () => ({
        type: /** @type {LockEvent['type']} */ (EVENTS[answers.word()]),
        client: handles.client(answers.word()),
        number: answers.number(),
        fence: answers.number(),
      }));
      return status === OK || status === STALE ? { events } : { error: STATUSES[status] };
    });
  }

  /** @param {number} fence */
  async #raise(fence) {
    this.#begin(RAISE, this.#slot);
    this.#pipe.commands.number(fence);
    const status = await this.#status();
    return status < 0 ? { error: STATUSES[status] } : { events: [] };
  }

  /** @param {Uint8Array} snapshot */
  async #load(snapshot) {
    this.#begin(RESTORE, this.#slot);
    this.#pipe.commands.word(snapshot.length);
    this.#pipe.commands.block(snapshot);
    const answer = this.#status();
    this.#pipe.send();
    const status = await answer;
    if (status < 0) return { error: STATUSES[status] };
    this.#handles.restored(snapshot);
    return { events: [] };
  }

  /** @param {boolean} goOn with the restored manager */
  async #look(goOn) {
    const [first, second] = [this.#slot, 1 - this.#slot];
    this.#begin(LOOK, first);
    const sight = this.#sight();
    this.#begin(COPY, second);
    this.#pipe.commands.byte(first);
    const copied = this.#status();
    this.#begin(LOOK, second);
    const copy = this.#sight();
    if (goOn) this.#slot = second;
    const { snapshot: again, hash: hashAgain, nextDeadline: nextDeadlineAgain } = await copy;
    if (await copied < 0) return { error: STATUSES[await copied] };
    return { ...await sight, again, hashAgain, nextDeadlineAgain };
  }

  #sight() {
    const { answers } = this.#pipe;
    return this.#pipe.answer(() => {
      answers.number(); // the time, which is in the snapshot
      const nextDeadline = answers.number();
      const requestCount = answers.word();
      const hash = answers.word();
      const snapshot = toHexadecimal(answers.block(answers.word()));
      const clients = new Map(Array.from({ length: answers.word() }, () => [answers.word(), answers.name()]));
      const requests = Array.from({ length: requestCount }, () => ({
        client: clients.get(answers.word()) ?? 'unknown handle',
        number: answers.number(),
        mode: MODES[answers.word()],
        limit: answers.word(),
        names: Array.from({ length: answers.word() }, () => answers.name()),
        fence: answers.number(),
        deadline: answers.number(),
        hold: answers.number(),
      }));
      const uses = Array.from({ length: requestCount }, () => ({ isUndisputed: answers.word() === 1, byOthers: USES[answers.word()] }));
      return { snapshot, hash, nextDeadline, requestCount, requests, uses };
    });
  }
}

/**
 * @param {string} path of the program
 * @returns {import('./programs.js').Flavour}
 */
export function native(path) {
  const pipe = new Pipe(path);
  const replay = new Replay(pipe);
  return {
    name: 'native',
    run: (program) => replay.run(program),
    close: () => pipe.close(),
  };
}
