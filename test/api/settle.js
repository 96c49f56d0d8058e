/** Until everything that is under way in microtasks has happened. In Node; ./kit.js runs in pages, too. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
