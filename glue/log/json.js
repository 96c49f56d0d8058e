/** @param {any} value @returns {string | undefined} undefined for what JSON leaves out */
const textOf = (value) => {
  if (Array.isArray(value)) return `[${value.map(textOf)}]`;
  if (typeof value !== 'object' || !value) return JSON.stringify(value);
  const parts = [];
  for (const key of Object.keys(value)) {
    const text = textOf(value[key]);
    if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${parts}}`;
};

/**
 * JSON.stringify() for plain data. Some old libraries (Prototype.js before 1.7) give all arrays a `toJSON()`, which JSON.stringify() calls.
 * No other page could read the result.
 * @param {object} value
 */
export const toJson = (value) => /** @type {string} */ (('toJSON' in [] ? textOf : JSON.stringify)(value));
