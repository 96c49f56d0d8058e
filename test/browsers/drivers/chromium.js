/** Chromium, today's and version 67, over the DevTools protocol. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium67 } from './chromium67.js';
import { descendants, findProgram, killProcess, Program } from './processes.js';
import { outcomeExpression, readOutcome } from './script.js';
import { ProtocolSocket } from './socket.js';
import { sleep, until } from './wait.js';

const UNTHROTTLED = ['--disable-background-timer-throttling', '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows'];

export class Chromium {
  name = 'chromium';
  canFreeze = true;
  canEmulate = true;
  /** Whether a page can list its databases. */
  canList = true;

  static program() { return findProgram(process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'); }

  /**
   * @param {{hidden?: boolean, args?: string[]}} [options] [hidden]: tabs in the background are hidden, and get the browser's usual
   *   timers. Else all are visible.
   */
  constructor({ hidden = false, args = [] } = {}) {
    this.hidden = hidden;
    this.args = [...(hidden ? [] : UNTHROTTLED), ...args];
    this.flags = ['--headless=new'];
    this.crashed = false;
    /** @type {Set<string>} targets whose process a test has killed */
    this.killed = new Set();
    this.version = '';
  }

  async program() {
    return Chromium.program();
  }

  async start() {
    const program = await this.program();
    if (!program) throw new Error(`${this.name} is not installed`);
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), `lockkeeper-${this.name}-`));
    this.process = new Program(program, [
      ...this.flags, '--no-sandbox', '--disable-gpu', '--no-first-run', '--no-default-browser-check', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-popup-blocking', '--disable-dev-shm-usage',
      '--remote-debugging-port=0', `--user-data-dir=${this.profile}`, ...this.args, 'about:blank',
    ]);
    const [, url] = await this.process.printed(/DevTools listening on (ws:\S+)/, 40000);
    this.endpoint = new URL(url).host;
    this.socket = await ProtocolSocket.open(url);
    this.version = (await this.socket.send('Browser.getVersion')).product;
    this.socket.listeners.add(({ method, params }) => {
      if (method === 'Target.targetCrashed' && !this.killed.has(params.targetId)) this.crashed = true;
    });
    await this.socket.send('Target.setDiscoverTargets', { discover: true });
    this.base = (await until(async () => (await this.pages())[0], 10000, 'a first page')).targetId;
    return this;
  }

  connection() {
    if (!this.socket) throw new Error(`${this.name} was not started`);
    return this.socket;
  }

  /** @returns {Promise<{targetId: string, type: string, url: string}[]>} */
  async pages() {
    const { targetInfos } = await this.connection().send('Target.getTargets');
    return targetInfos.filter((/** @type {any} */ target) => target.type === 'page');
  }

  /**
   * A tab whose page has loaded.
   * @param {string} url
   */
  async newTab(url) {
    const { targetId } = await this.connection().send('Target.createTarget', { url: 'about:blank' });
    const tab = new ChromiumTab(this, targetId, await ProtocolSocket.open(`ws://${this.endpoint}/devtools/page/${targetId}`));
    await tab.socket.send('Page.enable');
    if (!this.hidden) await tab.show(true);
    await tab.navigate(url);
    return tab;
  }

  /**
   * Opens a page and does not wait for anything.
   * @param {string} url
   */
  async open(url) { await this.connection().send('Target.createTarget', { url }); }

  /**
   * Closes all pages but the first one, whatever opened them.
   * @param {(url: string) => boolean} [which]
   */
  async closeAll(which = () => true) {
    await until(async () => {
      const rest = (await this.pages()).filter(({ targetId, url }) => targetId !== this.base && which(url));
      for (const { targetId } of rest) await this.connection().send('Target.closeTarget', { targetId }).catch(() => {});
      return rest.length === 0;
    }, 5000, 'tabs close', 50);
  }

  async isAlive() {
    return !this.crashed && !this.process?.exited && (await this.pages()).length > 0;
  }

  /**
   * As the user does in the browser's settings.
   * @param {string} origin
   */
  async clearSiteData(origin) {
    const socket = await ProtocolSocket.open(`ws://${this.endpoint}/devtools/page/${this.base}`);
    try {
      await socket.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    } finally {
      socket.close();
    }
  }

  async stop() {
    await this.socket?.send('Browser.close', {}, 3000).catch(() => {});
    if (this.process) await Promise.race([this.process.exit, sleep(3000)]);
    this.socket?.close();
    await this.process?.stop();
    if (this.profile) fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export class ChromiumTab {
  /**
   * @param {Chromium} browser
   * @param {string} id
   * @param {ProtocolSocket} socket
   */
  constructor(browser, id, socket) {
    this.browser = browser;
    this.id = id;
    this.socket = socket;
    this.process = 0;
  }

  /**
   * @param {Function | string} code
   * @param {...any} args
   */
  async evaluate(code, ...args) {
    const { result, exceptionDetails } = await this.socket.send('Runtime.evaluate', {
      expression: outcomeExpression(code, args), awaitPromise: true, returnByValue: true, userGesture: true,
    }, 30000);
    if (exceptionDetails) throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return readOutcome(result.value);
  }

  /**
   * Resolves when the new page has loaded.
   * @param {string} url
   */
  async navigate(url) {
    this.process = 0;
    const loaded = this.socket.event(({ method }) => method === 'Page.loadEventFired', 20000, `${url} loads`);
    loaded.catch(() => {});
    const { errorText } = await this.socket.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  /** The process that runs the page: the page's own request ids begin with it. */
  async pid() {
    if (this.process) return this.process;
    await this.socket.send('Network.enable');
    const request = this.socket.event(({ method, params }) =>
      method === 'Network.requestWillBeSent' && /^data:,pid/.test(params.request.url), 10000, 'a request of the page');
    request.catch(() => {});
    await this.socket.send('Runtime.evaluate', {
      expression: '(() => { const r = new XMLHttpRequest(); r.open("GET", "data:,pid"); r.send(); })()',
    });
    const { params } = await request;
    await this.socket.send('Network.disable');
    const pid = Number(params.requestId.split('.')[0]);
    const renderers = descendants(this.browser.process?.pid ?? -1).filter(({ command }) => command.includes('--type=renderer'));
    if (!renderers.some((renderer) => renderer.pid === pid)) throw new Error(`no renderer has the id ${params.requestId}`);
    this.process = pid;
    return pid;
  }

  /**
   * As DevTools' device emulation does, from the next page on.
   * @param {string} userAgent
   */
  async emulate(userAgent) {
    await this.socket.send('Network.enable');
    await this.socket.send('Network.setUserAgentOverride', { userAgent });
  }

  /** SIGKILL, as the system does when memory runs out. */
  async kill() {
    const pid = await this.pid();
    this.browser.killed.add(this.id);
    await killProcess(pid);
  }

  /** The page's process gets no processor time until resume(). */
  async stop() { process.kill(await this.pid(), 'SIGSTOP'); }

  async resume() { process.kill(await this.pid(), 'SIGCONT'); }

  /** The page stands in a debugger until goOn(). */
  async pause() {
    await this.socket.send('Debugger.enable');
    const paused = this.standing();
    await this.socket.send('Runtime.evaluate', { expression: 'void setTimeout(() => { debugger; })' });
    await paused;
  }

  /**
   * The page stands at the beginning of a listener for messages, until goOn().
   * @param {number} skipped so many calls of such listeners come before that
   * @param {() => Promise<unknown>} act posts a message
   */
  async pauseInListener(skipped, act) {
    const point = { eventName: 'message', targetName: '*' };
    await this.socket.send('Debugger.enable');
    await this.socket.send('DOMDebugger.setEventListenerBreakpoint', point);
    let paused = this.standing();
    await act();
    for (let left = skipped; left > 0; left--) {
      await paused;
      paused = this.standing();
      await this.socket.send('Debugger.resume');
    }
    await paused;
    await this.socket.send('DOMDebugger.removeEventListenerBreakpoint', point);
  }

  /** When the page has stopped in the debugger. */
  standing() {
    const paused = this.socket.event(({ method }) => method === 'Debugger.paused', 10000, 'the page stands in the debugger');
    paused.catch(() => {});
    return paused;
  }

  async goOn() {
    await this.socket.send('Debugger.resume');
    await this.socket.send('Debugger.disable');
  }

  /** Only a hidden tab can be frozen. */
  async freeze() {
    await this.show(false);
    await this.socket.send('Page.setWebLifecycleState', { state: 'frozen' });
  }

  async thaw() {
    await this.socket.send('Page.setWebLifecycleState', { state: 'active' });
    if (!this.browser.hidden) await this.show(true);
  }

  /**
   * Makes the page visible as if it were in front, wherever it is; Chromium 67 shows all of them anyway.
   * @param {boolean} shown
   */
  async show(shown) {
    if (this.browser.canFreeze) await this.socket.send('Emulation.setFocusEmulationEnabled', { enabled: shown });
  }

  async close() {
    await this.browser.connection().send('Target.closeTarget', { targetId: this.id });
    this.socket.close();
  }
}

export class Chromium67 extends Chromium {
  name = 'chromium67';
  canFreeze = false;
  canList = false;

  /** @param {{hidden?: boolean, args?: string[]}} [options] */
  constructor(options) {
    super(options);
    // Without a zygote, as its own sandbox helper is not there.
    this.flags = ['--headless', '--no-zygote'];
  }

  async program() {
    return chromium67();
  }
}
