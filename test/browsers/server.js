/**
 * The server of the test pages: pages and dist/, on as many origins as a test wants; headers as a page asks for them;
 * and a log that pages write to, in the order of arrival here.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The library under test: a script-tag build, or "native". */
const LIBRARY = process.env.LIBRARY === 'native' ? null : process.env.LIBRARY ?? path.join(ROOT, 'dist/lockkeeper.js');

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json', '.wasm': 'application/wasm', '.css': 'text/css',
};

/** Removes the native implementation, so that the library finds a browser without one. */
export const WITHOUT_NATIVE = `(function () {
  ['Navigator', 'WorkerNavigator'].forEach(function (name) { if (self[name]) delete self[name].prototype.locks; });
  delete self.Lock;
  delete self.LockManager;
})();
`;

export class TestServer {
  /**
   * @param {object} [options]
   * @param {string | null} [options.library] a classic script that /library.js serves, after the native implementation was
   *     removed; null: /library.js is empty and pages have what the browser has
   * @param {Record<string, string>} [options.folders] more folders to serve, by the first part of the path
   */
  constructor({ library = LIBRARY, folders = {} } = {}) {
    this.library = library;
    /** @type {Record<string, string>} */
    this.folders = { dist: path.join(ROOT, 'dist'), pages: path.join(ROOT, 'test/browsers/pages'), ...folders };
    /** @type {http.Server[]} */
    this.servers = [];
    /** @type {any[]} entries of pages and tests, in the order of arrival, with {order, at} */
    this.log = [];
    this.entries = 0;
    /** @type {((entry: any) => object | void) | null} gets the entries in place of the log; what it returns is part of the answer */
    this.onEntry = null;
    this.origin = '';
    /** A script that every HTML page begins with: the driver's part in it, where the driver needs one. */
    this.pageScript = '';
  }

  async start() {
    this.origin = await this.newOrigin();
    return this;
  }

  /** One more port. Each is an origin of its own, and the same port of 127.0.0.1 is another site. */
  async newOrigin() {
    const server = http.createServer((request, response) => this.answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }));
    server.keepAliveTimeout = 60000;
    await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(undefined));
    });
    this.servers.push(server);
    return `http://localhost:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  }

  async stop() {
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  /**
   * Adds an entry to the log.
   * @param {any} entry
   */
  record(entry) {
    const stamped = { ...entry, order: this.entries++, at: performance.now() };
    if (this.onEntry) return this.onEntry(stamped) ?? {};
    this.log.push(stamped);
    return {};
  }

  /** The script that every page and worker loads first. */
  libraryScript() {
    return this.library === null ? '' : WITHOUT_NATIVE + fs.readFileSync(this.library, 'utf8');
  }

  /**
   * @param {http.IncomingMessage} request
   * @param {http.ServerResponse} response
   */
  async answer(request, response) {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const headers = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*', ...requestedHeaders(url) };
    const send = (/** @type {number} */ status, /** @type {string} */ type, /** @type {string | Buffer} */ body) => {
      response.writeHead(status, { 'Content-Type': type, ...headers });
      response.end(type === TYPES['.html'] && this.pageScript ? withScript(String(body), this.pageScript) : body);
    };
    if (url.pathname === '/log') {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = this.record(JSON.parse(String(Buffer.concat(chunks))));
      // A page's own timers may be throttled; the server's are not.
      const wait = Number(url.searchParams.get('wait') ?? 0);
      if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
      return send(200, TYPES['.json'], JSON.stringify(answer));
    }
    if (url.pathname === '/library.js') return send(200, TYPES['.js'], this.libraryScript());
    if (url.pathname === '/blank') return send(200, TYPES['.html'], '<!doctype html><title>blank</title>');
    if (url.pathname === '/clear-site-data') {
      Object.assign(headers, { 'Clear-Site-Data': '"storage"' });
      return send(200, TYPES['.html'], '<!doctype html><title>cleared</title>');
    }
    const [, first, ...rest] = decodeURIComponent(url.pathname).split('/');
    const folder = Object.hasOwn(this.folders, first) ? this.folders[first] : null;
    const file = folder && path.join(folder, ...rest);
    if (!file || !file.startsWith(folder + path.sep) || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
      return send(404, 'text/plain', `not found: ${url.pathname}`);
    }
    const type = /** @type {Record<string, string>} */ (TYPES)[path.extname(file)] ?? 'application/octet-stream';
    return send(200, type, fs.readFileSync(file));
  }
}

/**
 * @param {string} html
 * @param {string} script
 */
function withScript(html, script) {
  return html.replace(/^(<!doctype html>)?/i, (doctype) => `${doctype}<script>${script}</script>`);
}

/**
 * A page's address may ask for a Content-Security-Policy (?csp=...) and for any headers (?headers={...}).
 * @param {URL} url
 * @returns {Record<string, string>}
 */
function requestedHeaders(url) {
  const csp = url.searchParams.get('csp');
  return { ...(csp ? { 'Content-Security-Policy': csp } : {}), ...JSON.parse(url.searchParams.get('headers') ?? '{}') };
}
