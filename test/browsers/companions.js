/** The common parts of the tests of browsers that lack something. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const text = (/** @type {string} */ file) => readFileSync(at(`../../dist/${file}`), 'utf8');

/**
 * A script for a TestServer: a browser that lacks something, the companion for it if there is one, and Lockkeeper.
 * @param {string} name
 * @param {string} lack takes something away
 * @param {string} [companion] a file in dist
 * @returns {string} its path
 */
export function libraryWith(name, lack, companion) {
  const path = at(`../out/${name}`);
  mkdirSync(at('../out'), { recursive: true });
  writeFileSync(path, [lack, companion ? text(companion) : '', text('lockkeeper.js')].join('\n'));
  return path;
}

/** Each holds one lock in turn. @param {import('./contexts.js').Stage} stage @param {import('./contexts.js').Context[]} contexts */
export async function holdInTurn(stage, contexts) {
  const [holder, ...others] = contexts;
  await holder.hold(holder.id, 'printer');
  for (const context of others) await context.queue(context.id, 'printer');
  for (const [index, context] of contexts.entries()) {
    await stage.event(context.id, 'granted');
    assert.deepEqual(stage.grants(), contexts.slice(0, index + 1).map(({ id }) => id));
    await context.release(context.id);
    await stage.event(context.id, 'ended');
  }
}
