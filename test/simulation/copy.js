/**
 * What structuredClone does to a message, faster. All receivers are given the same copy, which nobody can change. A property `trace` of
 * bytes goes with them: a test's mark.
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
