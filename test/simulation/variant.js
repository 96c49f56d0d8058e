/** The log with some text replaced: bundled in memory, so that what is shipped has no switches for tests. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('../../glue/log/log.js', import.meta.url));

/**
 * @param {{file: string, changes: [string, string][]}} replacement what becomes what in a file of glue/log
 * @returns {Promise<typeof import('../../glue/log/log.js').createLog>}
 */
export const createVariant = async ({ file, changes }) => {
  let found = false;
  const result = await build({
    entryPoints: [entry], bundle: true, write: false, format: 'esm', platform: 'neutral', logLevel: 'error',
    plugins: [{
      name: 'replace',
      setup(bundle) {
        bundle.onLoad({ filter: /\/glue\/log\/[^/]*\.js$/ }, async ({ path }) => {
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
  const { createLog } = await import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString('base64')}`);
  return createLog;
};

/** The log as another version of the protocol would speak. */
export const createOtherVersion = () =>
  createVariant({ file: 'register.js', changes: [['export const PROTOCOL = 4;', 'export const PROTOCOL = 5;']] });
