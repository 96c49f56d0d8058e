/**
 * WebKitGTK over WebDriver, for suites whose pages report by themselves. A session ends with the first page that dies, so
 * tests that kill use webkit.js.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, Program } from './processes.js';
import { until } from './wait.js';
import { miniBrowserProgram, startScreen, webDriverProgram, webKitEnvironment } from './webkit-parts.js';

export class WebKitAutomation {
  name = 'webkit';

  static program() { return webDriverProgram(); }

  constructor() {
    this.version = '';
    this.url = '';
    this.session = '';
    this.base = '';
  }

  async start() {
    const program = webDriverProgram();
    if (!program) throw new Error('WebKitWebDriver or Xvfb is not installed');
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-webkit-'));
    const { screen, display } = await startScreen();
    this.screen = screen;
    const port = await freePort();
    this.process = new Program(program, [`--port=${port}`], { env: webKitEnvironment(display, this.profile) });
    this.url = `http://127.0.0.1:${port}`;
    await until(() => {
      if (this.process?.exited) throw new Error(`WebKitWebDriver ended: ${this.process.output}`);
      return fetch(`${this.url}/status`).then(() => true, () => false);
    }, 15000, 'WebKitWebDriver answers', 100);
    // It has to be named to be given arguments.
    const binary = miniBrowserProgram();
    const options = binary ? { 'webkitgtk:browserOptions': { binary,
      args: ['--automation', '--javascript-can-open-windows-automatically=true'] } } : {};
    const session = await this.command('POST', '/session', { capabilities: { alwaysMatch: {
      pageLoadStrategy: 'none', unhandledPromptBehavior: 'dismiss', ...options } } }, 60000);
    this.session = `/session/${session.sessionId}`;
    this.version = `WebKitGTK/${session.capabilities.browserVersion}`;
    this.base = await this.command('GET', `${this.session}/window`);
    return this;
  }

  /**
   * @param {string} method
   * @param {string} resource
   * @param {object} [body]
   * @param {number} [milliseconds]
   * @returns {Promise<any>}
   */
  async command(method, resource, body, milliseconds = 20000) {
    const response = await fetch(this.url + resource, { method, signal: AbortSignal.timeout(milliseconds),
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined });
    const { value } = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${resource}: ${value?.error}: ${value?.message}`);
    return value;
  }

  /** @returns {Promise<string[]>} */
  async windows() { return this.command('GET', `${this.session}/window/handles`); }

  /**
   * Opens a page and does not wait for it. A script of the first page does it: a window made by the driver gets none of the
   * settings of the command line, and could not open windows itself.
   * @param {string} url
   */
  async open(url) {
    await this.command('POST', `${this.session}/execute/sync`,
      { script: 'window.open(arguments[0], "_blank", "noopener")', args: [url] });
  }

  /** Closes all pages but the first one, whatever opened them. */
  async closeAll() {
    await until(async () => {
      const rest = (await this.windows()).filter((handle) => handle !== this.base);
      for (const handle of rest) {
        await this.command('POST', `${this.session}/window`, { handle }).catch(() => {});
        await this.command('DELETE', `${this.session}/window`).catch(() => {});
      }
      return rest.length === 0;
    }, 10000, 'windows close', 20);
    await this.command('POST', `${this.session}/window`, { handle: this.base });
  }

  async isAlive() {
    return !this.process?.exited && (await this.windows()).length > 0;
  }

  async stop() {
    if (this.session) await this.command('DELETE', this.session, undefined, 5000).catch(() => {});
    await this.process?.stop();
    await this.screen?.stop(1000);
    if (this.profile) fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
