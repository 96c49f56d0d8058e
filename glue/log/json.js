/** @param {any} value @returns {string} */
const textOf = (value) => {
  if (Array.isArray(value)) return `[${value.map(textOf)}]`;
  if (typeof value !== 'object' || !value) return JSON.stringify(value);
  const parts = [];
  for (const key of Object.keys(value)) if (value[key] !== undefined) parts.push(`${JSON.stringify(key)}:${textOf(value[key])}`);
  return `{${parts}}`;
};

/**
 * JSON.stringify() for plain data. Some old libraries give all arrays a `toJSON()` (Prototype.js before 1.7), which JSON.stringify() calls.
 * No other page could read what such a page posts.
 * @param {unknown} value
 */
export const toJson = (value) => ('toJSON' in [] ? textOf : JSON.stringify)(value);
