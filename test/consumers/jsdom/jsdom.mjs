/** What test runners do with jsdom: its globals take the place of Node's, and the package comes as Node resolves it. */
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html>', { url: 'https://example.test/', pretendToBeVisual: true });
for (const name of ['document', 'navigator', 'DOMException', 'AbortController', 'location', 'origin']) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
}
globalThis.window = globalThis.self = globalThis;

const { locks, install } = await import('lockkeeper');
await import('lockkeeper/auto');
const first = await locks.request('first', ({ name }) => name);
console.log(JSON.stringify({ first, installed: install() === window.navigator.locks }));
window.close();
