/**
 * WebKitGTK's MiniBrowser, on an X server of its own. Its WebDriver session would end with the first page that dies, so
 * here each page connects to the driver by itself: the server of the pages puts [pageScript] first into each.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { descendants, isDead, killProcess, Program, residentMemory } from './processes.js';
import { expression, outcomeExpression, readOutcome } from './script.js';
import { until, within } from './wait.js';
import { miniBrowserProgram, startScreen, webKitEnvironment } from './webkit-parts.js';

/** How much memory a page fills to show which process is its own, in bytes: far more than a page takes at once otherwise. */
const FILLED = 64 * 2 ** 20;

/**
 * In the page: takes expressions, gives their outcomes. The connection is closed while the page is hidden away, as an open one
 * would keep it out of the back/forward cache.
 * @param {number} port
 */
function connectToDriver(port) {
  const id = (/[#&]tab=(\d+)/.exec(location.hash) ?? [])[1];
  if (!id) return;
  addEventListener('pageshow', () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/?tab=${id}`);
    socket.onmessage = ({ data }) => {
      const { call, code } = JSON.parse(data);
      Promise.resolve((0, eval)(code)).then((outcome) => socket.send(JSON.stringify({ call, outcome })));
    };
    addEventListener('pagehide', () => socket.close(), { once: true });
  });
}

export class WebKit {
  name = 'webkit';
  canFreeze = false;
  canEmulate = false;
  canList = true;

  static program() { return miniBrowserProgram(); }

  constructor() {
    this.version = 'WebKitGTK';
    /** @type {Map<number, WebKitTab>} */
    this.tabs = new Map();
    this.lastTab = 0;
    /** @type {Promise<number>} the last search for a page's process */
    this.search = Promise.resolve(0);
    /** @type {Set<number>} all processes in which a page was found */
    this.found = new Set();
    this.pageScript = '';
  }

  async start() {
    const program = miniBrowserProgram();
    if (!program) throw new Error('MiniBrowser or Xvfb is not installed');
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-webkit-'));
    this.server = http.createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><title>driver</title><script>${this.pageScript}</script>`);
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    this.pageScript = `(${connectToDriver})(${port});`;
    this.sockets = new WebSocketServer({ server: this.server });
    this.sockets.on('connection', (/** @type {any} */ socket, /** @type {http.IncomingMessage} */ request) => {
      const id = Number(new URL(request.url ?? '', 'ws://localhost').searchParams.get('tab'));
      this.tabs.get(id)?.connected(socket);
    });
    const { screen, display } = await startScreen();
    this.screen = screen;
    this.base = this.expectTab();
    this.process = new Program(program, ['--javascript-can-open-windows-automatically=true', `http://127.0.0.1:${port}/#tab=${this.base.id}`],
      { env: webKitEnvironment(display, this.profile) });
    await this.base.loaded();
    this.version = `WebKitGTK/${await this.base.evaluate(() => (/Version\/([\d.]+)/.exec(navigator.userAgent) ?? [])[1])}`;
    return this;
  }

  expectTab() {
    const tab = new WebKitTab(this, ++this.lastTab);
    this.tabs.set(tab.id, tab);
    return tab;
  }

  /**
   * A tab whose page has loaded.
   * @param {string} url
   */
  async newTab(url) {
    const tab = this.expectTab();
    await this.base?.evaluate((/** @type {string} */ address) => { open(address, '_blank', 'noopener'); }, tab.address(url));
    await tab.loaded();
    return tab;
  }

  /**
   * WebKit keeps the process of a closed page for some time, with the databases that it was about to open. Other processes without a page
   * are spared: one may just be starting, and the browser would end with it.
   */
  async endClosedPages() {
    const open = await Promise.all([...this.tabs.values()].map((tab) => tab.pid()));
    for (const pid of this.pageProcesses()) if (this.found.has(pid) && !open.includes(pid)) await killProcess(pid);
  }

  pageProcesses() {
    return descendants(this.process?.pid ?? -1).filter(({ command }) => command.includes('WebKitWebProcess')).map(({ pid }) => pid);
  }

  async isAlive() {
    return !this.process?.exited && await this.base?.evaluate('true');
  }

  /**
   * The browser has no command for it; a page can do it to its own origin.
   * @param {string} origin must serve /clear-site-data with the header of that name
   */
  async clearSiteData(origin) {
    const tab = await this.newTab(`${origin}/clear-site-data`);
    await tab.close();
  }

  async stop() {
    await this.process?.stop();
    await this.screen?.stop(1000);
    for (const client of this.sockets?.clients ?? []) client.terminate();
    this.server?.close();
    this.server?.closeAllConnections();
    if (this.profile) fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export class WebKitTab {
  /**
   * @param {WebKit} browser
   * @param {number} id
   */
  constructor(browser, id) {
    this.browser = browser;
    this.id = id;
    this.process = 0;
    /** @type {any} */
    this.socket = null;
    this.calls = 0;
    /** @type {Map<number, {resolve: (outcome: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
  }

  /** @param {string} url */
  address(url) { return `${url}${url.includes('#') ? '&' : '#'}tab=${this.id}`; }

  /** @param {any} socket */
  connected(socket) {
    this.socket = socket;
    socket.on('message', (/** @type {Buffer} */ data) => {
      const { call, outcome } = JSON.parse(String(data));
      this.waiting.get(call)?.resolve(outcome);
    });
    socket.on('close', () => {
      if (this.socket !== socket) return;
      this.socket = null;
      for (const { reject } of this.waiting.values()) reject(new Error('the page is gone'));
    });
  }

  async loaded() {
    await until(() => this.socket, 20000, () => `a page connects\n${this.browser.process?.output ?? ''}`, 5);
    await this.evaluate(() => document.readyState === 'complete' ||
      new Promise((resolve) => { addEventListener('load', () => resolve(true)); }));
  }

  /**
   * @param {Function | string} code
   * @param {...any} args
   */
  async evaluate(code, ...args) {
    if (!this.socket) throw new Error('the page is gone');
    const call = ++this.calls;
    try {
      return readOutcome(await within(new Promise((resolve, reject) => {
        this.waiting.set(call, { resolve, reject });
        this.socket.send(JSON.stringify({ call, code: outcomeExpression(code, args) }));
      }), 30000, `the page answers ${expression(code, args)}`));
    } finally {
      this.waiting.delete(call);
    }
  }

  /**
   * Resolves when the new page has loaded.
   * @param {string} url
   */
  async navigate(url) {
    this.process = 0;
    const old = this.socket;
    await this.evaluate((/** @type {string} */ address) => { setTimeout(() => { location.href = address; }); }, this.address(url));
    await until(() => this.socket !== old, 10000, 'the page is left', 2);
    await this.loaded();
  }

  /** Nothing tells which process is a page's. So the page fills some memory, and the process that grows by as much is its own. */
  async pid() {
    if (this.process) return this.process;
    // One search at a time: another page would grow, too.
    const search = this.browser.search.then(() => until(() => this.grownProcess(), 10000, 'the process of the page is found'));
    this.browser.search = search.catch(() => 0);
    this.process = await search;
    this.browser.found.add(this.process);
    await this.evaluate(() => { delete /** @type {any} */ (globalThis).filledForDriver; });
    return this.process;
  }

  /** The one process that grows when this page does; 0 if that was not clear. */
  async grownProcess() {
    const others = new Set([...this.browser.tabs.values()].map((tab) => tab.process));
    const pids = this.browser.pageProcesses().filter((pid) => !others.has(pid));
    const before = new Map(pids.map((pid) => [pid, residentMemory(pid)]));
    await this.evaluate((/** @type {number} */ size) => {
      const realm = /** @type {any} */ (globalThis);
      realm.filledForDriver = [new Uint8Array(size).fill(1), realm.filledForDriver];
    }, FILLED);
    const grown = pids.filter((pid) => residentMemory(pid) - (before.get(pid) ?? 0) > 0.9 * FILLED);
    return grown.length === 1 ? grown[0] : 0;
  }

  /** SIGKILL, as the system does when memory runs out. */
  async kill() { await killProcess(await this.pid()); }

  /** The page's process gets no processor time until resume(). */
  async stop() { process.kill(await this.pid(), 'SIGSTOP'); }

  async resume() { process.kill(await this.pid(), 'SIGCONT'); }

  async freeze() { throw new Error('WebKitGTK cannot freeze a tab on command'); }

  async thaw() { throw new Error('WebKitGTK cannot thaw a tab on command'); }

  /** The window of a page whose process was killed stays, empty. */
  async close() {
    this.browser.tabs.delete(this.id);
    if (!this.socket || (this.process && isDead(this.process))) return;
    const { socket } = this;
    await this.evaluate(() => { setTimeout(() => close()); });
    await until(() => this.socket !== socket, 10000, 'the window closes', 2);
  }
}
