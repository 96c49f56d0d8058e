/**
 * Serves the demo with only Node: `npm start`, or `node demo/serve.mjs --port 8080 --host 0.0.0.0` to see it from a phone. The headers are
 * those of a strict site: the library needs only 'wasm-unsafe-eval'.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['demo', 'dist'];
const DEFAULT_PORT = 8080;

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.png': 'image/png', '.svg': 'image/svg+xml',
};

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "object-src 'none'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** The file for an address, or null. @param {string} address */
const fileOf = (address) => {
  let name;
  try {
    name = decodeURIComponent(new URL(address, 'http://demo').pathname);
  } catch {
    return null;
  }
  const file = path.normalize(path.join(ROOT, name.endsWith('/') ? `${name}index.html` : name));
  const [folder] = path.relative(ROOT, file).split(path.sep);
  return FOLDERS.includes(folder) && TYPES[path.extname(file)] && fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
};

export const createDemoServer = () => http.createServer((request, response) => {
  const answer = (/** @type {number} */ status, /** @type {Record<string, string>} */ headers, /** @type {string | Buffer} */ body) => {
    response.writeHead(status, { ...HEADERS, ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const address = request.url ?? '/';
  if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, { Allow: 'GET, HEAD' }, '');
  // The demo's files name each other and dist/ by relative addresses, so that any web server that has both folders can serve it.
  if (/^\/(\?|$)/.test(address)) return answer(302, { Location: `/demo/${address.slice(1)}` }, '');
  const file = fileOf(address);
  if (!file) return answer(404, { 'Content-Type': 'text/plain' }, 'Not found\n');
  return answer(200, { 'Content-Type': TYPES[path.extname(file)] }, fs.readFileSync(file));
});

/** @param {string} name @param {string} otherwise */
const option = (name, otherwise) => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? otherwise : process.argv[index + 1];
};

const start = () => {
  const host = option('host', 'localhost');
  const wanted = option('port', process.env.PORT ?? '');
  const server = createDemoServer();
  server.on('listening', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`The demo is at http://${host === '0.0.0.0' ? 'localhost' : host}:${port}/`);
    console.log('Press Ctrl+C to end it.');
  });
  server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    // If no port was given, any free one will do.
    if (error.code === 'EADDRINUSE' && !wanted) server.listen(0, host);
    else {
      console.error(error.message);
      process.exitCode = 1;
    }
  });
  server.listen(Number(wanted || DEFAULT_PORT), host);
};

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) start();
