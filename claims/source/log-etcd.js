/**
 * The log of several servers, in etcd. Each server puts its batches under keys of its own, without regard to the others. etcd's revisions
 * are their places. So no server has to try again because another was quicker, and a distant one is not kept from writing.
 *
 * There is only one kind of transaction. In one snapshot it reads what every member has put since the last answer. It may also put a batch,
 * but only if the last entry of every member is unchanged. So an answer has everything up to its own revision, and if keys were deleted,
 * overwritten or restored from a copy, nothing is written.
 */
import { randomUUID } from 'node:crypto';
import { createEtcd } from './etcd.js';
import { createCheckpoints } from './etcd-checkpoint.js';
import { Guard } from './etcd-guard.js';
import { createKeys, encode, isAbsent, results } from './etcd-keys.js';
import { Behind, Changed } from './log.js';
import { LEVEL } from './operations.js';
import { parseEntry, readFormat, readRanges, renewFormat } from './etcd-format.js';
import { checkOrigin, renewOrigin } from './etcd-origin.js';
import { watchSpace } from './etcd-space.js';
import { Services } from './services.js';

/** @typedef {import('./log.js').Log} Log */
/** @typedef {import('./log.js').Entry} Entry */

/**
 * @typedef {object} Replica how far this server has read the log
 * @property {Services} services
 * @property {number} position all entries up to this revision have been handed over
 * @property {(entry: Entry) => void} take
 * @property {number} [counted] the revision of this server's last batch that counted
 * @property {boolean} [ended] whether another replica has replaced it
 *
 * @typedef {{key: Buffer, text: string, id: number, number: number}} Put [id] 0: a join
 *
 * @typedef {object} Answer
 * @property {number} revision
 * @property {boolean} done the batch or the join was put
 * @property {{value: string, revision: number} | undefined} [taken] what had been put under its key before
 */

export const PREFIX = '/lockkeeper/claims/';
/** How many entries of a server are read at once. */
const PAGE = 16;
/** A watch may hang, so every server also reads this often, in milliseconds. */
const LOOK = 1000;

/**
 * @param {object} options
 * @param {string[]} options.members URLs
 * @param {string} [options.prefix]
 * @param {import('./etcd.js').Security} [options.security]
 * @param {boolean} [options.compact] have etcd forget old revisions after a checkpoint
 * @param {number} [options.deadline] of an attempt, in milliseconds
 * @param {number} [options.patience] of a call
 * @param {Parameters<typeof watchSpace>[1]} [options.space] etcd's quota, and how to warn when it is nearly used
 * @param {number} [options.level] that this server has, see operations.js
 * @param {boolean} [options.evenIfChanged] use what is there, although it is not what a server had read: a new incarnation begins
 * @returns {Log}
 */
