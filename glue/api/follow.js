import { IS_PACKAGE } from '#edition';

/** For each signal, the functions to call on abort, and its one listener. @type {WeakMap<AbortSignal, [Set<() => void>, () => void]>} */
const followed = new WeakMap();

/**
 * Calls [onAbort] when [signal] aborts. A signal gets one listener, however many requests follow it. More would be slow with many requests:
 * engines compare each listener that is added or removed with all others. (The script-tag build uses a listener for each request, which is
 * smaller.)
 *
 * @param {AbortSignal} signal not aborted
 * @param {() => void} onAbort
 * @returns {() => void} stops following
 */
export const follow = (signal, onAbort) => {
  if (!IS_PACKAGE) {
    // Any script can dispatch an 'abort' event. Only the signal's state counts.
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
