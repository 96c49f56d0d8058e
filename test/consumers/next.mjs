/**
 * The packed tarball in a Next.js application: `node test/consumers/next.mjs` installs Next.js in a folder of its own, builds the
 * application in test/consumers/next, starts it, and checks that the server has rendered the page and that the page in Chromium has
 * had its lock. No part of `npm test`, since installing (a third of a gigabyte) and building take about a minute; docs/releasing.md
 * has it on the list for a release.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { startBrowser } from '../browsers/drivers/index.js';
import { until } from '../browsers/drivers/wait.js';
import { run, Workshop } from './project.js';

process.env.NEXT_TELEMETRY_DISABLED = '1';

/** @returns {Promise<number>} */
const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    server.close(() => resolve(port));
  });
});

const workshop = await new Workshop().install();
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
let browser;
try {
  const folder = workshop.project('next');
  await run('npm', ['install', 'next', 'react', 'react-dom', workshop.tarball, '--no-audit', '--no-fund'], folder, 300000);
  const program = path.join(folder, 'node_modules/next/dist/bin/next');
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'node_modules/next/package.json'), 'utf8'));
  await run(process.execPath, [program, 'build'], folder, 300000);
  console.log(`Next.js ${version}: built`);

  const address = `http://127.0.0.1:${await freePort()}/`;
  server = spawn(process.execPath, [program, 'start', '-H', '127.0.0.1', '-p', new URL(address).port], { cwd: folder, stdio: 'ignore' });
  const html = await until(() => fetch(address).then((response) => response.text(), () => ''), 20000, 'the server answers');
  if (!html.includes('<p>waiting</p>')) throw new Error(`The server has not rendered the component: ${html}`);
  console.log('The server renders: waiting');

  browser = await startBrowser('chromium');
  const tab = await browser.newTab(address);
  await until(() => tab.evaluate(() => /** @type {any} */ (self).result === 'turn'), 10000, 'the page has its lock');
  console.log(`The page shows: ${await tab.evaluate(() => document.querySelector('p')?.textContent)}`);
} finally {
  await browser?.stop();
  server?.kill();
  workshop.remove();
}
