/**
 * How full etcd is. At its quota, etcd accepts no writes, not even the end of a claim, until an operator frees space. So new claims are
 * refused before that, and what is not needed is dropped. Claims can still be ended and prolonged.
 */

/** etcd's default quota, in bytes. */
export const QUOTA = 2 * 2 ** 30;
const HIGH = 0.75;
const FULL = 0.9;
/** Milliseconds. */
const LOOK = 10_000;

/** @typedef {{used: number, file: number, quota: number}} Space bytes; [file] includes freed space */

/**
 * @param {ReturnType<typeof import('./etcd.js').createEtcd>} etcd
 * @param {object} options
 * @param {number} [options.quota] of etcd, in bytes
 * @param {number} [options.every] milliseconds
 * @param {(message: string) => void} [options.warn] called when much of the quota is used, and when no space is left for claims
 */
export function watchSpace(etcd, { quota = QUOTA, every = LOOK, warn = () => {} }) {
  /** @type {Space} */
  const space = { used: 0, file: 0, quota };
  let [high, full] = [false, false];
  const percent = () => `etcd has used ${Math.round((space.used / quota) * 100)} % of its quota of ${quota} bytes.`;
  const look = async () => {
    const { dbSize, dbSizeInUse } = await etcd.call('Status', {});
    Object.assign(space, { used: Number(dbSizeInUse ?? dbSize ?? 0), file: Number(dbSize ?? 0) });
    const now = space.used >= quota * HIGH;
    if (now && !high) warn(`${percent()} Raise it (--quota-backend-bytes, and --etcd-quota here), or see what else etcd keeps.`);
    high = now;
  };
  /** @type {Promise<void> | undefined} */
  let looking;
  const timer = setInterval(() => {
    looking ??= look().catch(() => {}).finally(() => (looking = undefined));
  }, every);
  timer.unref();
  return {
    space,
    /** @param {number} state the most bytes that the next checkpoint can take: there must be space for it */
    isFull(state) {
      const now = space.used + state >= quota * FULL;
      if (now && !full) warn(`${percent()} With a checkpoint it would be full: no more claims are taken, and final ones are forgotten.`);
      return (full = now);
    },
    stop: () => clearInterval(timer),
  };
}
