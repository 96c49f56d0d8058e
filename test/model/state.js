import { createModel } from './model.js';

/**
 * The state after requests of several names, one line each: client, mode, names.
 * @param {...string} lines
 */
export const stateAfter = (...lines) => {
  const model = createModel();
  const last = new Map();
  for (const line of lines) {
    const [client, mode, ...names] = line.split(' ');
    if (!last.has(client)) model.apply({ type: 'join', client, number: 1 });
    last.set(client, (last.get(client) || 1) + 1);
    model.apply({ type: 'request', client, number: last.get(client), names, mode: /** @type {'exclusive' | 'shared'} */ (mode) });
  }
  return model.state();
};
