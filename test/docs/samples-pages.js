/** The surroundings of the samples of README.md and docs/quick-start.md, by their names, and the expected results. */

/** @typedef {import('./places.js').Surroundings} Surroundings */

const TITLE = { in: 'page', look: 'document.title' };
const POLICY = { 'Content-Security-Policy': "default-src 'self'" };

/** @type {Record<string, Surroundings>} */
export const PAGES = {
  'readme script tag': { ...TITLE, replace: { '    // no other': '    document.title = "alone"; // no other' }, gives: 'alone' },
  'readme npm': { in: 'node', gives: 'holding database\n' },
  'readme auto': {
    in: 'bundled', gives: ['Lock', 'x'],
    before: 'const without = !navigator.locks;',
    after: 'navigator.locks.request("x", (lock) => { self.result = without || [lock.constructor.name, lock.name]; });',
  },
  'readme demo': { in: 'served', gives: 200 },

  install: { in: 'shell', after: 'ls node_modules/lockkeeper/dist/lockkeeper.js', gives: 'node_modules/lockkeeper/dist/lockkeeper.js\n' },
  'script tag': { ...TITLE, gives: 'holding sync' },
  companion: { ...TITLE, gives: 'holding sync' },
  'classic worker': { in: 'worker', gives: 'holding sync' },
  'module worker': { in: 'module worker', gives: 'holding sync' },
  'service worker': {
    in: 'service worker', gives: ['/samples/lockkeeper.js'],
    look: `caches.open('pages').then((cache) => cache.keys()).then((all) => all.map(({ url }) => new URL(url).pathname))`,
  },
  bundled: { in: 'bundled', after: 'self.result = result;', gives: 'sharing database' },
  'bundled auto': {
    in: 'bundled', gives: 'alone', replace: { '/* alone */': 'self.result = "alone";' },
  },
  'bundled install': {
    in: 'bundled', gives: 'alone', replace: { '/* alone */': 'self.result = locks === navigator.locks ? "alone" : "another";' },
  },
  'import map': { ...TITLE, gives: 'holding sync' },
  react: {
    in: 'react', gives: ['first: my turn', 'second: waiting', 'second: my turn'],
    before: `import { createElement } from 'react';\nimport { createRoot } from 'react-dom/client';`,
    after: `
const shown = [];
const show = (name) => {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  root.render(createElement(Turn));
  return { root, says: async (text) => {
    while (place.textContent !== text) await new Promise(requestAnimationFrame);
    shown.push(name + ': ' + text);
  } };
};
const first = show('first');
await first.says('my turn');
const second = show('second');
await second.says('waiting');
first.root.unmount();
await second.says('my turn');
self.result = shown;`,
  },
  'node import': { in: 'node', gives: 'holding database\n' },
  'node require': { in: 'require', gives: 'holding database\n' },
  'node threads': { in: 'node', gives: /^(thread (\d) begins\nthread \2 ends\n){4}$/ },
  'node processes': { in: 'node', gives: /^process \d+ migrates\n$/ },
  typescript: { in: 'types', gives: [] },
  nowasm: {
    ...TITLE, headers: POLICY, gives: 'holding sync',
    files: { 'my-page.js': 'navigator.locks.request("sync", ({ name }) => { document.title = "holding " + name; });' },
  },
  insecure: { ...TITLE, insecure: true, look: '[document.title, isSecureContext]', gives: ['holding sync', false] },
  'insecure ponyfill': { in: 'bundled', insecure: true, look: '[document.title, isSecureContext]', gives: ['holding sync', false] },
  'nowasm module': {
    in: 'bundled', headers: POLICY, gives: 'holding sync',
    after: 'locks.request("sync", ({ name }) => { self.result = `holding ${name}`; });',
  },
};
