/** The pages for users and successors, and the samples in them. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../consumers/project.js';

/** Fences that are no samples: outputs, forms, messages, maps. */
const TEXT = 'text';

/**
 * @typedef {object} Sample
 * @property {string} file from the project's root
 * @property {number} line
 * @property {string} language
 * @property {string} name as the comment before it says, <!-- sample: NAME -->; empty where there is none
 * @property {string} text
 */

/** README.md and all of docs/. @returns {string[]} from the project's root */
export const pages = () => ['README.md', ...fs.readdirSync(path.join(ROOT, 'docs'), { recursive: true }).map(String)
  .filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`).sort()];

/** @param {string} file from the project's root */
export const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** @param {string} file @returns {Sample[]} */
export const samplesOf = (file) => {
  /** @type {Sample[]} */
  const samples = [];
  /** @type {Sample | undefined} */
  let open;
  let name = '';
  read(file).split('\n').forEach((text, index) => {
    const fence = /^\s*(```+|~~~+)\s*(\S*)/.exec(text);
    if (open) {
      if (!fence) open.text += `${text}\n`;
      else {
        if (open.language !== TEXT) samples.push(open);
        open = undefined;
      }
    } else if (fence) {
      open = { file, line: index + 1, language: fence[2], name, text: '' };
      name = '';
    } else if (text.trim()) name = /^<!-- sample: (.+) -->$/.exec(text)?.[1] ?? '';
  });
  if (open) throw new Error(`${file}: a fence is not closed`);
  return samples;
};
