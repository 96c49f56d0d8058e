/** The nature of a seed's world: the maker of its order, its clocks and timers, and which contexts share a thread. */
import { World } from './world.js';

/** In a page that has long been hidden, timers fire once in so many milliseconds. */
const MINUTE = 60000;

/** @param {number} seed */
export const createNature = (seed) => {
  const kinds = /** @type {const} */ (['broadcast', 'store', 'broadcast', 'mixed', 'store', 'broadcast', 'store', 'broadcast']);
  const kind = kinds[seed % kinds.length];
  const hasStore = kind !== 'broadcast';
  const world = new World({ seed, kind: kind === 'mixed' ? 'broadcast' : kind, timersEarly: seed % 5 === 2 ? 1 : 0 });
  const { random } = world;
  if (hasStore && random() < 0.2) world.holdsUp = world.between(100, 1500);
  const clocks = random() < 0.3;
  const lags = random() < 0.2;
  const throttles = random() < 0.1;
  const threads = random() < 0.25;
  const sweep = hasStore && random() < 0.6 ? world.between(500, 5000) : 0;
  const sweepAgain = () => {
    world.orders.store.sweep(sweep);
    world.after(undefined, sweep / 4, sweep, sweepAgain);
  };
  if (sweep) sweepAgain();

  // These are not drawn, so that other worlds stay what they were.
  const undrawn = {
    misses: seed % 7 === 3, closesAndDies: seed % 5 === 3, pauses: seed % 11 === 4, stumbles: seed % 7 === 5, repeats: seed % 5 === 1,
    pausesAndWipes: seed % 9 === 7, wipesTwice: seed % 13 === 6,
  };
  const traits = [kind, ...Object.entries(undrawn).map(([trait, has]) => has && trait), world.holdsUp && 'holds up',
    clocks && 'clocks differ', lags && 'lags', throttles && 'timers once a minute', threads && 'shared threads',
    sweep && `swept after ${Math.round(sweep)}`];

  return {
    /** The makers of its contexts' orders. @type {('broadcast' | 'store')[]} */
    orders: kind === 'mixed' ? ['broadcast', 'store'] : [kind],
    world, hasStore, clocks, throttles, isMixed: kind === 'mixed', ...undrawn,
    text: traits.filter(Boolean).join(', '),

    /** @param {import('./program.js').Program[]} programs it may share a thread with one of them */
    createContext(programs) {
      const opener = threads && programs.length && random() < 0.5 ? programs[Math.floor(random() * programs.length)].context : undefined;
      const context = world.createContext({
        kind: kind === 'mixed' ? (random() < 0.5 ? 'broadcast' : 'store') : kind,
        opener: opener && opener.alive && !opener.isStopped() ? opener : undefined,
      });
      if (clocks) {
        context.wallSkew = world.between(-5000, 5000);
        context.clockRate = world.between(0.995, 1.005);
      }
      if (lags && random() < 0.4) context.lag = world.between(1, 15);
      if (throttles && random() < 0.4) context.throttled = MINUTE;
      return context;
    },
  };
};
