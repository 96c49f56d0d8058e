/** What a schedule leaves unsaid: the number of each operation, and which request a label means. */

/** @typedef {import('../../glue/core/types.js').Operation} Operation */

export class Numbering {
  /** @type {Map<string, number>} the last number of each member */
  #last = new Map();
  /** @type {Map<string, {client: string, number: number}>} */
  #requests = new Map();
  /** @type {Map<string, string>} */
  #labels = new Map();
  /** The last fence that was given. */
  fence = 0;

  /** @param {string} client */
  next(client) {
    return (this.#last.get(client) ?? 1) + 1;
  }

  /** @param {string} label */
  request(label) {
    return this.#requests.get(label);
  }

  /** @param {{client: string, number: number}} request */
  label({ client, number }) {
    return this.#labels.get(`${number} ${client}`);
  }

  /**
   * Notes an operation that failed: some use up their number.
   * @param {Operation} operation
   * @param {string} error
   */
  failed(operation, error) {
    if ('number' in operation && (error === 'refused' || error === 'no-fence')) this.#last.set(operation.client, operation.number);
  }

  /**
   * Notes an operation that succeeded.
   * @param {Operation} operation
   * @param {string} [label]
   */
  succeeded(operation, label) {
    if (operation.type === 'tick') return;
    if (operation.type === 'gone') this.#last.delete(operation.client);
    else this.#last.set(operation.client, operation.number);
    if (operation.type === 'request' && label) {
      const { client, number } = operation;
      this.#requests.set(label, { client, number });
      this.#labels.set(`${number} ${client}`, label);
    }
  }
}
