/**
 * How clients other than [client] use [names]. Out of memory, it returns the strongest use, 'held'.
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
