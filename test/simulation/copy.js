/**
 * Does to a message what structuredClone does, faster. All receivers are given the same copy, which is frozen. If bytes have a property
 * `trace`, a test's mark, the copy has it, too.
 * @param {any} value
 * @returns {any}
 */
export const copy = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  if (value instanceof Uint8Array) return Object.assign(value.slice(), { trace: /** @type {any} */ (value).trace });
  /** @type {Record<string, any>} */
  const result = {};
  for (const key in value) result[key] = copy(value[key]);
  return Object.freeze(result);
};
