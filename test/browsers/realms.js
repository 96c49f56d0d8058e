/** Windows, frames and workers that run what a test sends them, with parts of glue/ by their exports; for tests below the log. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { outcomeExpression, readOutcome } from './drivers/script.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A script that sets self.parts to what [exports] names; to be a server's library. Without its native locks nothing is lost there.
 * @param {string} file in test/out
 * @param {Record<string, string>} exports of files in glue/
 * @param {string} [first] to be run first
 * @param {string[]} [entries] files in glue/ to be run after that, before the rest
 */
export function libraryOf(file, exports, first = '', entries = []) {
  const lines = entries.map((entry) => `import './glue/${entry}';`);
  for (const [name, from] of Object.entries(exports)) lines.push(`export { ${name} } from './glue/${from}';`);
  const outfile = path.join(ROOT, 'test/out', file);
  buildSync({
    stdin: { contents: lines.join('\n'), resolveDir: ROOT }, bundle: true, ignoreAnnotations: true,
    format: 'iife', globalName: 'parts', target: 'es2017', outfile,
    // Workers evaluate it too, each in a scope of its own.
    banner: { js: first }, footer: { js: 'self.parts = parts;' }, logLevel: 'warning',
  });
  return outfile;
}

export class Realm {
  /** @param {import('./drivers/index.js').Tab} tab @param {string | null} child @param {string} name @param {string} origin */
  constructor(tab, child, name, origin) {
    this.origin = origin;
    this.tab = tab;
    this.child = child;
    this.name = name;
  }

  /** @param {import('./engines.js').Scene} scene @param {string} origin @param {string} name */
  static async tab(scene, origin, name) { return new Realm(await scene.newTab(`${origin}/pages/realm.html`), null, name, origin); }

  /** @param {'frame' | 'worker' | 'shared' | 'service'} kind @param {string} name */
  async add(kind, name) {
    await this.tab.evaluate((one, other) => self.realms.add(one, other), kind, name);
    return new Realm(this.tab, name, name, this.origin);
  }

  /** @param {Function | string} code @param {...any} args */
  async evaluate(code, ...args) {
    if (this.child === null) return this.tab.evaluate(code, ...args);
    return readOutcome(await this.tab.evaluate((child, text) => self.realms.run(child, text), this.child, outcomeExpression(code, args)));
  }
}
