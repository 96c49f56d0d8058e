/**
 * What the core refuses, by the name of the header's status: 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap',
 * 'bad-snapshot'.
 */
export class CoreError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(`lock core: ${code}`);
    this.name = 'CoreError';
    this.code = code;
  }
}
