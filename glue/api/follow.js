import { IS_PACKAGE } from '#edition';

/** What each signal calls when it aborts, and its one listener. @type {WeakMap<AbortSignal, [Set<() => void>, () => void]>} */
const followed = new WeakMap();

/**
 * Calls [onAbort] when [signal] aborts. A signal has one listener, however many requests follow it: engines compare each listener that is
 * added or removed with all that are there. (The script-tag build has a listener a request, which is smaller.)
 *
 * @param {AbortSignal} signal not aborted
 * @param {() => void} onAbort
 * @returns {() => void} ends that
 */
export const follow = (signal, onAbort) => {
  if (!IS_PACKAGE) {
    // Anybody can dispatch an event of that name; only the signal's state counts.
    const listener = () => {
      if (signal.aborted) onAbort();
    };
    signal.addEventListener('abort', listener);
    return () => signal.removeEventListener('abort', listener);
  }

  /** @type {[Set<() => void>, () => void]} */
  const both = followed.get(signal) || [new Set(), () => {
    if (signal.aborted) both[0].forEach((each) => each());
  }];
  const [onAborts, listener] = both;
  if (!onAborts.size) {
    followed.set(signal, both);
    signal.addEventListener('abort', listener);
  }
  onAborts.add(onAbort);
  return () => {
    onAborts.delete(onAbort);
    if (!onAborts.size) signal.removeEventListener('abort', listener);
  };
};
