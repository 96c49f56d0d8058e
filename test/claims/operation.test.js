/** The service as an operator runs it: npm, https, etcd with passwords and certificates, backup, a new incarnation. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Unavailable } from '../../claims/source/log.js';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { createMemoryLog } from '../../claims/source/log-memory.js';
import { hasEtcd } from './support/etcd-cluster.js';
import { startSingle } from './support/etcd-single.js';
import { COMMAND, failToStart, startProcess } from './support/process.js';
import { createClient, startService, until } from './support/service.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('claims: operation', function () {
  this.timeout(60_000);
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('npm run claims ends when npm is told to, and gives port and folder back', async () => {
    const child = spawn('npm', ['run', '--silent', 'claims', '--', '--port', '0', '--data', join(folder, 'data')], {
      cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { url, pid } = await new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => line.includes('"msg":"ready"') && resolve(JSON.parse(line)));
    });
    child.kill('SIGTERM');
    await once(child, 'exit');
    await until(() => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    }, 'the end of the service');
    await assert.rejects(fetch(url));
    const again = await startProcess(['--data', join(folder, 'data')]);
    assert.equal((await again.stop()).code, 0);
  });

  /** A certificate authority, and a certificate that it has made for this machine. */
  function makeCertificates() {
    const file = (name) => join(folder, name);
    const openssl = (...words) => execFileSync('openssl', words, { stdio: 'ignore' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=ca', '-days', '2');
    openssl('req', '-x509', ...key, '-keyout', file('key.pem'), '-out', file('cert.pem'), '-subj', '/CN=localhost', '-days', '2',
      '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost',
      '-addext', 'extendedKeyUsage=serverAuth,clientAuth');
    return file;
  }

  it('serves https', async () => {
    const file = makeCertificates();
    const service = await startProcess(['--memory', '--tls-cert', file('cert.pem'), '--tls-key', file('key.pem')]);
    assert.match(service.url, /^https:/);
    const ca = await readFile(file('ca.pem'));
    const status = await new Promise((resolve, reject) => {
      https.get(`${service.url}/healthz`, { ca }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    assert.equal(status, 200);
    await service.stop();
  });

  it('etcd with certificates both ways', async function () {
    if (!hasEtcd) this.skip();
    const file = makeCertificates();
    const secure = [
      '--cert-file', file('cert.pem'), '--key-file', file('key.pem'), '--client-cert-auth', '--trusted-ca-file', file('ca.pem'),
    ];
    const etcd = await startSingle(secure, { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') });
    try {
      const options = ['--etcd', etcd.url, '--etcd-ca', file('ca.pem')];
      const service = await startProcess([...options, '--etcd-cert', file('cert.pem'), '--etcd-key', file('key.pem')]);
      await createClient(service.url).claim('a');
      assert.equal((await service.stop()).code, 0);
      const without = createEtcdLog({ members: [etcd.url], security: { ca: await readFile(file('ca.pem')) }, patience: 500 });
      await assert.rejects(startService({ log: without }), Unavailable);
    } finally {
      await etcd.stop();
    }
  });

  it('etcd with a password, also when its token has become void', async function () {
    if (!hasEtcd) this.skip();
    const etcd = await startSingle(['--auth-token-ttl', '1']);
    try {
      etcd.control('user', 'add', 'root:secret');
      etcd.control('user', 'grant-role', 'root', 'root');
      etcd.control('auth', 'enable');
      const password = join(folder, 'password');
      await writeFile(password, 'secret\n');
      const options = ['--etcd', etcd.url, '--etcd-user', 'root', '--etcd-password-file', password];
      const service = await startProcess(options);
      const client = createClient(service.url);
      const path = await client.claim('a');
      await delay(2500);
      assert.equal(await client.status(path), 'active');
      assert.equal((await service.stop()).code, 0);
      await writeFile(password, 'wrong');
      const { code, errors } = await failToStart(options);
      assert.equal(code, 1);
      assert.match(errors, /etcd does not let root in/);
      assert.match((await failToStart(['--etcd', etcd.url])).errors, /etcd refuses: .*user name/);
    } finally {
      await etcd.stop();
    }
  });

  it('SIGUSR2 without --backup, or before the service is ready, only says why there is no backup', async () => {
    const says = (child, lines, message) =>
      until(() => child.signalCode ?? lines.some((line) => line.includes(`"msg":"${message}"`)), message);
    const without = await startProcess(['--memory']);
    without.child.kill('SIGUSR2');
    await says(without.child, without.lines, 'no backup: --backup is missing');
    assert.equal((await without.stop()).code, 0);

    // The start waits for a reader of the data folder: a pipe in it.
    const data = join(folder, 'data');
    const pipe = join(data, '000001.log');
    await mkdir(data);
    execFileSync('mkfifo', [pipe]);
    const words = [COMMAND, '--port', '0', '--data', data, '--backup', folder];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const exited = once(child, 'exit');
    const writer = await open(pipe, 'w');
    child.kill('SIGUSR2');
    await says(child, lines, 'no backup: the service is not ready yet');
    await rm(pipe);
    await writer.close();
    await says(child, lines, 'ready');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });

  it('a backup while it runs; restored, it goes on with ids and fences that no client has seen', async () => {
    const [data, copies] = [join(folder, 'data'), join(folder, 'copies')];
    await mkdir(copies);
    const first = await startProcess(['--data', data, '--backup', copies]);
    const before = createClient(first.url);
    const held = await before.claim('a', 1000);
    first.child.kill('SIGUSR2');
    const [copy] = await until(async () => {
      const found = (await readdir(copies)).filter((name) => !name.endsWith('.unfinished'));
      return found.length > 0 && found;
    }, 'the backup');
    // After the copy: this claim will be forgotten, and its owner will not know.
    const lost = await before.claim('b', 1000);
    const { body: { fence } } = await before.get(lost);
    await first.stop();

    const restored = join(copies, copy);
    const command = [join(ROOT, 'claims/source/cli.js'), '--data', restored, '--new-incarnation'];
    const words = execFileSync(process.execPath, command, { encoding: 'utf8' });
    assert.match(words, /The next claim is 109951\d+;/);
    const second = await startProcess(['--data', restored]);
    const after = createClient(second.url);
    assert.equal(await after.status(held), 'active');
    const next = await after.claim('b', 1000);
    assert.notEqual(next, lost);
    assert.ok((await after.get(next)).body.fence > fence + 1e9);
    assert.equal((await after.patch(lost, { status: 'released' })).status, 404);
    assert.equal(await after.status(next), 'active');
    assert.equal((await after.get('/v1/claims/')).body.length, 2);
    await second.stop('SIGKILL');
    const third = await startProcess(['--data', restored]);
    assert.equal(await createClient(third.url).status(next), 'active');
    await third.stop();
  });

  it('a new incarnation over etcd', async function () {
    if (!hasEtcd) this.skip();
    const etcd = await startSingle();
    try {
      const first = await startProcess(['--etcd', etcd.url]);
      const lost = await createClient(first.url).claim('a');
      const copy = etcd.save();
      const later = await createClient(first.url).claim('b');
      await first.stop();
      await etcd.restore(copy);
      execFileSync(process.execPath, [join(ROOT, 'claims/source/cli.js'), '--etcd', etcd.url, '--new-incarnation']);
      const second = await startProcess(['--etcd', etcd.url]);
      const client = createClient(second.url);
      assert.equal(await client.status(lost), 'active');
      assert.equal((await client.patch(later, { status: 'released' })).status, 404);
      assert.match(await client.claim('b'), /\/109951\d+\//);
      await second.stop();
    } finally {
      await etcd.stop();
    }
  });

  it('the data are not what a server has read: it ends with a status of its own, after which nothing starts it again', async function () {
    if (!hasEtcd) this.skip();
    const etcd = await startSingle();
    try {
      const service = await startProcess(['--etcd', etcd.url, '--etcd-prefix', '/mine/']);
      const exited = once(service.child, 'exit');
      await createClient(service.url).claim('a');
      await etcd.remove('/mine/', '/mine0');
      assert.deepEqual(await exited, [3, null]);
      assert.match(service.lines.at(-1), /is not what this server has read/);
      // A platform may start it again whatever its status is.
      const options = ['--etcd', etcd.url, '--etcd-prefix', '/mine/'];
      const { code, errors } = await failToStart(options);
      assert.equal(code, 3);
      assert.match(errors, /^lockkeeper-claims: A server has found .* --new-incarnation .*\n$/);
      const command = [join(ROOT, 'claims/source/cli.js'), ...options, '--new-incarnation'];
      assert.match(execFileSync(process.execPath, command, { encoding: 'utf8' }), /The next claim is 109951\d+;/);
      const again = await startProcess(options);
      assert.match(await createClient(again.url).claim('a'), /\/109951\d+\//);
      assert.equal((await again.stop()).code, 0);
      const unit = await readFile(join(ROOT, 'claims/deploy/lockkeeper-claims.service'), 'utf8');
      assert.match(unit, /^RestartPreventExitStatus=2 3$/m);
    } finally {
      await etcd.stop();
    }
  });

  it('/healthz says no while checkpoints fail', async () => {
    let broken = true;
    const keep = async () => {
      if (broken) throw new Unavailable('no room');
    };
    const { client, service, stop } = await startService({
      log: { ...createMemoryLog(), kept: () => 0, keep }, service: { checkpointEvery: 1 },
    });
    service.orderer.checkpointing.pause = 100;
    await client.claim('a');
    const { status, body } = await client.get('/healthz');
    assert.equal(status, 503);
    assert.match(body.error, /checkpoints cannot be written: no room/);
    broken = false;
    await until(async () => {
      await client.claim('a');
      return (await client.get('/healthz')).status === 200;
    }, 'the next checkpoint');
    await stop();
  });
});
