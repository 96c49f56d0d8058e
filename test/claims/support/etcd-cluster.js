/** Three members of etcd: in network namespaces of their own if that is allowed, so that one can be cut off; else on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './service.js';

export const hasEtcd = works('etcd', '--version');

/** @param {string} command @param {...string} words */
function works(command, ...words) {
  try {
    execFileSync(command, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** One bridge, and a namespace behind a pair of interfaces for each of [count]; undefined if that is not allowed. */
function createNetwork(count) {
  const tag = `lk${process.pid % 10_000}`;
  const subnet = `10.${200 + (process.pid % 50)}.${Math.floor(process.pid / 50) % 250}`;
  const ip = (...words) => execFileSync('ip', words, { stdio: 'ignore' });
  const namespaces = Array.from({ length: count }, (each, place) => `${tag}n${place}`);
  const remove = () => {
    for (const namespace of namespaces) works('ip', 'netns', 'delete', namespace);
    works('ip', 'link', 'delete', `${tag}br`);
  };
  try {
    ip('link', 'add', `${tag}br`, 'type', 'bridge');
    ip('address', 'add', `${subnet}.254/24`, 'dev', `${tag}br`);
    ip('link', 'set', `${tag}br`, 'up');
    for (const [place, namespace] of namespaces.entries()) {
      ip('netns', 'add', namespace);
      ip('link', 'add', `${tag}v${place}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('link', 'set', `${tag}v${place}`, 'master', `${tag}br`, 'up');
      ip('-n', namespace, 'address', 'add', `${subnet}.${place + 1}/24`, 'dev', 'eth0');
      ip('-n', namespace, 'link', 'set', 'eth0', 'up');
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
    }
  } catch {
    remove();
    return undefined;
  }
  return {
    address: (place) => `${subnet}.${place + 1}`,
    prefix: (place) => ['ip', 'netns', 'exec', namespaces[place]],
    cut: (place) => ip('link', 'set', `${tag}v${place}`, 'down'),
    heal: (place) => ip('link', 'set', `${tag}v${place}`, 'up'),
    remove,
  };
}

export async function startCluster(count = 3) {
  const folder = await mkdtemp(join(tmpdir(), 'claims-etcd-'));
  const network = createNetwork(count);
  const members = [];
  for (let place = 0; place < count; place += 1) {
    const host = network ? network.address(place) : '127.0.0.1';
    const [client, peer] = network ? [2379, 2380] : [await freePort(), await freePort()];
    members.push({ place, name: `m${place}`, host, port: client, url: `http://${host}:${client}`, peer: `http://${host}:${peer}` });
  }

  function start(member, state) {
    const words = [
      ...(network?.prefix(member.place) ?? []), 'etcd',
      '--name', member.name, '--data-dir', join(folder, member.name), '--log-level', 'error',
      '--listen-client-urls', member.url, '--advertise-client-urls', member.url,
      '--listen-peer-urls', member.peer, '--initial-advertise-peer-urls', member.peer,
      '--initial-cluster', members.map(({ name, peer }) => `${name}=${peer}`).join(','), '--initial-cluster-state', state,
    ];
    member.child = spawn(words[0], words.slice(1), { stdio: 'ignore' });
    member.exited = once(member.child, 'exit');
  }

  const ask = async ({ url }, path, body = {}) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(1000) });
    return response.json();
  };
  const isWell = (member) => ask(member, '/v3/kv/range', { key: 'YQ==' }).then(({ header }) => Boolean(header), () => false);

  for (const member of members) start(member, 'new');
  await until(async () => (await Promise.all(members.map(isWell))).every(Boolean), 'the cluster', 30_000);

  return {
    members,
    urls: members.map(({ url }) => url),
    canCut: Boolean(network),
    async leader() {
      for (const member of members) {
        const { header, leader } = await ask(member, '/v3/maintenance/status').catch(() => ({}));
        if (header && header.member_id === leader) return member;
      }
      throw new Error('the cluster has no leader');
    },
    well: () => until(async () => (await Promise.all(members.map(isWell))).every(Boolean), 'the cluster', 30_000),
    kill: async (member) => {
      member.child.kill('SIGKILL');
      await member.exited;
    },
    restart: (member) => start(member, 'existing'),
    pause: (member) => member.child.kill('SIGSTOP'),
    resume: (member) => member.child.kill('SIGCONT'),
    cut: (member) => network.cut(member.place),
    heal: (member) => network.heal(member.place),
    async stop() {
      for (const { child, exited } of members) {
        child.kill('SIGCONT');
        child.kill('SIGKILL');
        await exited;
      }
      network?.remove();
      await rm(folder, { recursive: true });
    },
  };
}

/** A way to a server that can be made to swallow everything, or slow: so many milliseconds each way. */
export async function startProxy(host, port, latency = 0) {
  let open = true;
  const carry = (from, to) => {
    /** The data on its way, in order, and the time of its arrival. */
    const way = [];
    let timer;
    const arrive = () => {
      timer = undefined;
      while (way.length > 0 && way[0].due <= performance.now()) {
        const { data } = way.shift();
        if (open && !to.destroyed) to.write(data);
      }
      if (way.length > 0) timer = setTimeout(arrive, way[0].due - performance.now());
    };
    from.on('data', (data) => {
      if (latency === 0 && way.length === 0) {
        if (open && !to.destroyed) to.write(data);
        return;
      }
      way.push({ data, due: performance.now() + latency });
      timer ??= setTimeout(arrive, latency);
    });
    from.on('close', () => clearTimeout(timer));
  };
  const pairs = new Set();
  const server = net.createServer((near) => {
    near.on('error', () => {});
    if (!open) {
      pairs.add([near]);
      return;
    }
    const far = net.connect(port, host);
    // Else a small packet waits for the answer to the one before it, and the way takes longer than stated.
    for (const socket of [near, far]) socket.setNoDelay();
    const pair = [near, far];
    pairs.add(pair);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => {
      near.destroy();
      pairs.delete(pair);
    });
    carry(near, far);
    carry(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** @param {number} milliseconds */
    slow(milliseconds) {
      latency = milliseconds;
    },
    cut() {
      open = false;
    },
    heal() {
      open = true;
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      pairs.clear();
    },
    stop() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}
