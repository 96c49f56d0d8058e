/** Garbage on the channel: messages of another library, and damaged messages of the log. */
import { PROTOCOL } from '../../glue/log/register.js';

const FOREIGN = [undefined, null, 'text', 7, [], {}, [1], '[1', `[${PROTOCOL},"constructor"]`, '{}', `[${PROTOCOL},"toString","x"]`];

/** @param {any} message a message of the log @param {() => number} random */
const damage = (message, random) => {
  const isText = typeof message === 'string';
  const operations = [{ type: 'gone', client: 7 }, { type: '__proto__', client: 'x', number: 1 }, {}, null, 'x'];
  const wrong = [undefined, null, NaN, -1, 0.5, {}, ...operations.map((operation) => [operation])];
  const damaged = isText ? JSON.parse(message) : message.slice();
  const place = Math.floor(random() * damaged.length);
  const cut = damaged[place] instanceof Uint8Array && random() < 0.8 && damaged[place].slice(0, random() * damaged[place].length);
  damaged[place] = cut || wrong[Math.floor(random() * wrong.length)];
  if (!isText) return damaged;
  const text = JSON.stringify(damaged);
  return random() < 0.9 ? text : text.slice(0, random() * text.length);
};

/** @param {any} message the last message of the log @param {() => number} random */
export const foreignMessage = (message, random) => message && random() < 0.7
  ? damage(message, random) : FOREIGN[Math.floor(random() * FOREIGN.length)];