export function createEtcdLog(options) {
  const { members, prefix = PREFIX, security, compact = true, deadline, patience, level = LEVEL, space = {}, evenIfChanged } = options;
  const connect = () => createEtcd({ members, security, deadline, patience });
  const etcd = connect();
  const keys = createKeys(prefix);
  const guard = new Guard(keys);
  const checkpoints = createCheckpoints(etcd, keys);
  /** @type {ReturnType<typeof watchSpace> | undefined} */
  let spaceWatch;
  /** @type {Replica} */
  let live = { services: new Services(), position: 0, take: () => {} };
  /** This server's id among the members. @type {number | undefined} */
  let own;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /**
   * Reads on, and may put something.
   * @param {Replica} replica
   * @param {Put} [put] only if its key does not exist
   * @returns {Promise<Answer>}
   */
  async function exchange(replica, put) {
    try {
      return await ask(replica, put);
    } catch (error) {
      // A server that is only started again would continue with what is there now, and give the same ids and fences to others.
      if (error instanceof Changed) await guard.condemn(etcd, error).catch(() => {});
      throw error;
    }
  }

  /**
   * @param {Replica} replica
   * @param {Put} [put]
   * @returns {Promise<Answer>}
   */
  async function ask(replica, put) {
    const { services, position } = replica;
    const asked = [...services.members.values()].map(({ id, number }) => ({ id, number }));
    const reads = [
      { request_range: { key: keys.checkpoint } },
      { request_range: { key: keys.join(services.last + 1), range_end: keys.joinsEnd, limit: PAGE } },
      ...asked.map(({ id, number }) => (
        { request_range: { key: keys.batch(id, number + 1), range_end: keys.batchesEnd(id), limit: PAGE } })),
    ];
    const puts = put ? [{ request_put: { key: put.key, value: encode(put.text) } }, { request_put: { key: keys.bell } }] : [];
    const { header, succeeded, responses } = await etcd.call('Txn', {
      compare: [...guard.conditions(services), ...(put ? [isAbsent(put.key)] : [])],
      success: [...reads, ...puts],
      failure: [...reads, { request_range: { key: keys.format, keys_only: true } }, ...(put ? [{ request_range: { key: put.key } }] : [])],
    });
    if (replica.ended) throw new Behind();
    const revision = Number(header.revision);
    const ranges = responses.map((/** @type {any} */ { response_range: range }) => range);
    guard.checkAnswer(header.cluster_id, revision, position);
    if (!succeeded && results(ranges[reads.length])[0]?.revision !== guard.format.revision) {
      throw guard.changed('its first key is gone, or another one');
    }
    const { dropped } = guard.noticeCheckpoint(ranges[0], revision);
    const done = put !== undefined && Boolean(succeeded);
    if (dropped > position) {
      if (dropped > replica.position) throw new Behind();
      // Another answer has meanwhile brought what this one may lack.
      return { revision, done };
    }
    const found = readRanges(keys, position, revision, ranges.slice(1, reads.length), asked, done ? put : undefined);
    const [taken] = succeeded || !put ? [] : results(ranges[reads.length + 1]);
    // Before anything is delivered: it would be the entries of another log.
    if (!succeeded && !taken) throw guard.changed('the last entry of a server is gone, or another one');
    handOver(replica, found);
    return { revision, done, taken };
  }

  /**
   * Delivers all entries up to the revision where the answer is complete, in order.
   * @param {Replica} replica
   * @param {ReturnType<typeof readRanges>} answer
   */
  function handOver(replica, { found, complete }) {
    for (const { id, number, value, revision: place } of found) {
      if (place <= replica.position || place > complete) continue;
      const content = parseEntry(keys, value, id !== 0);
      if (id === 0) {
        replica.services.join(number, place, content.now, content.level);
        if (content.token === joining) own = number;
      } else if (replica.services.accept(id, number, place, content)) {
        if (id === own) replica.counted = place;
        replica.take({ place, batch: content, size: value.length });
      }
    }
    replica.position = Math.max(replica.position, complete);
  }

  /** This server's join entry. */
  let joining = '';

  /**
   * Reads until everything up to [revision] has been delivered.
   * @param {Replica} replica
   * @param {number} revision
   */
  async function catchUp(replica, revision) {
    while (replica.position < revision) await exchange(replica);
  }

  /** Learns which log there is. */
  async function begin() {
    Object.assign(guard, await readFormat(etcd, keys, evenIfChanged));
    if (evenIfChanged) return;
    await checkOrigin(etcd, keys).catch(async (error) => {
      if (error instanceof Changed) await guard.condemn(etcd, error).catch(() => {});
      throw error;
    });
  }

  /** Becomes a member. */
  async function join() {
    joining = randomUUID();
    own = undefined;
    while (own === undefined) {
      const replica = live;
      const number = replica.services.last + 1;
      const text = JSON.stringify({ token: joining, now: replica.services.clock, level });
      const { revision } = await exchange(replica, { key: keys.join(number), text, id: 0, number });
      // This server's join, or that of another one that was quicker. Then that id is taken.
      await catchUp(replica, revision);
    }
  }

  return {
    async load(receiver) {
      // Only at start: later, this server must not continue with a log that begins anew.
      if (guard.format.revision === 0) await begin();
      for (;;) {
        const checkpoint = await checkpoints.read();
        const { place, services } = checkpoint.pointer;
        /** @type {Entry[]} */
        const entries = [];
        /** @type {Replica} */
        const replica = { services: new Services(services), position: place, take: (entry) => entries.push(entry) };
        try {
          await catchUp(replica, (await exchange(replica)).revision);
        } catch (error) {
          if (error instanceof Behind) continue;
          throw error;
        }
        // From here on without a pause, since requests are answered meanwhile.
        receiver.begin();
        const [state, ...records] = checkpoint.content;
        if (state) {
          const { core, ...machine } = state;
          for (const { id, bytes } of records) receiver.record(id, Buffer.from(bytes, 'base64'));
          receiver.restore({ place, machine: { ...machine, core: Buffer.from(core, 'base64') } });
        }
        for (const entry of entries) receiver.replay(entry);
        live.ended = true;
        live = Object.assign(replica, { take: receiver.deliver });
        return undefined;
      }
    },

    enter: join,
    isSilent: () => live.services.isSilent(own),

    async append(batch) {
      const replica = live;
      const text = JSON.stringify(batch);
      for (;;) {
        const member = own === undefined ? undefined : replica.services.members.get(own);
        if (!member) {
          await join();
          continue;
        }
        const { id } = member;
        const number = member.number + 1;
        // If the batch before this one got no answer, it may have this key. Then it is read, and this one gets the next key.
        const { revision, done, taken } = await exchange(replica, { key: keys.batch(id, number), text, id, number });
        const place = done ? revision : taken?.value === text ? taken.revision : undefined;
        await catchUp(replica, revision);
        if (place !== undefined) return replica.counted === place;
      }
    },

    async read() {
      const replica = live;
      await catchUp(replica, (await exchange(replica)).revision);
    },

    async keep({ place, machine: { core, ...machine } }, register) {
      const before = guard.known;
      // This server may know of a checkpoint before it has read all that this contains, and the entries up to there are dropped.
      if (place < before.pointer.place) return;
      const services = live.services.snapshot();
      const records = register.all();
      const content = (function* () {
        yield { ...machine, core: Buffer.from(core).toString('base64') };
        for (const { id, bytes } of records) yield { id, bytes: bytes.toString('base64') };
      })();
      if (!await checkpoints.write(before, place, services, content, guard.isFormat)) return;
      const range = await etcd.call('Range', { key: keys.checkpoint });
      guard.noticeCheckpoint(range, Number(range.header.revision));
      if (guard.known.pointer.place === place) await checkpoints.clean(before, guard.known, compact);
    },

    kept: () => guard.known.pointer.place,
    rank: () => live.services.rank(own),
    // While it joins, there may be none.
    level: () => Math.min(level, live.services.level()),
    readClaims: undefined,
    keepClock: async () => {},
    recover: async () => {},

    isFull: (state) => spaceWatch?.isFull(state) ?? false,
    space: () => spaceWatch?.space,

    watch(wake) {
      spaceWatch = watchSpace(etcd, space);
      void etcd.watch({ key: keys.bell }, wake);
      timer = setInterval(() => wake(), LOOK);
    },

    async close() {
      clearInterval(timer);
      spaceWatch?.stop();
      etcd.close();
    },

    async renew() {
      const client = connect();
      await renewOrigin(client, keys).then(() => renewFormat(client, keys)).finally(() => client.close());
    },
  };
}
