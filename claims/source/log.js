/**
 * Where batches get their order and are kept. A place is a whole number; places follow each other without a gap.
 *
 * @typedef {import('./register.js').Register} Register
 * @typedef {import('./clock.js').ClockRecord} ClockRecord
 * @typedef {{place: number, text: string}} Entry
 *
 * @typedef {object} Checkpoint the state after the entry of [place]
 * @property {number} place
 * @property {ReturnType<import('./machine.js').Machine['snapshot']>} machine
 *
 * @typedef {object} Loader what a log calls, in this order, to hand over all that is there
 * @property {() => void} begin
 * @property {(id: number, bytes: Buffer) => void} record a claim of the checkpoint, oldest first
 * @property {(checkpoint: Checkpoint) => void} restore
 * @property {(entry: Entry) => void} entry one after the checkpoint
 *
 * @typedef {object} Log
 * @property {(loader: Loader) => Promise<ClockRecord | undefined>} load resolves with what keepClock was given
 * @property {(place: number, text: string) => Promise<Entry[]>} append puts [text] at [place] unless that is taken; resolves, when it is
 *   durable, with what is in the log from [place] on. It throws Unavailable where it does not know, and Behind where [place] is gone.
 * @property {((place: number) => Promise<Entry[]>) | undefined} read what is in the log from [place] on, others' entries included; absent
 *   where there are no others
 * @property {(checkpoint: Checkpoint, register: Register) => Promise<void>} keep writes a checkpoint and drops the entries before it
 * @property {((ids: number[]) => Promise<(Buffer | undefined)[]>) | undefined} readClaims absent where final claims stay in memory
 * @property {(record: ClockRecord) => Promise<void>} keepClock
 * @property {() => Promise<void>} recover makes it usable after a failure, or throws
 * @property {(wake: () => void) => void} watch calls [wake] when others may have appended
 * @property {() => Promise<void>} close
 */

/** The log cannot be written or read at present; whether the operation was done is not known. */
export class Unavailable extends Error {
  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause) {
    super(message, { cause });
    this.name = 'Unavailable';
  }
}

/** The entries that were asked for have been dropped: the state has to be loaded anew. */
export class Behind extends Error {
  constructor() {
    super('this server has fallen behind the log');
    this.name = 'Behind';
  }
}

/** The data cannot be used, and nothing was changed. The message is for the person who starts the service. */
export class DataError extends Error {
  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause) {
    super(message, { cause });
    this.name = 'DataError';
  }
}
