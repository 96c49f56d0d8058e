/** Paths, and how the build steps run programs. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import pako from 'pako';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} path from the root */
export const at = (path) => join(root, path);

/**
 * Runs a program in the root and returns its output; its stderr is passed on.
 * @param {string} program
 * @param {string[]} parameters
 */
export const run = (program, parameters) =>
  execFileSync(program, parameters, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * @param {string} path from the root
 * @param {string | Uint8Array} content
 */
export const write = (path, content) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
};

/**
 * The size in bytes after gzip at the best level: by the zlib of gzip and of web servers, or by Node's, which finds other matches; the
 * greater of the two. They differ by up to one in a hundred.
 * @param {string | Uint8Array} content
 */
export const gzippedSize = (content) =>
  Math.max(gzipSync(content, { level: 9 }).length, pako.gzip(content, { level: 9 }).length);

/**
 * Prints the size of a result.
 * @param {string} path from the root
 * @param {string | Uint8Array} content
 */
export const report = (path, content) => {
  console.log(`${path}: ${Buffer.byteLength(content)} bytes, ${gzippedSize(content)} gzipped`);
};
