/** Limits what requests take for as long as they last, in all and for one client: those that wait or follow, and long lists. */
import { HttpError } from './errors.js';

const AGAIN = { 'Retry-After': '1' };

export class Listeners {
  #all = 0;
  /** @type {Map<string, number>} by owner, or by address if there is no authentication */
  #own = new Map();

  /**
   * @param {number} most
   * @param {number} mostOfOne
   * @param {string} [what] is counted
   */
  constructor(most, mostOfOne, what = 'requests that wait') {
    this.most = most;
    this.mostOfOne = mostOfOne;
    this.what = what;
  }

  /**
   * @param {import('fastify').FastifyRequest} request
   * @param {number} [count] one request may count for more. If it is the only one, it may count for any number.
   * @returns {() => void} to be called once, at the end
   */
  enter({ identity, ip }, count = 1) {
    const client = identity.owner === null ? `address ${ip}` : `owner ${identity.owner}`;
    const own = this.#own.get(client) ?? 0;
    if (this.#all > 0 && this.#all + count > this.most) throw new HttpError(503, { error: `There are too many ${this.what}.` }, AGAIN);
    if (own > 0 && own + count > this.mostOfOne) {
      throw new HttpError(429, { error: `You have ${own} ${this.what}, and more are not allowed.` }, AGAIN);
    }
    this.#all += count;
    this.#own.set(client, own + count);
    return () => {
      this.#all -= count;
      const left = (this.#own.get(client) ?? count) - count;
      if (left === 0) this.#own.delete(client);
      else this.#own.set(client, left);
    };
  }
}
