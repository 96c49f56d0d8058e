/**
 * Tells a holder that a request waits for its lock.
 *
 * @typedef {{clientId: string, mode: 'exclusive' | 'shared', scope: readonly string[]}} Waiter
 *
 * @param {import('../observation.js').Observation} observation
 * @param {import('./held.js').Held} held
 * @param {(waiter: Waiter) => void} callback called once for each request that the lock blocks, in a microtask of its own
 * @returns {() => void} stops watching
 */
export const watchContention = (observation, held, callback) => {
  let wanted = true;
  /** The requests that the holder already knows of, by client and number. @type {Set<string>} */
  const known = new Set();

  /** @param {{mode: string, names: string[]}} request */
  const isBlocked = ({ mode, names }) =>
    (mode === 'exclusive' || held.mode === 'exclusive') && names.some((name) => held.scope.includes(name));

  /** @param {{client: string, number: number, mode: 'exclusive' | 'shared', names: string[]}} request */
  const tell = ({ client, number, mode, names }) => {
    const key = `${number} ${client}`;
    if (known.has(key)) return;
    known.add(key);
    void Promise.resolve().then(() => wanted && callback({ clientId: client, mode, scope: Object.freeze([...names]) }));
  };

  const look = () => observation.state().pending.filter(isBlocked).forEach(tell);

  const stop = observation.listen((operation, events = []) => {
    if (!operation) look();
    else if (operation.type === 'request' && isBlocked(operation)) {
      // A request with an event does not wait: it was refused or granted.
      const { client, number } = operation;
      if (!events.some((event) => event.number === number && event.client === client)) tell(operation);
    }
  });
  look();

  return () => {
    wanted = false;
    stop();
  };
};
