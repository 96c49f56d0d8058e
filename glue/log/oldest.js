/**
 * Removes the oldest element of a collection that has more than [most]. Call it after each addition.
 *
 * @template Key
 * @param {Set<Key> | Map<Key, unknown>} collection
 * @param {number} most
 */
export const forgetOldest = (collection, most) => {
  if (collection.size > most) collection.delete(/** @type {Key} */ (collection.keys().next().value));
};
