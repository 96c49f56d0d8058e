/**
 * What this server knows of the log that it has read. It keeps the server from writing into another log, and from reading on in one: keys
 * may be deleted or overwritten, and etcd may be restored from a copy, while servers run.
 */
import { NO_CHECKPOINT, readPointer } from './etcd-checkpoint.js';
import { changed, condemn } from './etcd-format.js';
import { isUnchanged } from './etcd-keys.js';

export class Guard {
  cluster = '';
  /** The key `format` as it was read. @type {import('./etcd-format.js').Found} */
  format = { revision: 0, text: '' };
  /** The last checkpoint. @type {import('./etcd-checkpoint.js').Known} */
  known = NO_CHECKPOINT;
  #keys;

  /** @param {import('./etcd-keys.js').Keys} keys */
  constructor(keys) {
    this.#keys = keys;
  }

  get isFormat() {
    return isUnchanged(this.#keys.format, this.format.revision);
  }

  /**
   * The conditions of a transaction. The last entry of every member must be there, since a copy may lack any of them. They may be gone only
   * if a checkpoint has dropped what this server has not read.
   * @param {import('./services.js').Services} services
   */
  conditions({ members }) {
    const lastKey = (/** @type {import('./services.js').Member} */ { id, number }) => (
      number === 0 ? this.#keys.join(id) : this.#keys.batch(id, number));
    return [this.isFormat, ...[...members.values()].map((member) => isUnchanged(lastKey(member), member.revision))];
  }

  /**
   * @param {string} cluster that has answered
   * @param {number} revision
   * @param {number} position up to which everything had been read before the question
   */
  checkAnswer(cluster, revision, position) {
    if (cluster !== this.cluster) throw this.changed(`it is another cluster, ${cluster} instead of ${this.cluster}`);
    if (revision < position) throw this.changed(`it is at revision ${revision}, and was at ${position} before`);
  }

  /**
   * @param {any} range of the checkpoint's key
   * @param {number} revision of the answer
   */
  noticeCheckpoint(range, revision) {
    const found = readPointer(this.#keys, range);
    if (found.revision < this.known.revision && revision >= this.known.revision) throw this.changed('its checkpoint is gone');
    if (found.revision > this.known.revision) this.known = found;
    return found.pointer;
  }

  /** @param {string} how */
  changed(how) {
    return changed(this.#keys, how);
  }

  /**
   * Keeps every server from starting with what is there now.
   * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
   * @param {import('./log.js').Changed} error
   */
  condemn(etcd, { how }) {
    return condemn(etcd, this.#keys, this.format, how);
  }
}
