/** The bundlers of this checkout, each with the least configuration that a page needs. */
import path from 'node:path';
import nodeResolve from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

/**
 * Each puts the bundle of one file of a project into the project's dist/.
 * @type {Record<string, (folder: string, file: string) => Promise<void>>}
 */
export const BUNDLERS = {
  async esbuild(folder, file) {
    await esbuild.build({
      absWorkingDir: folder, entryPoints: [file], outdir: 'dist', bundle: true, minify: true, format: 'iife', logLevel: 'error',
    });
  },

  async rollup(folder, file) {
    /** @type {string[]} */
    const warnings = [];
    const bundle = await rollup({
      input: path.join(folder, file), plugins: [nodeResolve({ browser: true })], onLog: (level, { message }) => warnings.push(message),
    });
    await bundle.write({ file: path.join(folder, 'dist', file), format: 'iife' });
    await bundle.close();
    if (warnings.length) throw new Error(warnings.join('\n'));
  },

  webpack: (folder, file) => new Promise((resolve, reject) => {
    const output = { path: path.join(folder, 'dist'), filename: file.replace('.cjs', '.js') };
    webpack({ mode: 'production', context: folder, entry: `./${file}`, output, cache: false }, (error, result) => {
      if (error || result?.hasErrors() || result?.hasWarnings()) reject(error ?? new Error(result?.toString()));
      else resolve();
    });
  }),
};

/** Vite takes the whole page. @param {string} folder */
export const buildPage = async (folder) => {
  await vite.build({ root: folder, base: './', configFile: false, logLevel: 'error', oxc: { jsx: { runtime: 'automatic' } } });
};
