/** The module for Python: what its command does not show. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { startService, until } from './support/service.js';

const FOLDER = fileURLToPath(new URL('../../claims/examples/', import.meta.url));

const NOT_RENEWED =
  'The lock was lost: it was not renewed in time: this process was busy or suspended, or the service cannot be reached.';

describe('claims: the module for Python', function () {
  this.timeout(60_000);
  let running;
  before(async function () {
    if (spawnSync('python3', ['--version']).error) this.skip();
    running = await startService();
  });
  after(() => running?.stop());

  /** What a program prints. Its leases last as long as it does not advance the clock. */
  async function run(program, url = running.url) {
    const text = `import sys, threading, time\nsys.path.insert(0, ${JSON.stringify(FOLDER)})\nsys.dont_write_bytecode = True
import lockkeeper_claims\nfrom lockkeeper_claims import *\nurl = ${JSON.stringify(url)}
now = [1000]
lockkeeper_claims._now = lambda: now[0]
def advance(seconds): now[0] += seconds
def until(condition):
    end = time.monotonic() + 40
    while not condition():
        if time.monotonic() > end: raise RuntimeError('it has not come to be')
        time.sleep(0.02)
${program}`;
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

  it('a thread keeps its locks; all threads share a session', async () => {
    const before = running.service.machine.snapshot().sessions.last;
    assert.deepEqual(await run(`
claims = Claims(url, ttl=90)
locks = []
done = threading.Event()
def work(name):
    with claims.lock(name) as lock:
        locks.append(lock)
        done.wait()
threads = [threading.Thread(target=work, args=(name,)) for name in 'xyz']
for thread in threads: thread.start()
until(lambda: len(locks) == 3)
for _ in range(3):
    advance(40)
    until(lambda: claims._session.end == now[0] + 90)
print([lock.lost.is_set() for lock in locks])
done.set()
for thread in threads: thread.join()
claims.close()
`), ['[False, False, False]']);
    assert.equal(running.service.machine.snapshot().sessions.last, before + 1);
    assert.equal(running.service.machine.sessions.size, 0);
  });

  it('a lock is lost before its time is over when the service is gone, and leaving the block says so', async () => {
    const away = await startService();
    const result = run(`
with Claims(url, ttl=90, patience=0.5) as claims:
    try:
        with claims.lock('a') as lock:
            until(lambda: advance(1) or lock.lost.is_set())
    except LockLost as error: print(error)
`, away.url);
    await until(async () => (await away.client.get('/v1/claims/?status=active')).body.length === 1, 'the lock');
    await away.stop();
    assert.deepEqual(await result, [NOT_RENEWED]);
  });

  it('a lock is lost when there is no header for its renewal', async () => {
    assert.deepEqual(await run(`
calls = []
def headers():
    calls.append(1)
    if len(calls) > 2: raise RuntimeError('there is no token')
    return {}
claims = Claims(url, ttl=90, headers=headers)
try:
    with claims.lock('no token') as lock:
        advance(40)
        until(lambda: claims._session.failure)
        advance(45)
        print(lock.lost.wait(20))
except (LockLost, RuntimeError) as error: print(type(error).__name__, error)
`), ['True', 'LockLost The lock was lost: there is no token.']);
  });

  it('a function for headers that hangs while the session is renewed: the lock is lost in time', async () => {
    assert.deepEqual(await run(`
calls = []
hangs, ends = threading.Event(), threading.Event()
def headers():
    calls.append(1)
    if len(calls) == 3: hangs.set(); ends.wait(40)
    return {}
try:
    with Claims(url, ttl=90, headers=headers).lock('hangs') as lock:
        advance(40)
        hangs.wait()
        advance(45)
        print(lock.lost.wait(20))
except LockLost as error: print(error)
ends.set()
`), ['True', NOT_RENEWED]);
  });

  /** Names of a module that asks for claims through fail(method, path, body), which may raise or give an answer of its own. */
  const failing = `
def through(claims, fail):
    ask = claims._ask
    def asked(method, path, body, *more):
        status = fail(method, path, body, lambda: ask(method, path, body, *more))
        return status or ask(method, path, body, *more)
    claims._ask = asked
    return claims
def refusal(status): return ask_answer(status, {'error': 'no'})
def ask_answer(status, body): return lockkeeper_claims._Answer(status, body, lockkeeper_claims._now(), True)
def count(status): return len(json.loads(urllib.request.urlopen(url + '/v1/claims/?status=' + status + '&resource=' + name).read()))
import json, urllib.request
`;

  it('a release fails, or a claim\'s answers are lost: the claim ends, although another lock keeps the session', async () => {
    assert.deepEqual(await run(`${failing}
for name, method, answer in (('refused', 'PATCH', 401), ('cut', 'PATCH', 0), ('made', 'POST', 0)):
    failed = []
    def fail(verb, path, body, ask):
        text = str(body)
        if verb != method or not ("'released'" in text or f"'{name}'" in text) or len(failed) == 3: return None
        failed.append(1)
        if method == 'POST': ask()
        if answer: return refusal(answer)
        raise Unreachable('there is no network')
    with through(Claims(url, patience=1), fail) as claims, claims.lock('another ' + name) as other:
        try:
            with claims.lock(name): pass
        except Unreachable as error: print(error)
        print(name, count('active'))
        until(lambda: count('active') == 0)
        print(len(failed), other.lost.is_set())
        failed = [1, 1, 1]
`), ['refused 1', '3 False', 'there is no network', 'cut 1', '3 False', 'there is no network', 'made 1', '3 False']);
  });

  it('a refused claim is not asked for again; after 401 it is, if the headers are made anew', async () => {
    assert.deepEqual(await run(`${failing}
for status, headers in ((401, {}), (401, lambda: {}), (403, lambda: {})):
    asked = []
    def fail(verb, path, body, ask):
        if '/v1/claims/' in path: asked.append(verb); return refusal(status)
    try:
        with through(Claims(url, headers=headers), fail).lock('a'): print('it was granted')
    except ClaimsError as error: print(error)
    time.sleep(2.5)
    print(asked)
`), ['The service answered 401: {\'error\': \'no\'}', '[\'POST\']', 'The service answered 401: {\'error\': \'no\'}', '[\'POST\', \'POST\']',
      'The service answered 403: {\'error\': \'no\'}', '[\'POST\']']);
  });

  it('services without common data at one address: an error after the stated time', async () => {
    assert.deepEqual(await run(`${failing}
asked = []
def fail(verb, path, body, ask):
    if verb == 'GET': asked.append(1); return ask_answer(404, {'error': f'There is no claim {path.split("/")[3]}.'})
with Claims(url) as one, through(Claims(url, patience=4), fail) as other:
    with one.lock('a'):
        try:
            with other.lock('a'): print('two holders')
        except Unreachable as error: print('has ended every session within 4 s' in str(error), 3 < len(asked) < 16)
`), ['True True']);
  });

  it('a lock that was lost after the last renewal: leaving the block says so; a release during a renewal is no loss', async () => {
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
        if isRenewal: started.set(); released.wait()
        answer = insist(method, path, *more, **named)
        if isRenewal: renewed.set()
        elif method == 'PATCH': released.set(); renewed.wait(); until(lambda: session.end == now[0] + 90)
        return answer
    claims._insist = slow
    claims.ttl = 90
    claims._session = None
    with claims.lock('renewed while it is released') as lock:
        session = claims._session
        advance(40)
        started.wait()
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

  it('another server than a claims service, or one that cannot be reached: an error says so', async () => {
    assert.deepEqual(await run(`
for address in (url + '/nowhere', 'http://127.0.0.1:1'):
    try:
        with Claims(address, patience=0.2).lock('a'): pass
    except ClaimsError as error: print(type(error).__name__, str(error)[:30])
`), ['ClaimsError The service answered 404: {\'er', 'Unreachable The claims service at http://1']);
  });
});
