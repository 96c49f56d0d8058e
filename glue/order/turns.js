/**
 * A property of the window that all contexts of one thread can reach: the function that sends the messages of the context that has appended
 * last. It runs before another context appends, so that the order of calls is kept.
 */
const UNSENT = Symbol.for('lockkeeper: unsent');

/**
 * The first of the windows that have opened or contain each other, as far as the origin allows. If their openers form a ring, it is the
 * window with the property.
 */
const firstOf = () => {
  /** @type {Window & {[UNSENT]?: () => void}} */
  let window = self;
  const seen = new Set();
  try {
    for (let other = window; other && other.document; other = other.opener || (other.parent !== other && other.parent)) {
      if (seen.has(other)) return [...seen].find((each) => each[UNSENT]) || window;
      seen.add(window = other);
    }
  } catch {
    // That window is of another origin.
  }
  return window;
};

/**
 * Call it before appending. It sends the messages that another context of this thread has appended. A worker has only one context for each
 * order, and must not send here: in WebKit, a worker that is terminated while a connection has two transactions may block the database for
 * ever.
 * @param {() => void} flush sends what this context has appended
 */
export const takeTurn = (flush) => {
  if (!self.document) return;
  const first = firstOf();
  if (first[UNSENT] && first[UNSENT] !== flush) first[UNSENT]();
  first[UNSENT] = flush;
};
