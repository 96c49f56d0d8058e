/**
 * Serves the web-platform-tests as far as the web-locks folder needs it, on http://localhost (a secure context without TLS),
 * with a port, so an origin, of its own for each test page: nothing is left over from one to the next. The library goes first
 * into every document and worker.
 */
import dns from 'node:dns/promises';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { crashReport, oldBrowser, report, script, stripNative } from './inject.js';
import { readMeta } from './pages.js';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.json': 'application/json', '.css': 'text/css',
  '.idl': 'text/plain; charset=utf-8', '.txt': 'text/plain; charset=utf-8',
};

/** The pages and worker scripts that .any.js and .window.js stand for. */
const GENERATED = /^(.*)\.(any\.(?:(?:worker|sharedworker|serviceworker)\.)?html|any\.worker\.js|window\.html)$/;

/** What may stand before the first script of a document. */
const HTML_START = /^[^]*?<head[^>]*>|^\s*(<!doctype[^>]*>)?\s*(<meta charset[^>]*>)?\s*(<html[^>]*>)?\s*(<meta charset[^>]*>)?/i;

export class WptServer {
  /**
   * @param {object} options
   * @param {string} options.root the checkout
   * @param {string | null} options.library the script-tag build; null: the browser keeps its native implementation
   * @param {((source: string) => Promise<string>) | null} [options.lower] rewrites test files for an old browser
   */
  constructor({ root, library, lower = null }) {
    this.root = path.resolve(root);
    this.library = library;
    this.lower = lower;
    /** By port, the page: its limits, and the receiver of its reports. */
    this.runs = new Map();
    /** The messages between windows of a test, by recipient. */
    this.mail = new Map();
    this.servers = [];
  }

  async start() {
    this.insecureHost = await findInsecureHost();
    this.otherPort = await this.listen();
    return this;
  }

