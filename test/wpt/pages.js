/** Which pages a folder of the web-platform-tests has. Scripts named .any.js and .window.js stand for generated pages. */
import fs from 'node:fs';
import path from 'node:path';

/** The kinds of global object that an .any.js script may ask for, and the endings of their pages. */
const GLOBALS = {
  window: '.any.html', dedicatedworker: '.any.worker.html', sharedworker: '.any.sharedworker.html',
  serviceworker: '.any.serviceworker.html',
};

/**
 * The "// META:" lines at the head of a script.
 * @param {string} source
 */
export function readMeta(source) {
  const meta = { script: [], variant: [], global: 'window,dedicatedworker', timeout: 'normal', title: '' };
  for (const line of source.split(/\r?\n/)) {
    if (!line.startsWith('//')) break;
    const [, key, value] = /^\/\/ META: *([a-z]+)=(.*)$/.exec(line) ?? [];
    if (Array.isArray(meta[key])) meta[key].push(value.trim());
    else if (key) meta[key] = value.trim();
  }
  const globals = new Set();
  for (const word of meta.global.split(',')) {
    const [, not, name] = /^\s*(!?)(\S+)\s*$/.exec(word);
    for (const each of name === 'worker' ? ['dedicatedworker', 'sharedworker', 'serviceworker'] : [name]) {
      if (not) globals.delete(each);
      else if (GLOBALS[each]) globals.add(each);
    }
  }
  return { ...meta, globals: [...globals] };
}

/**
 * @typedef {object} TestPage
 * @property {string} page path and query
 * @property {string} file what it comes from
 * @property {'any' | 'html' | 'crash'} kind any: one script that needs no other window
 * @property {'core' | 'tentative' | 'crash'} category
 * @property {{total: number, stall: number}} limits milliseconds in all, and (0: any time) without news
 */

/**
 * @param {string} root a checkout of the web-platform-tests
 * @param {string} folder
 * @returns {TestPage[]}
 */
export function listPages(root, folder) {
  const found = [];
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'resources') found.push(...listPages(root, file));
      continue;
    }
    if (!/\.(html|any\.js|window\.js)$/.test(file)) continue;
    const source = fs.readFileSync(path.join(root, file), 'utf8');
    const long = /name="?timeout"? content="?long/.test(source);
    if (file.endsWith('.js')) found.push(...scriptPages(file, source));
    else if (folder.endsWith('/crashtests')) found.push(describe(`/${file}`, file, 'crash', false));
    else if (source.includes('/resources/testharness.js')) found.push(describe(`/${file}`, file, 'html', long));
  }
  return found;
}

/**
 * @param {string} file
 * @param {string} source
 */
function scriptPages(file, source) {
  const meta = readMeta(source);
  const stem = `/${file.replace(/\.(any|window)\.js$/, '')}`;
  const pages = file.endsWith('.window.js') ? [`${stem}.window.html`] : meta.globals.map((name) => stem + GLOBALS[name]);
  const variants = meta.variant.length ? meta.variant : [''];
  return pages.flatMap((page) => variants.map((variant) => describe(page + variant, file, 'any', meta.timeout === 'long')));
}

/**
 * The suite's own limits are 10 and 60 seconds. A page of one script is given up earlier, when nothing has happened for a while.
 * @returns {TestPage}
 */
function describe(page, file, kind, long) {
  const category = kind === 'crash' ? 'crash' : page.includes('.tentative.') ? 'tentative' : 'core';
  const limits = kind === 'crash' ? { total: 8000, stall: 0 }
    : page.includes('/bfcache/') ? { total: 25000, stall: 10000 }
      : kind === 'html' ? { total: 10000, stall: 0 }
        : long ? { total: 20000, stall: 5000 } : { total: 10000, stall: 3000 };
  return { page, file, kind, category, limits };
}
