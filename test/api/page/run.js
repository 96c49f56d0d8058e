/** Runs the tables on this page's navigator.locks, with a frame's as the other context; the test takes the results from self.results. */
import { tables } from '../tables/index.js';
import { assert } from './same.js';

const LIMIT = 8000;

const loadFrame = () => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.src = 'frame.html';
  frame.onload = () => resolve(frame.contentWindow);
  document.body.appendChild(frame);
});

/** @param {(kit: any) => any} test @param {any} kit @returns {Promise<string>} empty where it passes */
const outcome = (test, kit) => Promise.race([
  new Promise((resolve) => resolve(test(kit))).then(() => '', (error) => String(error && error.stack || error)),
  new Promise((resolve) => setTimeout(resolve, LIMIT, 'timeout')),
]);

const runAll = async () => {
  const { locks: elsewhere } = (await loadFrame()).navigator;
  let count = 0;
  const kit = { locks: navigator.locks, elsewhere, global: self, assert, uniqueName: (stem = 'name') => `${stem}-${count += 1}` };
  const results = {};
  for (const [title, table] of Object.entries(tables)) {
    for (const [sentence, test] of Object.entries(table)) results[`${title}: ${sentence}`] = await outcome(test, kit);
  }
  return results;
};

self.results = runAll();
