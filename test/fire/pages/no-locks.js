/** A broken lock manager: it lets all in at once. The run under fire has to find out. */
Object.defineProperty(navigator, 'locks', { value: {
  request(name, ...rest) {
    const callback = rest.pop();
    return new Promise((resolve) => resolve(callback({ name, mode: 'exclusive' })));
  },
  query: () => Promise.resolve({ held: [], pending: [] }),
} });
