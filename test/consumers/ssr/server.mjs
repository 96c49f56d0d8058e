/** A server's render: the component imports the package, and uses it in an effect, which a server does not run. */
// The import opens the standard streams, so it has to be before the count.
import process from 'node:process';
import { createElement, useEffect } from 'react';
import { renderToString } from 'react-dom/server';

const globals = Object.getOwnPropertyNames(globalThis);
const resources = process.getActiveResourcesInfo();
const entries = await Promise.all(process.argv.slice(2).map((entry) => import(entry)));

const Turn = () => {
  useEffect(() => void entries[0].locks.request('turn', () => {}));
  return createElement('p', null, 'waiting');
};

console.log(JSON.stringify({
  html: renderToString(createElement(Turn)),
  globals: Object.getOwnPropertyNames(globalThis).filter((name) => !globals.includes(name)),
  resources: process.getActiveResourcesInfo().slice(resources.length),
}));
