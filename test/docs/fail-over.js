/** Places in the docs that say how soon the next in line has the lock of a killed tab: one figure, written by the bench. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../consumers/project.js';
import { read } from './pages.js';

/** By page: what stands around the figure, in milliseconds. @type {Record<string, RegExp[]>} */
const HOLDER = {
  'README.md': [/(the next in line has it )(\d+)( ms)/],
  'docs/comparison.md': [/(On a quiet machine Lockkeeper's is )(\d+)( ms)/, /(\| 60 ms, median of 20 \| )(\d+)( ms; \d+ ms \|)/],
};
/** The same if the holder was the eldest context. @type {Record<string, RegExp[]>} */
const ELDEST = { 'docs/comparison.md': [/(\| 60 ms, median of 20 \| \d+ ms; )(\d+)( ms \|)/] };

/** @returns {string[]} the figure for a holder, in all places */
export const failOverFigures = () => Object.entries(HOLDER).flatMap(([file, places]) =>
  places.map((place) => /** @type {RegExpExecArray} */ (place.exec(read(file)))[2]));

/** @param {Record<string, RegExp[]>} where @param {number} milliseconds */
const write = (where, milliseconds) => {
  for (const [file, places] of Object.entries(where)) {
    for (const place of places) {
      fs.writeFileSync(path.join(ROOT, file), read(file).replace(place, `$1${milliseconds.toFixed(0)}$3`));
    }
  }
};

/** @param {number} holder @param {number} eldest medians in milliseconds */
export const writeFailOver = (holder, eldest) => {
  write(HOLDER, holder);
  write(ELDEST, eldest);
};
