/** The places that samples run in. Each gets the sample's text and its surroundings, and returns the result. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { startBrowser } from '../browsers/drivers/index.js';
import { until, within } from '../browsers/drivers/wait.js';
import { TestServer, WITHOUT_NATIVE } from '../browsers/server.js';
import { startService } from '../claims/support/service.js';
import { ROOT, run, Workshop } from '../consumers/project.js';

/**
 * @typedef {object} Surroundings what a sample stands in
 * @property {string} [in] the place
 * @property {string} [before] code in front of it
 * @property {string} [after] code behind it
 * @property {Record<string, string>} [files] others beside it
 * @property {Record<string, string>} [replace] what stands for something else here; <claims>, <folder> and <port> are real ones
 * @property {Record<string, string>} [headers] of the page
 * @property {boolean} [insecure] the page is on a host that is not trustworthy, and not by https
 * @property {string} [look] in pages, the expression that gives the result; else self.result
 * @property {unknown} [gives] what comes of it: what a program prints (where it is a pattern, matches), what a page's expression gives
 * @property {string} [because] of those that are not run here, why, and what runs them
 */

const FREE_PORT = 0;
/** A name that is this machine for the browser, and no more trustworthy than any other. */
const INSECURE_HOST = 'insecure.test';

export class Places {
  async open() {
    this.workshop = await new Workshop().install();
    this.folder = path.join(this.workshop.folder, 'samples');
    const modules = path.join(this.folder, 'node_modules');
    fs.cpSync(path.join(String(this.workshop.installed), 'node_modules'), modules, { recursive: true });
    for (const name of ['react', 'react-dom', 'scheduler']) fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
    fs.symlinkSync(path.join(ROOT, 'claims'), path.join(modules, 'lockkeeper-claims'));
    for (const name of ['lockkeeper.js', 'lockkeeper.nowasm.js', 'lockkeeper.mjs']) {
      fs.copyFileSync(path.join(modules, 'lockkeeper/dist', name), path.join(this.folder, name));
    }
    fs.writeFileSync(path.join(this.folder, 'without-native.js'), WITHOUT_NATIVE);
    fs.writeFileSync(path.join(this.folder, 'package.json'), '{"private": true}');
    this.service = await startService();
    this.server = await new TestServer({ library: null, folders: { samples: this.folder } }).start();
    this.browser = await startBrowser('chromium', { args: [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`] });
    this.count = 0;
    return this;
  }

  async close() {
    await this.browser?.stop();
    await this.server?.stop();
    await this.service?.stop();
    this.workshop?.remove();
  }

  /** @param {string} name @param {string} text */
  write(name, text) {
    const file = path.join(String(this.folder), name);
    fs.writeFileSync(file, text);
    return file;
  }

  /** @param {string} text @param {Surroundings} surroundings */
  surround(text, { before = '', after = '', files = {}, replace = {} }) {
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    let whole = text;
    for (const [what, by] of Object.entries(replace)) {
      assert.ok(whole.includes(what), `the sample has no ${what}`);
      whole = whole.replaceAll(what, this.real(by));
    }
    return `${before}\n${whole}\n${after}`;
  }

  /** @param {string} text */
  real(text) {
    const real = { '<claims>': this.service?.url, '<folder>': this.folder, '<port>': FREE_PORT };
    return Object.entries(real).reduce((whole, [what, by]) => whole.replace(what, String(by)), text);
  }

  /** @param {string} extension @param {string} text @param {Surroundings} surroundings */
  async program(extension, text, surroundings) {
    const file = this.write(`sample-${++this.count}${extension}`, this.surround(text, surroundings));
    const { stdout } = await run('/usr/bin/env', [`CLAIMS_URL=${this.service?.url}`, process.execPath, file], String(this.folder), 20000);
    return stdout;
  }

  /** @param {string} html @param {Surroundings} surroundings */
  async page(html, { headers, insecure, look = 'self.result', gives }) {
    const name = `sample-${++this.count}.html`;
    this.write(name, html.replace(/^(\s*<!doctype html>)?/i, '$1<script src="without-native.js"></script>'));
    // An origin for each: nothing is left of the one before.
    const address = new URL(`/samples/${name}`, await this.server?.newOrigin());
    if (insecure) address.hostname = INSECURE_HOST;
    if (headers) address.searchParams.set('headers', JSON.stringify(headers));
    const tab = await this.browser?.newTab(String(address));
    /** @type {unknown} */
    let seen;
    const same = () => {
      try {
        assert.deepEqual(seen, gives);
        return true;
      } catch {
        return false;
      }
    };
    // The final result. If it never matches, the caller's comparison fails.
    await until(async () => {
      seen = await tab?.evaluate(look);
      return same();
    }, 15000, '').catch(() => {});
    await tab?.close();
    return seen;
  }

  /** @param {string} text @param {Surroundings} surroundings @param {'js' | 'jsx'} loader */
  async bundle(text, surroundings, loader) {
    const { outputFiles: [{ text: code }] } = await build({
      stdin: { contents: this.surround(text, surroundings), resolveDir: this.folder, loader }, bundle: true, format: 'esm', write: false,
      jsx: 'automatic', define: { 'process.env.NODE_ENV': '"production"' }, logLevel: 'error', target: 'es2022',
    });
    const file = `bundle-${++this.count}.js`;
    this.write(file, code);
    return this.page(`<!doctype html><div id="root"></div><script type="module" src="${file}"></script>`, surroundings);
  }

  /** @param {string} text @param {Surroundings} surroundings @param {string} start the page's script; FILE stands for the worker's */
  worker(text, surroundings, start) {
    const file = `worker-${++this.count}.js`;
    this.write(file, WITHOUT_NATIVE + this.surround(text, surroundings));
    return this.page(`<!doctype html><script>${start.replace('FILE', file)}</script>`, surroundings);
  }

  /** Types only: what the compiler says. @param {string} text @param {Surroundings} surroundings */
  types(text, surroundings) {
    const file = this.write(`sample-${++this.count}.mts`, this.surround(text, surroundings));
    const program = ts.createProgram([file], {
      module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true, noEmit: true,
      target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], types: [],
    });
    return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  /**
   * Commands in an empty folder, where the packed tarball stands for the published package.
   * @param {string} text
   * @param {Surroundings} surroundings
   */
  async shell(text, surroundings) {
    const folder = path.join(String(this.folder), `shell-${++this.count}`);
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
    const npm = `npm() { command npm install '${this.workshop?.tarball}' --no-audit --no-fund --ignore-scripts --offline >/dev/null; }`;
    const { stdout } = await run('sh', ['-euc', `${npm}\n${this.surround(text, surroundings)}`], folder);
    return stdout;
  }

  /**
   * A command of this project that serves until it is ended: what its address answers.
   * @param {string} text
   * @param {Surroundings} surroundings
   */
  async served(text, surroundings) {
    const server = spawn('sh', ['-euc', this.surround(text, surroundings)],
      { cwd: ROOT, detached: true, env: { ...process.env, PORT: String(FREE_PORT) }, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    server.stdout.on('data', (part) => { output += part; });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    try {
      const [address] = await until(() => /http:\/\/[\w.]+:\d+/.exec(output), 15000, () => `an address in ${output}`);
      return (await fetch(address + (surroundings.look ?? '/'))).status;
    } finally {
      process.kill(-Number(server.pid));
      await within(ended, 5000, 'it ends');
    }
  }

  /** @param {import('./pages.js').Sample} sample @param {Surroundings} surroundings @returns {Promise<unknown>} */
  async run({ text }, surroundings) {
    /** @type {Record<string, () => unknown>} */
    const places = {
      node: () => this.program('.mjs', text, surroundings),
      require: () => this.program('.cjs', text, surroundings),
      page: () => this.page(this.surround(text, surroundings), surroundings),
      bundled: () => this.bundle(text, surroundings, 'js'),
      react: () => this.bundle(text, surroundings, 'jsx'),
      worker: () => this.worker(text, surroundings, 'new Worker("FILE").onmessage = ({ data }) => { self.result = data; };'),
      'module worker': () =>
        this.worker(text, surroundings, 'new Worker("FILE", { type: "module" }).onmessage = ({ data }) => { self.result = data; };'),
      'service worker': () => this.worker(text, surroundings, `navigator.serviceWorker.register("FILE").then(async () => {
        (await navigator.serviceWorker.ready).active.postMessage("lockkeeper.js");
      });`),
      types: () => this.types(text, surroundings),
      shell: () => this.shell(text, surroundings),
      served: () => this.served(text, surroundings),
    };
    const place = places[String(surroundings.in)];
    assert.ok(place, `there is no place "${surroundings.in}"`);
    return place();
  }
}
