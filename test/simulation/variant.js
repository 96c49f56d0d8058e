/** The log with some text replaced. It is bundled in memory, so that the shipped files have no switches for tests. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PROTOCOL } from '../../glue/log/register.js';

const entry = fileURLToPath(new URL('../../glue/log/log.js', import.meta.url));

/** @typedef {{file: string, changes: [string, string][]}} Replacement what becomes what in a file of that name */

/**
 * @param {string} entry
 * @param {import('esbuild').BuildOptions} options
 * @param {RegExp} filter which files may be changed
 * @param {Replacement[]} replacements
 * @param {Record<string, string>} [stubs] texts that replace whole files, by file name
 * @returns {Promise<string>} the bundle's text
 */
export const bundleText = async (entry, options, filter, replacements, stubs = {}) => {
  const found = new Set();
  const result = await build({
    ...options, entryPoints: [entry], bundle: true, write: false, logLevel: 'error',
    plugins: [{
      name: 'replace',
      setup(bundle) {
        bundle.onLoad({ filter }, async ({ path }) => {
          const name = basename(path);
          if (Object.hasOwn(stubs, name)) return { contents: stubs[name] };
          let contents = await readFile(path, 'utf8');
          for (const { file, changes } of replacements) {
            if (file !== name) continue;
            found.add(file);
            for (const [from, to] of changes) {
              if (!contents.includes(from)) throw new Error(`${file} does not contain ${from}`);
              contents = contents.replace(from, () => to);
            }
          }
          return { contents };
        });
      },
    }],
  });
  for (const { file } of replacements) if (!found.has(file)) throw new Error(`${file} is not part of ${basename(entry)}`);
  return result.outputFiles[0].text;
};

/**
 * @param {string} entry
 * @param {import('esbuild').Platform} platform
 * @param {RegExp} filter which files may be changed
 * @param {Replacement} replacement
 * @returns {Promise<any>} the module
 */
export const bundleVariant = async (entry, platform, filter, replacement) => {
  const text = await bundleText(entry, { format: 'esm', platform }, filter, [replacement]);
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
};

/** @param {Replacement} replacement in glue/log @returns {Promise<typeof import('../../glue/log/log.js').createLog>} */
export const createVariant = async (replacement) =>
  (await bundleVariant(entry, 'neutral', /\/glue\/log\/[^/]*\.js$/, replacement)).createLog;

export const OTHER_PROTOCOL = PROTOCOL + 1;

/** The log of another version of the protocol. */
export const createOtherVersion = () =>
  createVariant({ file: 'register.js', changes: [[`export const PROTOCOL = ${PROTOCOL};`, `export const PROTOCOL = ${OTHER_PROTOCOL};`]] });
