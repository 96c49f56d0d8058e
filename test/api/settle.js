/** Waits until all pending microtasks have run. In Node; ./kit.js runs in pages, too. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
