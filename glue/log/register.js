/**
 * The register lists who takes part in a manager's log, under which alive name. It is a list of changes; applied in order, they make the
 * record. A context appends a change without reading first, so no transaction ever waits for a thread. The list that `append` returns shows
 * whether the change had its effect.
 *
 * @typedef {object} Member
 * @property {string} alive the name by which others watch its life; empty if no longer known
 * @property {boolean} stateful whether it may have state, so that a fresh log must wait for its death
 * @property {string} [former] if [alive] is empty: its last alive name before data was cleared, for contexts that did not know it then
 * @property {boolean} [dead] it died while the register was incomplete: its `gone` must still be posted
 *
 * @typedef {object} RegisterRecord
 * @property {number} protocol the version of the context that began the log
 * @property {import('../platform/place.js').OrderKind | ''} order what makes the log's order
 * @property {string} log random, new with every fresh log; empty before the first and after a wipe
 * @property {number} generation a time by the wall clock; grows with every log, and whenever the register is written anew
 * @property {boolean} incomplete it was written anew, and may still lack the records of members
 * @property {string} epoch random, and new whenever an earlier state may lack something that was never posted: a member was about to be
 *   alone (D7), the log has begun, or the register was written anew
 * @property {Record<string, Member>} members by client id
 *
 * @typedef {import('../platform/place.js').StoredChange} StoredChange
 */
import { hasOwn, ownMember } from '../core/own-member.js';

/** Raised with every change that the previous version would not understand. */
export const PROTOCOL = 9;

/** A list of this many changes is replaced by the record that they make. */
const LONG = 64;

/** If the wall clock has gone back, the next generation is this much higher, so that its fences are above all earlier ones. */
const AHEAD = 1e6;
/** A greater one would leave no room for fences above it (./replica.js). A forged message may name one. */
export const GREATEST_GENERATION = 9e12 - 1;

/** @param {number} generation @param {number} time by the wall clock @returns {number} a greater generation, whose fences are new */
export const laterGeneration = (generation, time) => time > generation ? time : Math.min(generation + AHEAD, GREATEST_GENERATION);

/** @param {number} generation @returns {number} the least one above it, if there is one */
export const generationAbove = (generation) => Math.min(generation + 1, GREATEST_GENERATION);

/** @returns {RegisterRecord} */
const emptyRecord = () => ({ protocol: PROTOCOL, order: '', log: '', generation: 0, incomplete: false, epoch: '', members: {} });

/** Whether it died while the register was incomplete. @param {Member} member */
export const isKnownDead = (member) => !!ownMember(member, 'dead');

/** Its last alive name, if a member has recalled it; else empty. @param {Member} member */
export const formerNameOf = (member) => {
  const former = ownMember(member, 'former');
  return typeof former === 'string' ? former : '';
};

/** Whether nobody can watch the member and its last alive name is not recalled. @param {Member} member */
export const isForgotten = (member) => !member.alive && !isKnownDead(member) && !formerNameOf(member);

/**
 * Records for members that nobody can watch.
 * @param {string[]} clients
 * @returns {Record<string, Member>}
 */
const unwatched = (clients) => Object.assign({}, ...clients.map((client) => ({ [client]: { alive: '', stateful: true } })));

/** @param {Record<string, Member>} members @param {(member: Member) => boolean} wanted @returns {Record<string, Member>} */
const only = (members, wanted) =>
  Object.assign({}, ...Object.entries(members).map(([client, member]) => wanted(member) && { [client]: member }));

/** The members without state. @param {RegisterRecord} record */
const joinersOf = ({ members }) => only(members, ({ stateful }) => !stateful);

/** @param {RegisterRecord} record @param {Record<string, Member>} members new or changed ones */
const withMembers = (record, members) => Object.assign({}, record, { members: Object.assign({}, record.members, members) });

/** @param {RegisterRecord} record @returns {(Member & {client: string})[]} all members that may have state */
export const withState = ({ members }) =>
  Object.entries(members).map(([client, member]) => Object.assign({ client }, member)).filter(({ stateful }) => stateful);

/**
 * Whether nobody alive may have state, if the names in [dead] are dead. Members that nobody can watch, or that an incomplete register may
 * lack, count as dead only if no other member lives, and only for a context that has listened.
 * @param {RegisterRecord} record
 * @param {string[]} dead alive names
 * @param {boolean} listened
 */
export const isDeserted = (record, dead, listened) => (listened || !record.incomplete) && Object.values(record.members).every(
  (member) => !member.stateful || isKnownDead(member) || (member.alive ? dead.includes(member.alive) : listened));

/**
 * A context wants to join. If it has already been given a state of the current [epoch], it counts as stateful at once (D2).
 * @param {RegisterRecord} record
 * @param {{client: string, alive: string, epoch?: string}} change
 */
const add = (record, { client, alive, epoch }) => client in record.members ? record
  : withMembers(record, { [client]: { alive, stateful: !!epoch && record.epoch === epoch } });

/**
 * The effect of each type of change on the record. [add] and [remove] are the same in all versions, so that these can wait for each other.
 * @type {Map<string, (record: RegisterRecord, change: any) => RegisterRecord>}
 */
