/** The results of locks here, and the library's messages on the console. */
const warnings = [];
console.warn = (text) => warnings.push(text);
const outcome = (promise) => promise.then((value) => value, ({ name, message }) => `${name}: ${message}`);

self.report = async () => ({
  request: await outcome(navigator.locks.request('first', ({ name }) => name)),
  query: await outcome(navigator.locks.query().then(({ held }) => held.length)),
  isolated: self.crossOriginIsolated,
  warnings,
});
if (parent !== self) self.report().then((report) => parent.postMessage(report, '*'));
else self.result = self.report();
