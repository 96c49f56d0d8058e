/**
 * The log orders batches and keeps them. A place is an integer that grows from entry to entry.
 *
 * @typedef {import('./register.js').Register} Register
 * @typedef {import('./clock.js').ClockRecord} ClockRecord
 * @typedef {import('./operations.js').ClaimOperation} ClaimOperation
 *
 * @typedef {object} Batch the content of an entry
 * @property {string} token unique to the server and the call that appended it
 * @property {number} now log time, milliseconds
 * @property {number} wall milliseconds since 1970
 * @property {number} [seen] the last place that the writer had applied; absent in entries of version 0.1
 * @property {number} hash of the state after that entry
 * @property {ClaimOperation[]} operations
 * @property {number} [level] that a server needs to apply it, see operations.js; absent: 1
 * @property {boolean} [leaving] the writer appends nothing after this
 *
 * @typedef {object} Entry
 * @property {number} place
 * @property {Batch} batch
 * @property {number} size bytes
 *
 * @typedef {object} Checkpoint the state after the entry of [place]
 * @property {number} place
 * @property {import('./machine.js').Snapshot} machine
 *
 * @typedef {object} Receiver
 * @property {() => void} begin a new state follows; the old one is void
 * @property {(id: number, bytes: Buffer) => void} record a claim of the checkpoint, oldest first
 * @property {((number: number, summary: Buffer) => number)} [block] before those: many final claims, it says how many; absent: they are
 *   delivered one by one
 * @property {(checkpoint: Checkpoint) => void} restore
 * @property {(entry: Entry) => void} replay an entry after the checkpoint
 * @property {(entry: Entry) => void} deliver an entry that was appended after load()
 *
 * @typedef {object} Log
 * @property {(receiver: Receiver) => Promise<ClockRecord | undefined>} load delivers the state by begin, record, restore and replay, in
 *   this order and without a pause. Later entries are delivered by deliver, in order, before the call that brings them resolves. Resolves
 *   with what keepClock was given.
 * @property {(batch: Batch) => Promise<boolean>} append resolves when [batch] is durable and delivered, or with false if it was refused
 *   for good. Throws Unavailable if neither is known, and Behind if load() has to be called first. One call at a time.
 * @property {() => Promise<void>} [enter] announces this server to the others, after load(); absent if there are no others. Throws Behind
 *   as append does
 * @property {() => boolean} [isSilent] whether this server must append something to remain one of the servers
 * @property {() => Promise<void>} [renew] after an incarnation and close(): servers that still run stop, and others may start
 * @property {(() => Promise<void>) | undefined} read delivers what others appended before the call; absent if there are no others
 * @property {(checkpoint: Checkpoint, register: Register) => Promise<void>} keep writes a checkpoint and drops entries before it
 * @property {(to: string) => Promise<void>} [copy] writes a backup to a new folder
 * @property {() => number} kept the place of the last checkpoint
 * @property {() => number} rank 0 for the server that logs time and writes checkpoints, 1 for its deputy, and so on
 * @property {() => number} level that all servers of the log have, see operations.js
 * @property {((ids: number[]) => Promise<(Buffer | undefined)[]>) | undefined} readClaims absent if final claims stay in memory
 * @property {import('./archive.js').ReadColumns | undefined} [readColumns] of a
 *   block that was archived
 * @property {(record: ClockRecord) => Promise<void>} keepClock
 * @property {() => Promise<void>} recover makes the log usable after a failure, or throws
 * @property {(state: number) => boolean} [isFull] whether hardly any space is left beside a checkpoint of this many bytes. Then what is not
 *   needed must be dropped, and new claims refused
 * @property {() => import('./etcd-space.js').Space | undefined} [space]
 * @property {(wake: (place?: number) => void) => void} watch calls [wake] when others may have appended, with the place if it is
 *   known
 * @property {() => Promise<void>} close
 */

/** The log cannot be written or read now. It is unknown whether the operation was carried out. */
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

/** Entries were dropped that this server has not read. It has to load the state again. */
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

/** The data are not those that a server has read. They may be used, but a person has to decide that. */
export class Changed extends DataError {
  /**
   * @param {string} message
   * @param {string} how they differ
   */
  constructor(message, how) {
    super(message);
    this.how = how;
  }
}

/** A limit of claims is reached. The message is for the client. */
export class Full extends Error {
  /**
   * @param {string} message
   * @param {boolean} [own] whether it is the client's own limit
   */
  constructor(message, own = false) {
    super(message);
    this.name = 'Full';
    this.own = own;
  }
}
