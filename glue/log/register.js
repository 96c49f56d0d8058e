/**
 * What contexts write into the register: at join, election and death, never per lock. Each function here gives the change of one
 * transaction: it takes the record and returns the new one, or undefined where there is nothing to write.
 *
 * @typedef {import('./types.js').RegisterRecord} RegisterRecord
 * @typedef {import('./types.js').Member} Member
 * @typedef {{log: string, epoch: number, leader: string}} Reign which leader's time it is
 * @typedef {(record?: RegisterRecord) => RegisterRecord | undefined} Change
 */

/** The protocol's version: in the register and in every message. */
export const PROTOCOL = 1;

/** @param {RegisterRecord} [record] another version's, or none @returns {RegisterRecord} */
const empty = (record) => ({ protocol: PROTOCOL, log: '', epoch: (record && record.epoch) || 0, leader: '', members: {} });

/**
 * @param {RegisterRecord} record
 * @param {Record<string, Member>} members these too
 * @param {Partial<RegisterRecord>} [rest]
 * @returns {RegisterRecord}
 */
const withMembers = (record, members, rest) => Object.assign({}, record, rest, { members: Object.assign({}, record.members, members) });

/** @param {RegisterRecord} record @param {string} client @returns {RegisterRecord} */
const withoutMember = (record, client) => {
  const shorter = withMembers(record, {});
  delete shorter.members[client];
  return shorter;
};

/** Reads, and changes nothing. @type {Change} */
export const read = () => undefined;

/**
 * Adds the record of [client]. A register of another version is left alone while anybody lives in it (rule R19).
 * @param {string} client
 * @param {Member} member
 * @param {(client: string, member: Member) => boolean} isDead
 * @returns {Change}
 */
export const enter = (client, member, isDead) => (record = empty()) => {
  if (record.protocol !== PROTOCOL) {
    for (const other in record.members) if (!isDead(other, record.members[other])) return undefined;
    record = empty(record);
  }
  return record.members[client] ? undefined : withMembers(record, { [client]: member });
};

/**
 * Says that [client] may have state from now on; changes nothing where another log has begun meanwhile.
 * @param {string} client
 * @param {Member} member
 * @param {string} log
 * @returns {Change}
 */
export const becomeStateful = (client, member, log) => (record) =>
  record && record.log === log ? withMembers(record, { [client]: member }) : undefined;

/**
 * The connections of [client], a member with state, were closed from outside. Where the register is empty now, what is known of the
 * log is written anew, with all its members: nobody can watch those that have not come back yet, so they count as alive.
 * @param {string} client
 * @param {Member} member
 * @param {RegisterRecord} known
 * @returns {Change}
 */
export const comeBack = (client, member, known) => (record = known) => {
  if (record.protocol === PROTOCOL && !record.log) record = withMembers(known, record.members);
  return record.log === known.log ? withMembers(record, { [client]: member }) : undefined;
};

/**
 * Records of members that nobody can watch, and that count as alive.
 * @param {string[]} clients
 * @returns {Record<string, Member>}
 */
export const unseen = (clients) => Object.assign({}, ...clients.map((client) => ({ [client]: { alive: '', stateful: true } })));

/**
 * The register was written anew by somebody who may not have known all of [members]. Who is not in it has not come back yet, and counts as
 * alive.
 * @param {string[]} members
 * @returns {Change}
 */
export const complete = (members) => (record) => {
  if (!record || !record.incomplete) return undefined;
  return withMembers(record, Object.assign(unseen(members), record.members), { incomplete: false });
};

/**
 * Deletes the record of a dead client, unless it lives on under another alive name.
 * @param {string} client
 * @param {string} alive
 * @returns {Change}
 */
export const remove = (client, alive) => (record) =>
  record && record.members[client] && record.members[client].alive === alive ? withoutMember(record, client) : undefined;

/**
 * Is it still the time that justified a take-over (rule R8)?
 * @param {RegisterRecord | undefined} record
 * @param {Reign} expected
 * @returns {any} truthy where it is
 */
export const still = (record, expected) =>
  record && record.log === expected.log && record.epoch === expected.epoch && record.leader === expected.leader;

/**
 * The one way to become the leader of a log that goes on (rule R8): [client] succeeds only if the register still shows [expected].
 * @param {string} client
 * @param {Reign} expected
 * @param {number} epoch above every epoch that the caller has seen
 * @param {string} [dead] the old leader's alive name, where its death is the reason
 * @returns {Change}
 */
export const takeOver = (client, expected, epoch, dead) => (record) => {
  if (!record || !still(record, expected) || !record.members[client]) return undefined;
  const leader = record.members[expected.leader];
  if (dead && leader) {
    if (leader.alive !== dead) return undefined;
    // Where the register is incomplete, whoever is missing counts as alive: then it stays until its `gone` is ordered.
    if (!record.incomplete) record = withoutMember(record, expected.leader);
  }
  return withMembers(record, {}, { epoch: Math.max(epoch, record.epoch + 1), leader: client });
};

/**
 * The one way to become the leader of a new log: only where nobody lives who may have state, [client] included. It clears all other
 * records.
 * @param {string} client
 * @param {Member} member
 * @param {string} log the new log's id
 * @param {number} epoch
 * @param {(client: string, member: Member) => boolean} isDead
 * @returns {(record: RegisterRecord) => RegisterRecord | undefined}
 */
export const beginLog = (client, member, log, epoch, isDead) => (record) => {
  if (record.protocol !== PROTOCOL) return undefined;
  for (const other in record.members) {
    if (record.members[other].stateful && !isDead(other, record.members[other])) return undefined;
  }
  return { protocol: PROTOCOL, log, epoch: Math.max(epoch, record.epoch + 1), leader: client, members: { [client]: member } };
};
