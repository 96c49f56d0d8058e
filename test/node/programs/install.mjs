/** `install.mjs import|require CJS ESM` prints what install({force: true}) has done. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [kind, cjs, esm] = process.argv.slice(2);
const { install, locks } = kind === 'require' ? createRequire(import.meta.url)(cjs) : await import(pathToFileURL(esm).href);

const returned = install({ force: true });
const { navigator } = globalThis;
const inUse = navigator.locks;
console.log(JSON.stringify({
  returned: returned === locks,
  // Node 20 and earlier have no navigator, and are given one.
  navigator: navigator.locks === locks,
  replaced: inUse === locks,
  granted: await inUse.request('x', () => 'granted'),
  lock: await inUse.request('x', (lock) => `${lock.name} ${lock.mode}`),
}));
