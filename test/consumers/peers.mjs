/**
 * Lockkeeper beside other packages, for docs/comparison.md: `node test/consumers/peers.mjs` installs them in a folder of its own and prints
 * for each its size as a bundle and, between two tabs of a Chromium without its native locks, what happens
 * - when the tab that holds is killed: how soon the next one has the lock;
 * - when the tab that holds is busy for twenty seconds in one task: whether another one gets the lock meanwhile.
 * Names of packages as parameters run these alone. No part of `npm test`: it takes four minutes.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { gzippedSize } from '../../build/files.mjs';
import { startBrowser } from '../browsers/drivers/index.js';
import { sleep, until } from '../browsers/drivers/wait.js';
import { TestServer, WITHOUT_NATIVE } from '../browsers/server.js';
import { ROOT, run, Workshop } from './project.js';

const ROUNDS = 5;
const BUSY = 20000;

/** Each package's way to take a lock for good, as a page's module; absent where it works in one context only, or needs native locks. */
const PEERS = {
  native: 'self.take = (done) => navigator.locks.request("x", () => (done(), new Promise(() => {})));',
  lockkeeper: 'import { locks } from "lockkeeper"; self.take = (done) => locks.request("x", () => (done(), new Promise(() => {})));',
  'navigator.locks': 'import "navigator.locks"; self.take = (done) => navigator.locks.request("x", () => (done(), new Promise(() => {})));',
  'web-locks-polyfill': `import "web-locks-polyfill";
    self.take = (done) => navigator.locks.request("x", () => (done(), new Promise(() => {})));`,
  'browser-tabs-lock': `import Lock from "browser-tabs-lock";
    self.take = async (done) => { const lock = new (Lock.default || Lock)(); while (!await lock.acquireLock("x")); done(); };`,
  'broadcast-channel': `import { BroadcastChannel, createLeaderElection } from "broadcast-channel";
    self.take = (done) => createLeaderElection(new BroadcastChannel("x")).awaitLeadership().then(done);`,
  'tab-election': '',
  'async-mutex': '',
  superlock: '',
};

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** @param {string} text */
const kilobytes = (text) => (gzippedSize(text) / 1024).toFixed(1);

const workshop = await new Workshop().install();
const server = new TestServer({ library: null, folders: { peers: workshop.folder } });
let browser;
try {
  const folder = path.join(workshop.folder, 'peers');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
  const names = Object.keys(PEERS).filter((name) => !['lockkeeper', 'native'].includes(name));
  await run('npm', ['install', workshop.tarball, ...names, '--no-audit', '--no-fund', '--ignore-scripts'], folder, 120000);
  await server.start();
  browser = await startBrowser('chromium');

  /** @param {string} name a page that has this package, on an origin of its own @param {string} code */
  const bundle = async (name, code) => {
    const { outputFiles: [{ text }] } = await build({
      stdin: { contents: code, resolveDir: folder }, bundle: true, minify: true, format: 'iife', write: false, logLevel: 'error',
    });
    return text;
  };
  const chosen = process.argv.slice(2);
  for (const [name, take] of Object.entries(PEERS).filter(([each]) => !chosen.length || chosen.includes(each))) {
    const manifest = path.join(folder, 'node_modules', name, 'package.json');
    const whole = name === 'native' ? '' : name === 'lockkeeper' ? fs.readFileSync(path.join(ROOT, 'dist/lockkeeper.js'), 'utf8')
      : await bundle(name, `import * as all from '${name}'; self.all = all;`);
    let line = whole ? `${name} ${JSON.parse(fs.readFileSync(manifest, 'utf8')).version}: ${kilobytes(whole)} KB gzipped` : name;
    if (take) {
      const first = name === 'native' ? '' : WITHOUT_NATIVE;
      fs.writeFileSync(path.join(workshop.folder, `${name}.html`), `<!doctype html><title>${name}</title><script>${first}
        self.start = () => take(() => { self.granted = Date.now(); });</script><script src="${name}.js"></script>`);
      fs.writeFileSync(path.join(workshop.folder, `${name}.js`), await bundle(name, take));
      /** A tab that holds and one that waits. */
      const pair = async () => {
        const address = `${await server.newOrigin()}/peers/${name}.html`;
        const tabs = [await browser.newTab(address), await browser.newTab(address)];
        await tabs[0].evaluate('void self.start()');
        await until(() => tabs[0].evaluate('self.granted'), 20000, `${name}: the first has it`);
        await tabs[1].evaluate('void self.start()');
        await sleep(500);
        return tabs;
      };
      const times = [];
      for (let round = 0; round < ROUNDS; round++) {
        const [holder, waiter] = await pair();
        const began = Date.now();
        await holder.kill();
        times.push(await until(() => waiter.evaluate('self.granted'), 30000, `${name}: the next has it`) - began);
        await waiter.close();
      }
      const [holder, waiter] = await pair();
      await holder.evaluate(`void setTimeout(() => {
        for (const end = Date.now() + ${BUSY}; Date.now() < end;);
        self.ended = Date.now();
      })`);
      await sleep(BUSY + 500);
      const ended = await until(() => holder.evaluate('self.ended'), 5000, 'the work ends');
      const granted = await waiter.evaluate('self.granted');
      line += `; killed: ${median(times)} ms (median of ${times.length}, ${Math.min(...times)} to ${Math.max(...times)}); busy: `
        + (granted && granted < ended ? `a second holder after ${BUSY - (ended - granted)} ms` : 'kept');
      for (const tab of [holder, waiter]) await tab.close();
    }
    console.log(line);
  }
} finally {
  await browser?.stop();
  await server.stop();
  workshop.remove();
}
