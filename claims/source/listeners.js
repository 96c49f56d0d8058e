/** Limits how many requests wait for a claim or follow the events, in all and for one client. */
import { HttpError } from './errors.js';

const AGAIN = { 'Retry-After': '1' };

export class Listeners {
  #all = 0;
  /** @type {Map<string, number>} by owner, or by address if there is no authentication */
  #own = new Map();

  /**
   * @param {number} most
   * @param {number} mostOfOne
   */
  constructor(most, mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /**
   * @param {import('fastify').FastifyRequest} request
   * @returns {() => void} to be called once, at the end
   */
  enter({ identity, ip }) {
    const client = identity.owner === null ? `address ${ip}` : `owner ${identity.owner}`;
    const own = this.#own.get(client) ?? 0;
    if (this.#all >= this.most) throw new HttpError(503, { error: 'Too many clients are waiting.' }, AGAIN);
    if (own >= this.mostOfOne) throw new HttpError(429, { error: `You have ${own} requests that wait, and more are not allowed.` }, AGAIN);
    this.#all += 1;
    this.#own.set(client, own + 1);
    return () => {
      this.#all -= 1;
      const left = (this.#own.get(client) ?? 1) - 1;
      if (left === 0) this.#own.delete(client);
      else this.#own.set(client, left);
    };
  }
}
