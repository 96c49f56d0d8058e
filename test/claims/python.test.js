/** The module for Python: what the command of it does not show. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { startService, until } from './support/service.js';

const FOLDER = fileURLToPath(new URL('../../claims/examples/', import.meta.url));

describe('claims: the module for Python', function () {
  this.timeout(60_000);
  let running;
  before(async function () {
    if (spawnSync('python3', ['--version']).error) this.skip();
    running = await startService();
  });
  after(() => running?.stop());

  /** What a program prints. */
  async function run(program, url = running.url) {
    const text = `import sys, threading, time\nsys.path.insert(0, ${JSON.stringify(FOLDER)})\nsys.dont_write_bytecode = True\n`
      + `from lockkeeper_claims import *\nurl = ${JSON.stringify(url)}\n${program}`;
    const { stdout } = await promisify(execFile)('python3', ['-c', text]);
    return stdout.trim().split('\n');
  }

  it('one holder at a time; a timeout; several resources; a limit; fences that grow', async () => {
    assert.deepEqual(await run(`
with Claims(url) as one, Claims(url) as other:
    with one.lock('a') as first:
        try:
            with other.lock('a', timeout=0): print('two holders')
        except TimeoutError: print('held')
        try:
            with one.lock(['b', 'a'], timeout=0.2): print('two holders')
        except TimeoutError: print('held')
    with other.lock('a') as second: print(second.fence > first.fence, second.lost.is_set())
    with one.lock('s', limit=2), other.lock('s', limit=2): print('two of a semaphore')
    with one.lock('r', mode='shared'), other.lock('r', mode='shared'): print('shared')
    try:
        with one.lock('e'): raise KeyError('mine')
    except KeyError: print('released')
    with other.lock('e', timeout=0): pass
`), ['held', 'held', 'True False', 'two of a semaphore', 'shared', 'released']);
    const { body } = await running.client.get('/v1/claims/?status=active');
    assert.deepEqual(body, []);
    assert.equal((await running.client.get('/v1/claims/?status=waiting')).body.length, 0);
  });

  it('a thread keeps what is held; all threads share a session', async () => {
    const before = running.service.machine.snapshot().sessions.last;
    assert.deepEqual(await run(`
claims = Claims(url, ttl=0.9)
done = []
def work(name):
    with claims.lock(name) as lock:
        time.sleep(1.6)
        done.append(lock.lost.is_set())
threads = [threading.Thread(target=work, args=(name,)) for name in 'xyz']
for thread in threads: thread.start()
for thread in threads: thread.join()
claims.close()
print(done)
`), ['[False, False, False]']);
    assert.equal(running.service.machine.snapshot().sessions.last, before + 1);
    assert.equal(running.service.machine.sessions.size, 0);
  });

  it('a lock is lost before its time is over when the service is gone, and leaving the block says so', async () => {
    const away = await startService();
    const result = run(`
with Claims(url, ttl=1.5, patience=0.5) as claims:
    try:
        with claims.lock('a') as lock:
            print(lock.lost.wait(10), flush=True)
    except LockLost as error: print(error)
`, away.url);
    await until(async () => (await away.client.get('/v1/claims/?status=active')).body.length === 1, 'the lock');
    await away.stop();
    assert.deepEqual(await result, ['True', 'The lock was lost: the service cannot be reached.']);
  });

  it('a lock is lost when there is no header for its renewal', async () => {
    assert.deepEqual(await run(`
calls = []
def headers():
    calls.append(1)
    if len(calls) > 2: raise RuntimeError('there is no token')
    return {}
try:
    with Claims(url, ttl=0.9, headers=headers).lock('no token') as lock:
        print(lock.lost.wait(5))
except (LockLost, RuntimeError) as error: print(type(error).__name__, error)
`), ['True', 'LockLost The lock was lost: there is no token.']);
  });

  it('a lock that was lost after the last renewal: leaving the block says so; one that is released during a renewal is none', async () => {
    assert.deepEqual(await run(`
with Claims(url) as claims:
    for status in ('revoked', 'released'):
        try:
            with claims.lock(status) as lock:
                path = next(iter(claims._session.held))
                claims._insist('PATCH', path, {'status': status})
            print('left')
        except LockLost as error: print(error)
    insist = claims._insist
    started, released, renewed = threading.Event(), threading.Event(), threading.Event()
    def slow(method, path, *more, **named):
        isRenewal = method == 'PATCH' and '/sessions/' in path
        if isRenewal: started.set(); released.wait(5)
        answer = insist(method, path, *more, **named)
        if isRenewal: renewed.set()
        elif method == 'PATCH': released.set(); renewed.wait(5); time.sleep(0.2)
        return answer
    claims._insist = slow
    claims.ttl = 1.5
    claims._session = None
    with claims.lock('renewed while it is released') as lock: started.wait(5)
    print(lock.lost.is_set())
`), ['The lock was lost: the claim has ended.', 'left', 'False']);
  });

  it('a redirect is not followed: the headers go nowhere else', async () => {
    const seen = [];
    const server = http.createServer(({ method, url }, response) => {
      seen.push(`${method} ${url}`);
      response.writeHead(302, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    assert.deepEqual(await run(`
try:
    with Claims(url, headers={'Authorization': 'secret'}).lock('a'): pass
except ClaimsError as error: print('answered 302' in str(error))
`, `http://127.0.0.1:${server.address().port}`), ['True']);
    assert.deepEqual(seen, ['POST /v1/sessions/']);
    server.close();
  });

  it('what is no claims service, or cannot be reached, is said', async () => {
    assert.deepEqual(await run(`
for address in (url + '/nowhere', 'http://127.0.0.1:1'):
    try:
        with Claims(address, patience=0.2).lock('a'): pass
    except ClaimsError as error: print(type(error).__name__, str(error)[:30])
`), ['ClaimsError The service answered 404: {\'er', 'Unreachable The claims service at http://1']);
  });
});
