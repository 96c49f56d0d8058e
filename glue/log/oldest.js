/**
 * Forgets what has been in a collection for longest, if there is more than [most] in it. Called after each addition.
 *
 * @template Key
 * @param {Set<Key> | Map<Key, unknown>} collection
 * @param {number} most
 */
export const forgetOldest = (collection, most) => {
  if (collection.size > most) collection.delete(/** @type {Key} */ (collection.keys().next().value));
};
