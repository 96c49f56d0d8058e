/** The command's options: the command line, the environment, the file, and the messages about wrong ones. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UsageError, readOptions } from '../../claims/source/options.js';
import { failToStart, startProcess } from './support/process.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('claims: options', function () {
  this.timeout(60_000);
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('options: the command line before the environment before the file', async () => {
    const file = join(folder, 'config.json');
    await writeFile(file, JSON.stringify({
      port: 1, 'etcd-prefix': '/file/', 'allow-origin': ['https://a', 'https://b'], 'trust-proxy': true, memory: false,
      etcd: ['http://one', 'http://two'],
    }));
    const environment = {
      LOCKKEEPER_CLAIMS_PORT: '2', LOCKKEEPER_CLAIMS_ETCD_PREFIX: '/environment/', LOCKKEEPER_CLAIMS_CONFIG: file, PATH: '/',
    };
    const options = readOptions(['--port', '3'], environment);
    assert.equal(options.port, 3);
    assert.equal(options.etcdPrefix, '/environment/');
    assert.deepEqual(options.allowOrigins, ['https://a', 'https://b']);
    assert.equal(options.trustProxy, true);
    assert.deepEqual(options.etcd, ['http://one', 'http://two']);
    assert.equal(readOptions(['--config', file], {}).port, 1);
    for (const [words, variables, says] of [
      [['--memory'], { LOCKKEEPER_CLAIMS_PROT: '1' }, /LOCKKEEPER_CLAIMS_PROT has an option that there is not: prot/],
      [['--memory', '--config', join(folder, 'none')], {}, /--config cannot be read/],
      [['--memory', '--tls-cert', file], {}, /--tls-cert and --tls-key belong together/],
      [['--memory', '--auth-jwks', 'https://x/jwks'], {}, /--auth-audience is missing/],
      [['--memory', '--auth-issuer', 'x', '--auth-audience', 'y'], {}, /need the issuer's keys/],
      [['--memory', '--backup', folder], {}, /--backup goes with --data/],
      [['--memory', '--tls-cert', file, '--tls-key', file], {}, /--tls-cert and --tls-key are no certificate and its key that can be /],
      [['--etcd', 'https://x', '--etcd-cert', file, '--etcd-key', file], {}, /--etcd-cert and --etcd-key are no certificate and its key/],
      [['--etcd', 'https://x', '--etcd-ca', file], {}, /--etcd-ca is no certificate that can be used: /],
    ]) assert.throws(() => readOptions(words, variables), (error) => error instanceof UsageError && says.test(error.message));
    // Kubernetes sets this for a service that is called lockkeeper-claims.
    const links = {
      LOCKKEEPER_CLAIMS_SERVICE_HOST: '10.0.0.1', LOCKKEEPER_CLAIMS_SERVICE_PORT: '80', LOCKKEEPER_CLAIMS_SERVICE_PORT_HTTP: '80',
      LOCKKEEPER_CLAIMS_PORT: 'tcp://10.0.0.1:80', LOCKKEEPER_CLAIMS_PORT_80_TCP: 'tcp://10.0.0.1:80',
      LOCKKEEPER_CLAIMS_PORT_80_TCP_PROTO: 'tcp', LOCKKEEPER_CLAIMS_PORT_80_TCP_PORT: '80', LOCKKEEPER_CLAIMS_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    assert.deepEqual(readOptions(['--memory'], links), readOptions(['--memory']));
    assert.ok(readOptions(['--memory', '--auth-jwks', 'https://x/jwks', '--auth-any-audience']).token);
    await writeFile(file, '{');
    assert.throws(() => readOptions(['--config', file]), /is not JSON/);
    await writeFile(file, '{"prot": 1}');
    const { code, errors } = await failToStart(['--memory', '--config', file]);
    assert.equal(code, 2);
    assert.match(errors, /config\.json has an option that there is not: prot/);
  });

  it('the command says in a sentence what is wrong with its options, and answers --help and --version in any case', async () => {
    for (const [words, says] of [
      [[], '--data, --etcd or --memory is missing: where are claims to be kept? --help lists the options.'],
      [['--prot', '1'], 'There is no option --prot. --help lists the options.'],
      [['-x'], 'There is no option -x. --help lists the options.'],
      [['--memory', 'here'], '"here" belongs to no option. --help lists the options.'],
      [['--memory=true'], '--memory takes no value. --help lists the options.'],
      [['--memory', '--port'], '--port needs a value. --help lists the options.'],
      [['--port', '--memory'], '--port needs a value, and --memory comes after it. --help lists the options.'],
      [['--data='], '--data needs a value, and the one given is empty. --help lists the options.'],
      [['--memory', '--port', '99999'], '--port must be a whole number from 0 to 65535, and "99999" is none'],
    ]) assert.throws(() => readOptions(words), (error) => error instanceof UsageError && error.message === says, says);
    const { code, errors } = await failToStart(['--memory', '--port']);
    assert.deepEqual([code, errors], [2, 'lockkeeper-claims: --port needs a value. --help lists the options.\n']);
    const run = (...words) => execFileSync(process.execPath, [join(ROOT, 'claims/source/cli.js'), ...words], { encoding: 'utf8' });
    const { version } = JSON.parse(await readFile(join(ROOT, 'claims/package.json'), 'utf8'));
    assert.equal(run('--version', '--prot'), `lockkeeper-claims ${version}\n`);
    assert.match(run('--port', '--help'), /^Usage: lockkeeper-claims /);
    assert.equal(run('-h'), run('--help'));
  });

  it('an address that is in use now: a status after which it is started again', async () => {
    const first = await startProcess(['--memory']);
    const taken = await failToStart(['--memory', '--port', new URL(first.url).port]);
    assert.deepEqual([taken.code, /address already in use/.test(taken.errors)], [1, true]);
    await first.stop();
    assert.equal((await failToStart(['--memory', '--host', '192.0.2.1', '--allow-anonymous'])).code, 1);
  });

  it('--help names every option', async () => {
    const { USAGE } = await import('../../claims/source/usage-text.js');
    const source = await readFile(join(ROOT, 'claims/source/options.js'), 'utf8');
    const names = [...source.matchAll(/^ {2}'?([a-z-]+)'?: \{ type: /gm)].map(([, name]) => name);
    assert.ok(names.length > 30);
    assert.deepEqual(names.filter((name) => !USAGE.includes(`--${name}`)), []);
  });
});
