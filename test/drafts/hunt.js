/**
 * The hunt for deadlocks: contexts acquire random scopes of 1 to 5 out of 8 names, some requests at a time, by every face. Each must
 * be granted, and none may overlap another. Runs in a page as well, so nothing here names Node.
 */

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** @param {() => number} random @param {number} count @returns {number} from 0 up to [count] */
const below = (random, count) => Math.floor(random() * count);

/** @param {() => number} random */
export const drawScope = (random) => {
  const names = [...NAMES];
  const scope = [];
  for (let left = 1 + below(random, 5); left; left--) scope.push(...names.splice(below(random, names.length), 1));
  return scope;
};

/**
 * One way of acquiring: it calls [hold] while the lock is held, and resolves once it is released.
 * @typedef {(face: any, scope: string[], mode: 'exclusive' | 'shared', hold: (fence: number) => Promise<any>) => Promise<any>} Way
 */

/** @type {Record<string, Way>} */
const ways = {
  acquire: (face, scope, mode, hold) => face.acquire(scope, { mode }, (/** @type {any} */ lock) => hold(lock.fence)),
  scoped: (face, scope, mode, hold) => face.requestScopedLock(scope, (/** @type {any} */ lock) => hold(lock.fence), { mode }),
  explicit: async (face, scope, mode, hold) => {
    const lock = await face.requestExplicitLock(scope, { mode });
    await hold(lock.fence);
    lock.release();
  },
  auto: async (face, scope, mode, hold) => {
    const lock = await face.requestAutoReleaseLock(scope, { mode });
    return lock.waitUntil(hold(lock.fence));
  },
  flag: async (face, scope, mode, hold) => {
    const flag = await face.requestFlag(scope, mode);
    return flag.waitUntil(hold(flag.fence));
  },
  request: (face, scope, mode, hold) => face.locks.request(scope[0], { mode }, () => hold(0)),
};

/**
 * One context's part.
 * @param {object} part
 * @param {any} part.face
 * @param {() => number} part.random
 * @param {number} part.acquisitions
 * @param {number} part.atOnce requests of this context that are under way at the same time
 * @param {(scope: string[], mode: string, fence: number) => any} part.entered
 * @param {(token: any) => any} part.left
 * @param {() => Promise<any>} part.pause while the lock is held
 */
export const huntIn = async ({ face, random, acquisitions, atOnce, entered, left, pause }) => {
  let open = acquisitions;
  const all = Object.keys(ways);
  const work = async () => {
    while (open > 0) {
      open--;
      const way = all[below(random, all.length)];
      const drawn = drawScope(random);
      const scope = way === 'request' ? drawn.slice(0, 1) : drawn;
      const mode = random() < 0.3 ? 'shared' : 'exclusive';
      await ways[way](face, scope, mode, async (fence) => {
        const token = await entered(scope, mode, fence);
        await pause();
        await left(token);
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

/** The holders, as they report themselves. */
export class Referee {
  constructor() {
    /** @type {Set<{scope: string[], mode: string}>} */
    this.inside = new Set();
    this.grants = 0;
    /** The most that were held at the same time. */
    this.most = 0;
  }

  /** @param {string[]} scope @param {string} mode */
  enter(scope, mode) {
    for (const other of this.inside) {
      if ((mode === 'exclusive' || other.mode === 'exclusive') && scope.some((name) => other.scope.includes(name))) {
        throw new Error(`${scope} ${mode} beside ${other.scope} ${other.mode}`);
      }
    }
    const token = { scope, mode };
    this.inside.add(token);
    this.grants++;
    this.most = Math.max(this.most, this.inside.size);
    return token;
  }

  /** @param {any} token */
  leave(token) {
    this.inside.delete(token);
  }
}