const effects = new Map(Object.entries({
  add,

  /** A member may soon be alone. @param {RegisterRecord} record @param {{log: string, epoch: string}} change */
  alone: (record, { log, epoch }) => record.log === log ? Object.assign({}, record, { epoch }) : record,

  /** The client has the state of that log. @param {RegisterRecord} record @param {{client: string, log: string}} change */
  stateful(record, { client, log }) {
    const member = record.members[client];
    return member && record.log === log ? withMembers(record, { [client]: { alive: member.alive, stateful: true } }) : record;
  },

  /** The client is dead, or leaves. @param {RegisterRecord} record @param {{client: string, alive: string}} change */
  remove(record, { client, alive }) {
    const member = record.members[client];
    if (!member || isKnownDead(member) || member.alive !== alive) return record;
    if (record.incomplete && member.stateful) return withMembers(record, { [client]: { alive: '', stateful: true, dead: true } });
    return Object.assign({}, record, { members: only(record.members, (each) => each !== member) });
  },

  /**
   * A fresh log, if nobody alive may have state. [unseen]: the writer has not read the register; if it cannot begin a log, it is added.
   * @param {RegisterRecord} record
   * @param {{protocol: number, client: string, alive: string, order: RegisterRecord['order'], log: string, time: number, dead: string[],
   *   listened: boolean, unseen: boolean}} change
   */
  begin(record, change) {
    const { protocol, client, alive, order, log, time, dead, listened, unseen } = change;
    if (!isDeserted(record, dead, listened) || (unseen && record.log)) return unseen ? add(record, change) : record;
    return {
      protocol, order, log,
      generation: laterGeneration(record.generation, time),
      incomplete: false,
      epoch: log,
      members: Object.assign(joinersOf(record), { [client]: { alive, stateful: true } }),
    };
  },

  /**
   * A member comes back after a wipe, under a new alive name. It writes the register anew if that shows one of [voidLogs] or no living
   * member. Then the records of the other members are still missing.
   * @param {RegisterRecord} record
   * @param {{protocol: number, client: string, alive: string, order: RegisterRecord['order'], log: string,
   *   generation: number, voidLogs: string[]}} change
   */
  return(record, { protocol, client, alive, order, log, generation, voidLogs }) {
    const own = { [client]: { alive, stateful: true } };
    if (record.log === log) return withMembers(record, own);
    const isLiving = Object.values(record.members).some((member) => member.stateful && !isKnownDead(member));
    if (isLiving && !voidLogs.includes(record.log)) return record;
    return {
      protocol, order, log, incomplete: true, epoch: alive,
      generation: Math.max(generation, generationAbove(record.generation)),
      members: Object.assign(joinersOf(record), own),
    };
  },

  /** A fresh log is taken back: an older one lives, or may live. @param {RegisterRecord} record @param {{log: string}} change */
  withdraw: (record, { log }) => record.log !== log ? record
    : Object.assign({}, record, { log: '', order: '', epoch: '', members: joinersOf(record) }),

  /**
   * Every member of the log gets a record. Members that died meanwhile lose theirs. If data was cleared since the members were counted,
   * this has no effect: [epoch] is another one then, though the generation may be the same.
   * @param {RegisterRecord} record
   * @param {{log: string, generation: number, epoch: string, known: string[]}} change
   */
  complete(record, { log, generation, epoch, known }) {
    if (record.log !== log || record.generation !== generation || record.epoch !== epoch || !record.incomplete) return record;
    const all = Object.assign(unwatched(known), record.members);
    return Object.assign({}, record, { incomplete: false, members: only(all, (member) => !isKnownDead(member)) });
  },

  /** A member knows the last alive names of members that nobody can watch. @param {RegisterRecord} record @param {{names: any}} change */
  recall: (record, { names }) => withMembers(record, Object.assign({}, ...Object.entries(record.members).map(([client, member]) =>
    isForgotten(member) && hasOwn(names, client) && { [client]: Object.assign({}, member, { former: names[client] }) }))),

  /**
   * Raises the generation, which must never go back. It rises when fences do. [incomplete]: members may lack their records.
   * @param {RegisterRecord} record @param {{log: string, generation: number, incomplete: boolean}} change
   */
  raise: (record, { log, generation, incomplete }) => record.log !== log || record.generation >= generation ? record
    : Object.assign({}, record, { generation, incomplete: record.incomplete || incomplete }),

  /** The record that all earlier changes make. @param {RegisterRecord} _ @param {{record: RegisterRecord}} change */
  record: (_, { record }) => record,
}));

/** Changes that are not Lockkeeper's have no effect. @param {StoredChange[]} changes in their order @returns {RegisterRecord} */
export const recordOf = (changes) => {
  let record = emptyRecord();
  for (const { value } of changes) {
    try {
      const effect = effects.get(value.type);
      record = (effect && effect(record, value)) || record;
    } catch {
      // A malformed change has no effect either.
    }
  }
  return record;
};

/**
 * What to replace the changes with: once there are many, the last one becomes the record. Undefined if another version has written a change
 * that this version does not know.
 * @param {StoredChange[]} changes
 * @returns {StoredChange | undefined}
 */
export const compacted = (changes) => changes.length < LONG || changes.some(({ value }) => !value || !effects.has(value.type)) ? undefined
  : { key: changes[changes.length - 1].key, value: Object.assign({ protocol: PROTOCOL, type: 'record' }, { record: recordOf(changes) }) };