  async stop() {
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  /** One more port, on the local addresses. */
  async listen() {
    const open = (port, address) => new Promise((resolve, reject) => {
      const server = http.createServer((request, response) => this.answer(request, response).catch((error) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error.stack));
      }));
      server.keepAliveTimeout = 1000;
      server.once('error', reject);
      server.listen(port, address, () => {
        this.servers.push(server);
        resolve(server.address().port);
      });
    });
    for (let tries = 1; ; tries++) {
      const port = await open(0, '127.0.0.1');
      try {
        if (this.insecureHost && this.insecureHost.address !== '127.0.0.1') await open(port, this.insecureHost.address);
        return port;
      } catch (error) {
        if (tries === 20) throw error;
      }
    }
  }

  /**
   * An origin for one test page.
   * @param {import('./pages.js').TestPage} test
   * @param {(report: any) => void} onReport
   * @returns {Promise<{url: string, port: number} | null>} null: the page cannot be run here
   */
  async addRun(test, onReport) {
    const insecure = test.page.includes('/non-secure-context');
    if (insecure && !this.insecureHost) return null;
    const port = await this.listen();
    this.runs.set(port, { limits: test.limits, onReport });
    return { url: `http://${insecure ? this.insecureHost.host : 'localhost'}:${port}${test.page}`, port };
  }

  /** Script addresses that every realm loads first. */
  prelude() {
    return [...(this.library ? ['/__runner/strip.js', '/__runner/library.js'] : []), ...(this.lower ? ['/__runner/old.js'] : [])];
  }

  tags(more = []) {
    return [...this.prelude(), ...more].map((address) => `<script src="${address}"></script>`).join('');
  }

  async answer(request, response) {
    const url = new URL(request.url, `http://${request.headers.host}`);
    const page = decodeURIComponent(url.pathname);
    const send = (type, body, headers = {}, status = 200) => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers });
      response.end(body);
    };
    const run = this.runs.get(request.socket.localPort);
    if (page === '/resources/testharnessreport.js') return send(TYPES['.js'], script(report, run?.limits ?? { total: 10000, stall: 0 }));
    if (page === '/__runner/report') {
      const text = await bodyOf(request);
      send('text/plain', '');
      return run?.onReport(JSON.parse(text));
    }
    if (page === '/__runner/strip.js') return send(TYPES['.js'], script(stripNative, this.tags()));
    if (page === '/__runner/library.js') return send(TYPES['.js'], fs.readFileSync(this.library));
    if (page === '/__runner/old.js') return send(TYPES['.js'], script(oldBrowser));
    if (page === '/__runner/crash.js') return send(TYPES['.js'], script(crashReport));
    if (page === '/common/dispatcher/dispatcher.py') return this.dispatch(request, url, send);
    const file = page === '/resources/WebIDLParser.js' ? '/resources/webidl2/lib/webidl2.js' : page;
    return await this.sendGenerated(request, url, file, send) || this.sendFile(request, file, send);
  }

  /** Mailboxes for windows that cannot reach each other. */
  async dispatch(request, url, send) {
    const headers = {
      'Access-Control-Allow-Origin': request.headers.origin ?? '*', 'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'OPTIONS, GET, POST', 'Access-Control-Allow-Headers': 'Content-Type', 'Cache-Control': 'no-store',
    };
    if (request.method === 'OPTIONS') return send('text/plain', '', headers);
    const box = url.searchParams.get('uuid');
    if (request.method === 'POST') {
      this.mail.set(box, [...(this.mail.get(box) ?? []), await bodyOf(request)]);
      return send('text/plain', 'done', headers);
    }
    return send('text/plain', this.mail.get(box)?.shift() ?? 'not ready', headers);
  }

  read(file) {
    const full = path.join(this.root, file);
    return full.startsWith(this.root + path.sep) && fs.statSync(full, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(full) : null;
  }

  async sendGenerated(request, url, page, send) {
    const [, stem, ending] = GENERATED.exec(page) ?? [];
    const file = `${stem}.${ending === 'window.html' ? 'window' : 'any'}.js`;
    const source = stem && this.read(file);
    if (!source) return false;
    const meta = readMeta(String(source));
    const scope = (worker) => `self.GLOBAL = { isWindow() { return ${!worker}; }, isWorker() { return ${worker}; }, ` +
      'isShadowRealm() { return false; } };\n';
    if (ending === 'any.worker.js') {
      const scripts = [...this.prelude(), '/resources/testharness.js', ...meta.script, file];
      send(TYPES['.js'], `${scope(true)}importScripts(${scripts.map((each) => JSON.stringify(each)).join(', ')});\ndone();\n`);
      return true;
    }
    const worker = JSON.stringify(`${stem}.any.worker.js${url.search}`);
    const start = {
      'any.worker.html': `fetch_tests_from_worker(new Worker(${worker}));`,
      'any.sharedworker.html': `fetch_tests_from_worker(new SharedWorker(${worker}));`,
      'any.serviceworker.html': `(async function () {
        const scope = 'does/not/exist';
        const old = await navigator.serviceWorker.getRegistration(scope);
        if (old) await old.unregister();
        fetch_tests_from_worker((await navigator.serviceWorker.register(${worker}, { scope })).installing);
      })();`,
    }[ending];
    const tag = (address) => `<script src="${address}"></script>\n`;
    send(TYPES['.html'], `<!doctype html>\n<html><head><meta charset=utf-8><title>${meta.title}</title>${this.tags()}
      <script>${scope(false)}</script>${tag('/resources/testharness.js')}${tag('/resources/testharnessreport.js')}</head>
      <body><div id=log></div>\n${start ? `<script>${start}</script>` : [...meta.script, file].map(tag).join('')}</body></html>\n`);
    return true;
  }

  async sendFile(request, file, send) {
    const content = this.read(file);
    if (!content) return send('text/plain', `not found: ${file}`, {}, 404);
    const headers = {};
    for (const line of String(this.read(`${file}.headers`) ?? '').split(/\r?\n/)) {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
      if (name && !/^(content-type|cache-control)$/i.test(name)) headers[name] = value;
    }
    const extension = path.extname(file);
    const type = TYPES[extension] ?? 'application/octet-stream';
    if (extension !== '.html' && extension !== '.js') return send(type, content, headers);
    const text = /\.sub\.\w+$/.test(file) ? this.substitute(String(content), request) : String(content);
    const injected = extension === '.html' ? this.injectHtml(text, file) : this.injectScript(text, isWorker(request, file));
    return send(type, await injected, headers);
  }

  /** The placeholders of ".sub." files. What they call https is plain http here, and another site is 127.0.0.1. */
  substitute(text, request) {
    const [host, port] = request.headers.host.split(':');
    return text.replace(/\{\{([^}]+)\}\}/g, (all, key) => {
      if (key === 'host') return host;
      if (key === 'location[host]') return request.headers.host;
      if (/^ports\[https?\]\[0\]$/.test(key)) return port;
      if (/^ports\[https?\]\[1\]$/.test(key)) return String(this.otherPort);
      return /^(domains|hosts)\[/.test(key) ? '127.0.0.1' : all;
    }).replaceAll('https://', 'http://');
  }

  async injectHtml(html, file) {
    if (this.lower) html = await this.lowerInline(html);
    const crash = file.includes('/crashtests/');
    if (crash) {
      // Workers made of blobs are not served: their source gets the import.
      const imports = this.prelude().map((address) => `importScripts("' + location.origin + '${address}");`).join('');
      html = html.replaceAll('new Blob([', `new Blob(['${imports}\\n', `);
    }
    const [start] = HTML_START.exec(html);
    return start + this.tags(crash ? ['/__runner/crash.js'] : []) + html.slice(start.length);
  }

  async lowerInline(html) {
    const parts = html.split(/(<script(?![^>]*\b(?:src|type)=)[^>]*>)([^]*?)(<\/script>)/i);
    for (let index = 2; index < parts.length; index += 4) parts[index] = await this.lower(parts[index]);
    return parts.join('');
  }

  async injectScript(source, worker) {
    if (this.lower) source = await this.lower(source);
    if (!worker || !this.prelude().length) return source;
    const strict = /^(\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(['"])use strict\2/.test(source) ? '"use strict"; ' : '';
    return `${strict}importScripts(${this.prelude().map((address) => JSON.stringify(address)).join(', ')}); ${source}`;
  }
}

/** A name or address that reaches this machine but is no secure context. */
async function findInsecureHost() {
  const name = os.hostname();
  const found = await dns.lookup(name, { family: 4 }).catch(() => null);
  if (found?.address.startsWith('127.') && !/(^|\.)localhost$/i.test(name)) return { host: name, address: found.address };
  const outer = Object.values(os.networkInterfaces()).flat().find((each) => each?.family === 'IPv4' && !each.internal);
  return outer ? { host: outer.address, address: outer.address } : null;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return String(Buffer.concat(chunks));
}

/** Is this script the top of a worker? Old browsers do not tell. */
function isWorker(request, file) {
  const purpose = request.headers['sec-fetch-dest'];
  return request.headers['service-worker'] === 'script' ||
    (purpose ? /worker$/.test(purpose) : /^\/web-locks\/resources\/(parent|service-)?worker\.js$/.test(file));
}
