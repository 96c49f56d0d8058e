/** How functions get from a test into a page, and values back: as source text and as JSON. */

/**
 * @param {Function | string} code a function, called with [args] in the page, or an expression
 * @param {any[]} args
 */
export function expression(code, args) {
  if (typeof code === 'string') return `(${code})`;
  return `(${code})(${args.map((arg) => (arg === undefined ? 'undefined' : JSON.stringify(arg))).join(', ')})`;
}

/**
 * An expression for a promise of {value} with the JSON of the result, or of {error}.
 * @param {Function | string} code
 * @param {any[]} args
 */
export function outcomeExpression(code, args) {
  return `new Promise((resolve) => resolve(${expression(code, args)})).then(
    (value) => ({ value: value === undefined ? 'null' : JSON.stringify(value) }),
    (error) => ({ error: String(error) + ' ' + String((error && error.stack) || '') }))`;
}

/**
 * @param {{value?: string, error?: string}} outcome
 */
export function readOutcome(outcome) {
  if (outcome.error !== undefined) throw new Error(`in the page: ${outcome.error}`);
  return JSON.parse(outcome.value ?? 'null');
}
