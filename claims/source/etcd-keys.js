/**
 * The keys of the log in etcd, below a prefix:
 *
 *   format              {format}; written first, and again by a new incarnation or when data are not what a server has read
 *   origin              {offset}: see etcd-origin.js
 *   join/id             {token, now}: a server has joined; ids follow each other
 *   batch/id/number     a batch of that server: JSON
 *   bell                written with every batch, so that a watch of it tells of batches without their content
 *   checkpoint          the last checkpoint: see etcd-checkpoint.js
 *   part/name/n         a part of a checkpoint
 */

/** @typedef {ReturnType<typeof createKeys>} Keys */
/** @typedef {{key: Buffer, value: string, revision: number}} Found [value] decoded */

/** @param {string} prefix */
export function createKeys(prefix) {
  const key = (/** @type {string} */ name) => encode(prefix + name);
  const batchesOf = (/** @type {number} */ id) => `batch/${String(id).padStart(10, '0')}`;
  return {
    prefix,
    format: key('format'),
    origin: key('origin'),
    bell: key('bell'),
    checkpoint: key('checkpoint'),
    join: (/** @type {number} */ id) => key(`join/${String(id).padStart(10, '0')}`),
    joins: key('join/'),
    joinsEnd: key('join0'),
    batch: (/** @type {number} */ id, /** @type {number} */ number) => key(`${batchesOf(id)}/${String(number).padStart(16, '0')}`),
    batches: key('batch/'),
    /** After the last batch of a server. */
    batchesEnd: (/** @type {number} */ id) => key(`${batchesOf(id)}0`),
    part: (/** @type {string} */ name, /** @type {number} */ part) => key(`part/${name}/${part}`),
    parts: key('part/'),
    partsOf: (/** @type {string} */ name) => key(`part/${name}/`),
    partsOfEnd: (/** @type {string} */ name) => key(`part/${name}0`),
    partsEnd: key('part0'),
  };
}

/** @param {string} text */
export const encode = (text) => Buffer.from(text);

/** @param {Buffer} [bytes] absent if there are none */
export const decode = (bytes) => bytes ? bytes.toString() : '';

/**
 * @param {any} response of a range
 * @returns {Found[]}
 */
export const results = ({ kvs = [] }) => kvs.map((/** @type {any} */ { key, value, mod_revision: revision }) =>
  ({ key, value: decode(value), revision: Number(revision) }));

/** The conditions of a transaction. */
export const isAbsent = (/** @type {Buffer} */ key) => ({ key, target: 'CREATE', create_revision: 0, result: 'EQUAL' });
export const isUnchanged = (/** @type {Buffer} */ key, /** @type {number} */ revision) =>
  ({ key, target: 'MOD', mod_revision: revision, result: 'EQUAL' });
export const hasValue = (/** @type {Buffer} */ key, /** @type {string} */ text) =>
  ({ key, target: 'VALUE', value: encode(text), result: 'EQUAL' });
