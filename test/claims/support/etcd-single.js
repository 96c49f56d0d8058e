/** One member of etcd, with data that can be saved and restored; and a way to it that loses answers. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Server, ServerCredentials, credentials, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { freePort } from './etcd-cluster.js';
import { until } from './service.js';

const protocol = loadSync(fileURLToPath(new URL('../../../claims/proto/etcd.proto', import.meta.url)), {
  keepCase: true, longs: String, enums: String,
});

/**
 * @param {string[]} [options] of etcd
 * @param {{ca: string, cert: string, key: string}} [tls] files, where it asks for certificates
 */
export async function startSingle(options = [], tls = undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'claims-etcd-'));
  const [client, peer] = [await freePort(), await freePort()];
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  let data = join(folder, 'data-0');
  let copies = 0;
  let child;
  const secure = tls ? ['--cacert', tls.ca, '--cert', tls.cert, '--key', tls.key] : [];
  const control = (...words) => execFileSync('etcdctl', ['--endpoints', url, ...secure, ...words], {
    env: { ...process.env, ETCDCTL_API: '3' }, stdio: 'pipe',
  });

  async function start() {
    child = spawn('etcd', [
      '--name', 'one', '--data-dir', data, '--log-level', 'error', '--listen-client-urls', url, '--advertise-client-urls', url,
      '--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `one=${peerUrl}`, ...options,
    ], { stdio: 'ignore' });
    await until(() => {
      try {
        return control('endpoint', 'health');
      } catch {
        return false;
      }
    }, 'etcd');
  }
  async function stop() {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  async function call(path, body) {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  }
  const encode = (text) => Buffer.from(text).toString('base64');
  const decode = (text = '') => Buffer.from(text, 'base64').toString();

  await start();
  return {
    url,
    call,
    put: (key, value) => call('/v3/kv/put', { key: encode(key), value: encode(value) }),
    remove: (key, end) => call('/v3/kv/deleterange', { key: encode(key), range_end: end && encode(end) }),
    /** The keys that begin so, and their values. */
    async list(prefix) {
      const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
      const { kvs = [] } = await call('/v3/kv/range', { key: encode(prefix), range_end: encode(end) });
      return kvs.map(({ key, value }) => [decode(key), decode(value)]);
    },
    control,
    save() {
      const file = join(folder, `copy-${(copies += 1)}`);
      control('snapshot', 'save', file);
      return file;
    },
    /** As an administrator does it while the services run. */
    async restore(file) {
      await stop();
      data = join(folder, `data-${(copies += 1)}`);
      control('snapshot', 'restore', file, '--name', 'one', '--data-dir', data, '--initial-cluster', `one=${peerUrl}`,
        '--initial-advertise-peer-urls', peerUrl);
      await start();
    },
    async stop() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * @param {string} url of etcd
 * @param {(method: string, request: any) => 'pass' | 'lose' | 'drop' | Promise<unknown>} rule lose: the request is done, and its answer
 *     lost; drop: it does not arrive; a promise: it is done at once, and answered after that
 */
export async function startLossyProxy(url, rule) {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const server = new Server();
  const relay = (name, { path, requestSerialize, responseDeserialize }) => ({ request }, answer) => {
    const fate = rule(name, request);
    const lost = { code: status.UNAVAILABLE, details: 'the connection was lost' };
    if (fate === 'drop') answer(lost);
    else {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request,
        async (error, result) => {
          await fate;
          if (fate === 'lose') answer(lost);
          else answer(error, result);
        });
    }
  };
  for (const service of ['KV', 'Maintenance']) {
    const methods = protocol[`etcdserverpb.${service}`];
    server.addService(methods, Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, relay(name, method)])));
  }
  server.addService(protocol['etcdserverpb.Watch'], { Watch: (stream) => stream.resume() });
  const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure());
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.forceShutdown();
      client.close();
    },
  };
}
