/**
 * Whether etcd was restored from a copy while no server ran, so that none could find that out by what it had read.
 *
 * Each revision of etcd takes at least one entry of its Raft log. So revision minus index never grows, while etcd lives. But a restored
 * etcd goes on with the copy's revision, and its Raft log begins anew. The difference is written once into the key `origin`, which comes
 * back with the copy. If it is greater now, this etcd was restored after that.
 */
import { encode, isAbsent, results } from './etcd-keys.js';
import { parseObject } from './etcd-format.js';
import { Changed } from './log.js';

/** @typedef {ReturnType<typeof import('./etcd.js').createEtcd>} Etcd */
/** @typedef {import('./etcd-keys.js').Keys} Keys */

/**
 * @param {Etcd} etcd
 * @returns {Promise<{index: number, applied: number, revision: number}>} of one member, which may be behind; zero: it does not say
 */
async function readIndex(etcd) {
  const { header, raftIndex, raftAppliedIndex } = await etcd.call('Status', {});
  return { index: Number(raftIndex ?? 0), applied: Number(raftAppliedIndex ?? 0), revision: Number(header.revision) };
}

/**
 * @param {Etcd} etcd
 * @param {Keys} keys
 */
const readOrigin = (etcd, keys) => etcd.call('Range', { key: keys.origin });

/**
 * At a start: throws an error if etcd was restored. Remembers the difference if there is none yet.
 * @param {Etcd} etcd
 * @param {Keys} keys
 */
export async function checkOrigin(etcd, keys) {
  const { applied } = await readIndex(etcd);
  const range = await readOrigin(etcd, keys);
  const revision = Number(range.header.revision);
  const [found] = results(range);
  if (found) {
    const { offset } = parseObject(keys, found.value, (content) => Number.isFinite(content.offset));
    const now = await readIndex(etcd);
    // No more than the difference is, whatever happened between the questions.
    if (now.index === 0 || Math.min(revision, now.revision) - now.index <= offset) return;
    throw new Changed(`etcd was restored from a copy while no server ran. No server starts with what is in it below ${keys.prefix}: see `
      + '"Backup" in the manual. lockkeeper-claims --new-incarnation continues with ids and fences that no client has.',
    'etcd was restored from a copy while no server ran');
  }
  if (applied > 0) {
    await etcd.call('Txn', { compare: [isAbsent(keys.origin)], success: [put(keys, revision - applied)], failure: [] });
  }
}

/**
 * Servers go on with the present state.
 * @param {Etcd} etcd
 * @param {Keys} keys
 */
export async function renewOrigin(etcd, keys) {
  const { applied } = await readIndex(etcd);
  const { header } = await readOrigin(etcd, keys);
  if (applied > 0) await etcd.call('Txn', { compare: [], success: [put(keys, Number(header.revision) - applied)], failure: [] });
}

/**
 * @param {Keys} keys
 * @param {number} offset no less than the difference was when it was measured
 */
const put = (keys, offset) => ({ request_put: { key: keys.origin, value: encode(JSON.stringify({ offset })) } });
