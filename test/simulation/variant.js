/** The log with some text replaced: bundled in memory, so that what is shipped has no switches for tests. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PROTOCOL } from '../../glue/log/register.js';

const entry = fileURLToPath(new URL('../../glue/log/log.js', import.meta.url));

/**
 * @typedef {{file: string, changes: [string, string][]}} Replacement what becomes what in a file of that name
 *
 * @param {string} entry
 * @param {import('esbuild').Platform} platform
 * @param {RegExp} filter which files it may be
 * @param {Replacement} replacement
 * @returns {Promise<any>} the module
 */
export const bundleVariant = async (entry, platform, filter, { file, changes }) => {
  let found = false;
  const result = await build({
    entryPoints: [entry], bundle: true, write: false, format: 'esm', platform, logLevel: 'error',
    plugins: [{
      name: 'replace',
      setup(bundle) {
        bundle.onLoad({ filter }, async ({ path }) => {
          let contents = await readFile(path, 'utf8');
          if (basename(path) !== file) return { contents };
          found = true;
          for (const [from, to] of changes) {
            if (!contents.includes(from)) throw new Error(`${file} does not contain ${from}`);
            contents = contents.replace(from, () => to);
          }
          return { contents };
        });
      },
    }],
  });
  if (!found) throw new Error(`${file} is not part of the log`);
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString('base64')}`);
};

/** @param {Replacement} replacement in glue/log @returns {Promise<typeof import('../../glue/log/log.js').createLog>} */
export const createVariant = async (replacement) =>
  (await bundleVariant(entry, 'neutral', /\/glue\/log\/[^/]*\.js$/, replacement)).createLog;

export const OTHER_PROTOCOL = PROTOCOL + 1;

/** The log as another version of the protocol would speak. */
export const createOtherVersion = () =>
  createVariant({ file: 'register.js', changes: [[`export const PROTOCOL = ${PROTOCOL};`, `export const PROTOCOL = ${OTHER_PROTOCOL};`]] });
