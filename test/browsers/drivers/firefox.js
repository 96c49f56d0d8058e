/** Firefox over WebDriver BiDi. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, freePort, killProcess, Program } from './processes.js';
import { outcomeExpression, readOutcome } from './script.js';
import { ProtocolSocket } from './socket.js';
import { sleep, until } from './wait.js';

const QUIET = {
  'browser.shell.checkDefaultBrowser': false, 'browser.startup.page': 0, 'browser.startup.homepage_override.mstone': 'ignore',
  'browser.aboutwelcome.enabled': false, 'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.healthreport.uploadEnabled': false, 'toolkit.telemetry.enabled': false, 'app.update.disabledForTesting': true,
  'app.normandy.enabled': false, 'extensions.update.enabled': false, 'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false, 'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false, 'browser.safebrowsing.phishing.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1', 'browser.tabs.crashReporting.sendReport': false,
  'dom.disable_open_during_load': false, 'dom.security.https_first': false, 'dom.max_script_run_time': 0,
  'dom.ipc.processPriorityManager.enabled': false, 'network.cookie.cookieBehavior': 5,
  // A process for each tab, of one origin too.
  'dom.ipc.processCount.webIsolated': 100, 'dom.ipc.processCount': 100,
};
const UNTHROTTLED = {
  'dom.min_background_timeout_value': 4, 'dom.timeout.enable_budget_timer_throttling': false,
  'dom.min_background_timeout_value_without_budget_throttling': 4,
};

export class Firefox {
  name = 'firefox';
  canFreeze = false;
  canEmulate = false;
  canList = true;

  static program() { return findProgram(process.env.FIREFOX, 'firefox-esr', 'firefox'); }

  /**
   * @param {{hidden?: boolean, preferences?: Record<string, any>}} [options] [hidden]: pages are tabs of one window, and hidden ones
   *   get the browser's usual timers. Else each has a window of its own and is visible.
   */
  constructor({ hidden = false, preferences = {} } = {}) {
    this.hidden = hidden;
    this.preferences = { ...QUIET, ...(hidden ? {} : UNTHROTTLED), ...preferences };
    this.version = '';
  }

  async start() {
    const program = Firefox.program();
    if (!program) throw new Error('firefox is not installed');
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-firefox-'));
    fs.writeFileSync(path.join(this.profile, 'user.js'), Object.entries(this.preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
    // System access: only the browser's own scope knows the process of a tab.
    this.process = new Program(program, ['--headless', '--no-remote', '--new-instance', '--profile', this.profile,
      '--remote-debugging-port', String(await freePort()), '--remote-allow-system-access', 'about:blank'],
    { env: { MOZ_HEADLESS: '1', MOZ_CRASHREPORTER_DISABLE: '1', HOME: this.profile } });
    const [, url] = await this.process.printed(/WebDriver BiDi listening on (ws:\S+)/, 60000);
    this.socket = await ProtocolSocket.open(`${url.replace(/\/$/, '')}/session`);
    const session = await this.socket.send('session.new', { capabilities: { alwaysMatch: {
      acceptInsecureCerts: true, unhandledPromptBehavior: { default: 'dismiss' } } } }, 60000);
    this.version = `Firefox/${session.capabilities.browserVersion}`;
    this.base = (await until(async () => (await this.pages())[0], 10000, 'a first page')).context;
    return this;
  }

  connection() {
    if (!this.socket) throw new Error('firefox was not started');
    return this.socket;
  }

  /** @returns {Promise<{context: string, url: string}[]>} */
  async pages() {
    return (await this.connection().send('browsingContext.getTree', { maxDepth: 0 })).contexts;
  }

  /**
   * @param {'tab' | 'window'} type
   * @returns {Promise<string>}
   */
  async createTab(type) {
    const create = () => this.connection().send('browsingContext.create', { type });
    // It fails if another tab is closed at the same moment.
    const { context } = await create().catch(create);
    return context;
  }

  /**
   * A tab whose page has loaded.
   * @param {string} url
   */
  async newTab(url) {
    const context = await this.createTab(this.hidden ? 'tab' : 'window');
    const tab = new FirefoxTab(this, context);
    await tab.navigate(url);
    return tab;
  }

  /**
   * Opens a page and does not wait for it.
   * @param {string} url
   */
  async open(url) {
    const context = await this.createTab('tab');
    await this.connection().send('browsingContext.navigate', { context, url, wait: 'none' });
  }

  /**
   * Closes all pages but the first one, whatever opened them.
   * @param {(url: string) => boolean} [which]
   */
  async closeAll(which = () => true) {
    await until(async () => {
      const rest = (await this.pages()).filter(({ context, url }) => context !== this.base && which(url));
      for (const { context } of rest) {
        await this.connection().send('browsingContext.close', { context, promptUnload: false }).catch(() => {});
      }
      return rest.length === 0;
    }, 5000, 'tabs close', 50);
  }

  async isAlive() {
    return !this.process?.exited && (await this.pages()).length > 0;
  }

  /**
   * Runs an expression in the browser's own scope.
   * @param {string} code
   */
  async evaluateInBrowser(code) {
    const { contexts } = await this.connection().send('browsingContext.getTree', { 'moz:scope': 'chrome' });
    const answer = await this.connection().send('script.evaluate', {
      expression: code, awaitPromise: true, target: { context: contexts[0].context } });
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return answer.result.value;
  }

  /**
   * As the user does in the browser's settings.
   * @param {string} origin
   */
  async clearSiteData(origin) {
    await this.evaluateInBrowser(`new Promise((resolve) => Services.clearData.deleteDataFromPrincipal(
      Services.scriptSecurityManager.createContentPrincipalFromOrigin(${JSON.stringify(origin)}), true,
      Services.clearData.CLEAR_DOM_STORAGES, () => resolve(true)))`);
  }

  async stop() {
    // The answer to this may never come.
    this.socket?.send('browser.close', {}, 5000).catch(() => {});
    if (this.process) await Promise.race([this.process.exit, sleep(5000)]);
    this.socket?.close();
    await this.process?.stop();
    if (this.profile) fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export class FirefoxTab {
  /**
   * @param {Firefox} browser
   * @param {string} id
   */
  constructor(browser, id) {
    this.browser = browser;
    this.id = id;
    this.process = 0;
  }

  /**
   * @param {Function | string} code
   * @param {...any} args
   */
  async evaluate(code, ...args) {
    const answer = await this.browser.connection().send('script.evaluate', {
      expression: `${outcomeExpression(code, args)}.then(JSON.stringify)`,
      awaitPromise: true, userActivation: true, target: { context: this.id },
    }, 30000);
    if (answer.type === 'exception') throw new Error(`in the page: ${answer.exceptionDetails.text}`);
    return readOutcome(JSON.parse(answer.result.value));
  }

  /**
   * Resolves when the new page has loaded.
   * @param {string} url
   */
  async navigate(url) {
    this.process = 0;
    await this.browser.connection().send('browsingContext.navigate', { context: this.id, url, wait: 'complete' });
  }

  async pid() {
    this.process ||= await this.browser.evaluateInBrowser(`(() => {
      const remote = ChromeUtils.importESModule('chrome://remote/content/shared/TabManager.sys.mjs');
      const { NavigableManager } = ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs');
      return NavigableManager.getBrowsingContextById(${JSON.stringify(this.id)}).currentWindowGlobal.osPid;
    })()`);
    return this.process;
  }

  /** SIGKILL, as the system does when memory runs out. */
  async kill() { await killProcess(await this.pid()); }

  /** The page's process gets no processor time until resume(). */
  async stop() { process.kill(await this.pid(), 'SIGSTOP'); }

  async resume() { process.kill(await this.pid(), 'SIGCONT'); }

  async freeze() { throw new Error('Firefox cannot freeze a tab on command'); }

  async thaw() { throw new Error('Firefox cannot thaw a tab on command'); }

  async close() {
    await this.browser.connection().send('browsingContext.close', { context: this.id, promptUnload: false });
  }
}
