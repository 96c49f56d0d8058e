/**
 * Whether an object itself has a member. A page's scripts may have added members to all objects.
 *
 * @template {object} Type
 * @template {string} Key
 * @param {Type} object
 * @param {Key} key
 * @returns {object is Extract<Type, Record<Key, unknown>>}
 */
export const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

/**
 * @param {object} object
 * @param {string} key
 * @param {unknown} [otherwise] what stands for an absent member
 * @returns {unknown}
 */
export const ownMember = (object, key, otherwise) => {
  const value = hasOwn(object, key) ? /** @type {any} */ (object)[key] : undefined;
  return value === undefined ? otherwise : value;
};

/**
 * All names of an object's members that for..in lists, without those that a program has added to all objects.
 * @param {object | undefined} options
 * @returns {string[]}
 */
export const optionsOf = (options) => {
  const names = [];
  for (const name in options) if (hasOwn(/** @type {object} */ (options), name) || !(name in Object.prototype)) names.push(name);
  return names;
};
