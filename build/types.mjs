/** Writes the types beside the bundles: each for `import` and, since TypeScript needs a separate file, for `require`. */
import { readdirSync, readFileSync } from 'node:fs';
import { at, write } from './files.mjs';

export const buildTypes = () => {
  for (const file of readdirSync(at('types'))) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(at(`types/${file}`), 'utf8');
    write(`dist/${file}`, text);
    write(`dist/${file.replace('.d.ts', '.d.cts')}`, text.replace(/(from '\.\/\w+)\.js'/g, `$1.cjs'`));
  }
};
