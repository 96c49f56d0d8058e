/**
 * What other clients than [client] do with [names]; the most that it may be, where memory is too short to find out.
 *
 * @param {import('../core/types.js').Core} core
 * @param {string} client
 * @param {string[]} names
 */
export const useByOthers = (core, client, names) => {
  try {
    return core.useByOthers(client, names);
  } catch {
    return 'held';
  }
};
