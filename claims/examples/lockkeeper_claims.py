#!/usr/bin/env python3
"""Locks for many machines, over a Lockkeeper claims service. Python 3.8 or later, the standard library alone.

    from lockkeeper_claims import Claims

    with Claims('http://127.0.0.1:8470') as claims:
        with claims.lock('nightly-report') as lock:
            make_report(fence=lock.fence, stop=lock.lost)   # lock.lost is a threading.Event

All locks of a Claims object share a session, which a thread renews while there are any. If it cannot be renewed in time, or if a claim was
revoked, the lock is lost: lock.lost is set, and leaving the block raises LockLost. The session counts from when it was asked for, so it ends
here before it ends at the service. A refused renewal is repeated until then: a token may have expired. If the session ends while a lock is
waited for, it is asked for again in a new one.

As a command it runs another one while it holds a lock, and ends with that one's status; with 75 if there was no lock, or it was lost:

    lockkeeper_claims.py [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]

CLAIMS_URL, CLAIMS_HEADER ("Authorization: Bearer ...") and CLAIMS_HEADER_COMMAND (it prints such a header) are read from the environment.
"""
import argparse
import collections
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

WAIT = 25
PAUSE = 0.5
# Timers stand still while the machine is suspended. After that, a loss is noticed within this many seconds.
LOOK = 1
# The last pause between two attempts to end an unneeded claim.
SELDOM = 60
# Why a session ended, where no attempt to renew it has failed.
NOT_RENEWED = 'it was not renewed in time: this process was busy or suspended, or the service cannot be reached'
# A clock that goes on while the machine is suspended, where Python has one.
CLOCK = getattr(time, 'CLOCK_BOOTTIME', getattr(time, 'CLOCK_MONOTONIC', None))

# asked: when the service was asked, by _now(). first: no earlier attempt can have had an effect.
_Answer = collections.namedtuple('_Answer', 'status body asked first')


class ClaimsError(Exception):
    """The service refused, or what answers is no claims service."""


class Unreachable(ClaimsError):
    """The service could not be reached for as long as was allowed."""


class LockLost(ClaimsError):
    """The lock may be another's by now."""


class Lock:
    """A lock that is held. lost is set when it is not any more; fence grows from grant to grant."""

    def __init__(self, resource, claim):
        self.resource = resource
        self.fence = claim['fence']
        self._created = claim['created']
        self.lost = threading.Event()
        self.reason = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like others: a token goes nowhere else."""

    def redirect_request(self, *_):
        return None


class _Session:
    """end: of the lease. gone: when it is over at the service, at the latest: a renewal without an answer may have had an effect. lasted:
    whether it was ever renewed. asleep: whether it ended while this machine was suspended. over: why it can no longer be used. failure: why
    it could not be renewed so far."""

    def __init__(self, path, created, end, gone):
        self.path = path
        self.created = created
        self.end = end
        self.gone = gone
        self.lasted = False
        self.asleep = False
        self.held = {}
        self.users = 0
        self.over = None
        self.failure = None
        self.wake = threading.Event()


class Claims:
    """A claims service. ttl: seconds after which the locks of a client that has died are free. headers: a dictionary, or a function that
    returns one, for tokens that expire; if the service answers 401, the function is called once more. patience: seconds for which a service
    that cannot be reached is asked again."""

    def __init__(self, url, ttl=30, headers=None, patience=60):
        self.url = url.rstrip('/')
        if urllib.parse.urlsplit(self.url).scheme not in ('http', 'https'):
            raise ClaimsError(f'{url} is no address that begins with http: or https:.')
        self.ttl = ttl
        self.patience = patience
        self._headers = headers or {}
        self._open = urllib.request.build_opener(_NoRedirects).open
        # Whether the service marks its answers; None: nothing is known of it yet.
        self._marks = None
        self._guard = threading.RLock()
        self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the session, and with it all that is held and waited for."""
        with self._guard:
            session, self._session = self._session, None
        if session and not session.over:
            self._end(session, 'it was closed')
            # It ends by itself, too.
            with contextlib.suppress(Exception):
                patience = min(self.patience, 1)
                if self._is_there(session.path, session.created, patience):
                    self._insist('DELETE', _meant(session.path, session.created), patience=patience)

    @contextlib.contextmanager
    def lock(self, resource, mode=None, limit=None, timeout=None, user_data=None):
        """Holds a resource (or a list of them, all or none) during the block. Raises TimeoutError after timeout seconds; 0: at once."""
        until = None if timeout is None else time.monotonic() + timeout
        granted = None
        fruitless = 0
        while granted is None:
            began = time.monotonic()
            session = self._enter()
            try:
                granted = self._attempt(session, resource, mode, limit, until, user_data)
                if granted is None:
                    self._leave(session)
            except BaseException:
                self._leave(session)
                raise
            lasted = session.asleep or (session.lasted and time.monotonic() - began > PAUSE)
            fruitless = 0 if lasted else fruitless + 1
            if granted is None and fruitless > 1:
                if fruitless * PAUSE > self.patience:
                    raise Unreachable(f'The claims service at {self.url} has ended every session within {self.patience} s. Either the ttl is '
                                      'too short, or several services without common data share the address.')
                time.sleep(PAUSE)
        lock, path = granted
        try:
            yield lock
        finally:
            with self._guard:
                session.held.pop(path, None)
            try:
                if not lock.lost.is_set():
                    self._release(session, path, lock)
                elif session.over:
                    # Others need not wait until the session has ended at the service, too.
                    self._later(session, lambda: self._drop(path, lock._created, 'released'))
            finally:
                self._leave(session)
        if lock.lost.is_set():
            raise LockLost(f'The lock was lost: {lock.reason}.')

    def _release(self, session, path, lock):
        """Where it can no longer be released it was lost since the last renewal; an earlier attempt may have released it, though."""
        status = None
        try:
            status, body = self._finish(path, lock._created, 'released')
        finally:
            if not _has_ended(status):
                self._later(session, lambda: self._drop(path, lock._created, 'released'))
        if status == 400:
            status, body, *_ = self._insist('GET', path)
        if status == 404 or (status == 200 and body['status'] != 'released'):
            self._lose(lock, 'the claim has ended')

    def _drop(self, path, created, status='aborted'):
        """Whether an unneeded claim has ended."""
        return _has_ended(self._finish(path, created, status, patience=1)[0])

    def _later(self, session, step):
        """Repeats a step until it succeeds, or the session is over at the service: other locks may keep the session, and a claim that is left
        in it would never end. This keeps no process alive."""
        def repeat():
            pause = 2
            while True:
                time.sleep(pause)
                with contextlib.suppress(Exception):
                    if step():
                        return
                if session.gone <= _now():
                    return
                pause = min(pause * 2, SELDOM)
        threading.Thread(target=repeat, daemon=True).start()

    def _soon(self, session, step):
        """Takes a step that ends a claim, and again later if it fails."""
        done = False
        try:
            with contextlib.suppress(Exception):
                done = step()
        finally:
            if not done:
                self._later(session, step)

    def _is_there(self, path, created, patience=None):
        """False if another claim or session has this id. A service that does not mark its answers does not look itself: see _meant()."""
        if self._marks:
            return True
        status, body, *_ = self._insist('GET', path, patience=patience)
        return status != 200 or body['created'] == created

    def _finish(self, path, created, status, patience=None):
        """Ends a claim: status and content of the answer."""
        if not self._is_there(path, created, patience):
            return 404, None
        return self._insist('PATCH', _meant(path, created), {'status': status}, patience=patience)[:2]

    def _attempt(self, session, resource, mode, limit, until, user_data):
        """A lock and the path of its claim; None where the session ended before."""
        body = {'resource': resource, 'session': session.path, 'user_data': user_data}
        body.update({name: value for name, value in (('mode', mode), ('limit', limit)) if value is not None})
        headers = {'Idempotency-Key': str(uuid.uuid4())}
        address = f'/v1/claims/?session_created={urllib.parse.quote(session.created)}'
        path = None
        refused = False

        def withdraw():
            # Only the repetition tells which claim was made.
            status, claim, *_ = self._insist('POST', address, body, headers, patience=1)
            if status not in (201, 202):
                return status in (400, 409, 422)
            return self._drop(self._path(claim), claim['created'])

        try:
            status, claim, _, first = self._insist('POST', address, body, headers)
            if status == 400 and 'session' in claim:
                self._end(session, 'its session has ended')
                return None
            if status not in (201, 202):
                refused = first
                raise ClaimsError(f'The service answered {status}: {claim}')
            path, created = self._path(claim), claim['created']
            wait = WAIT
            while claim['status'] == 'waiting':
                left = wait if until is None else min(wait, until - time.monotonic())
                if left <= 0:
                    raise TimeoutError(f'{resource} is held by others.')
                status, seen, wait = self._wait(path, left, wait)
                # The service has lost its data, and may give the same ids again; or the claim ended long ago.
                if _is_unknown(status, seen, path) or (status == 200 and seen['created'] != created):
                    return None
                if status != 200:
                    raise ClaimsError(f'The service answered {status}: {seen}')
                claim = seen
            with self._guard:
                # This client may have stood still since the answer that it holds.
                if not self._is_over(session) and claim['status'] == 'active':
                    lock = Lock(resource, claim)
                    session.held[path] = lock
                    return lock, path
            if not session.over and claim['status'] != 'expired':
                raise ClaimsError(f'The lock was not granted: the claim is {claim["status"]}.')
            if claim['status'] == 'active':
                # The session may live on at the service, and others need not wait for its end.
                self._soon(session, lambda: self._drop(path, created))
            return None
        except BaseException:
            # Interrupted before the answer was read, it asks again to learn which claim it was.
            if not refused:
                self._soon(session, withdraw if path is None else lambda: self._drop(path, created))
            raise

    def _wait(self, path, left, wait):
        """Status and content of the answer, and for how many seconds the next wait may last."""
        with contextlib.suppress(Unreachable):
            status, claim, *_ = self._insist('GET', f'{path}?wait={left:.3f}&while=waiting', patience=0, limit=left + 15)
            return status, claim, min(WAIT, wait + 1)
        # A gateway may cut long requests, or too many wait. A short one tells whether the service can be reached.
        time.sleep(2 * PAUSE)
        return (*self._insist('GET', path)[:2], max(1, wait / 2))

    def _enter(self):
        with self._guard:
            session = self._session
            # An unused one may be nearly over.
            if session is None or (session.users == 0 and session.end - _now() < self.ttl / 3):
                status, body, asked, _ = self._insist('POST', '/v1/sessions/', {'ttl': self.ttl})
                if status != 201:
                    raise ClaimsError(f'The service answered {status}: {body}')
                session = self._session = _Session(self._path(body), body['created'], asked + self.ttl, _now() + self.ttl)
            session.users += 1
            if session.users == 1:
                session.wake = threading.Event()
                for follow in (self._keep, self._watch):
                    threading.Thread(target=follow, args=(session, session.wake), daemon=True).start()
            return session

    def _leave(self, session):
        with self._guard:
            session.users -= 1
            if session.users == 0:
                session.wake.set()

    def _end(self, session, reason):
        with self._guard:
            if session.over:
                return
            session.over = reason
            # _watch() would have noticed it earlier.
            session.asleep = _now() > session.end + 2 * LOOK
            session.wake.set()
            if self._session is session:
                self._session = None
            for lock in session.held.values():
                self._lose(lock, reason)

    @staticmethod
    def _lose(lock, reason):
        lock.reason = reason
        lock.lost.set()

    def _left(self, session):
        """Seconds until it counts as lost: a little before its end, for then others may have what it held."""
        return max(0, session.end - _now() - self.ttl / 10)

    def _is_over(self, session):
        with self._guard:
            if not self._left(session):
                self._end(session, session.failure or NOT_RENEWED)
            return bool(session.over)

    def _watch(self, session, wake):
        """Ends a session when its lease is over, whatever its renewal waits for."""
        while not wake.wait(min(LOOK, self._left(session))):
            if self._is_over(session):
                return

    def _keep(self, session, wake):
        """Renews a session until it is woken. A refusal may pass, such as that of a token that has just expired. The lease goes on meanwhile,
        and _watch() ends it."""
        pause = 0
        while not wake.wait(max(pause, min(LOOK, self._due(session)))):
            if self._is_over(session):
                return
            if not self._due(session):
                pause = 0 if self._renew(session) else PAUSE

    def _due(self, session):
        """Seconds until it should be renewed."""
        return max(0, session.end - _now() - self.ttl * 2 / 3)

    def _renew(self, session):
        """Whether it was renewed."""
        with self._guard:
            # Those of now: the answer may not know of later ones.
            held = dict(session.held)
        left = self._left(session)
        try:
            # An attempt may hang, and others must have time.
            limit = min(max(left, 0.05), max(2, self.ttl / 4))
            status, body, asked, _ = self._insist('PATCH', _meant(session.path, session.created), {'ttl': self.ttl}, patience=left, limit=limit)
            active = {self._path({'url': url}) for url in body['active']} if status == 200 else set()
            failure = f'the service answers {status}'
        except Unreachable:
            status, failure = 0, 'the service cannot be reached'
        except Exception as error:  # Of a function for headers, too.
            status, failure = 0, str(error)
        with self._guard:
            session.gone = _now() + self.ttl
            if status and (_is_unknown(status, body, session.path) or (status == 200 and body['created'] != session.created)):
                self._end(session, 'its session has ended (404)')
            elif status == 200:
                session.end, session.lasted, session.failure = asked + self.ttl, True, None
                for path, lock in held.items():
                    # One that is no longer held was being released when the service was asked.
                    if path not in active and path in session.held:
                        self._lose(lock, 'the claim has ended')
                return True
            else:
                session.failure = failure
        return False

    def _path(self, body):
        """Addresses are made from the one that was configured, never from an answer: a token goes nowhere else."""
        url = body.get('url') if isinstance(body, dict) else None
        place = url.rfind('/v1/') if isinstance(url, str) else -1
        if place < 0:
            raise ClaimsError(f'{self.url} is no claims service: it answered {body}')
        return url[place:]

    def _insist(self, method, path, body=None, headers=None, patience=None, limit=None):
        """Asks again once if the credentials are refused: a token may have expired on its way, and a function for headers may give another.
        A 403 to a change says that the client lacks a right. To a question it does not: everyone may read."""
        answer = self._ask(method, path, body, headers, patience, limit)
        refused = answer.status == 401 or (answer.status == 403 and method == 'GET')
        if not refused or not callable(self._headers):
            return answer
        time.sleep(PAUSE)
        second = self._ask(method, path, body, headers, patience, limit)
        return second._replace(first=answer.first and second.first)

    def _ask(self, method, path, body, headers, patience, limit):
        """A service that cannot be reached, or says that it is busy, is asked again; so it is if a gateway answers in its place. limit: seconds
        for an attempt."""
        end = time.monotonic() + (self.patience if patience is None else patience)
        first = True
        while True:
            own = self._headers() if callable(self._headers) else self._headers
            data = None if body is None else json.dumps(body).encode()
            every = {**own, **(headers or {}), **({} if body is None else {'Content-Type': 'application/json'})}
            asked, pause = _now(), PAUSE
            longest = limit or (WAIT + 15 if patience is None else max(0.05, end - time.monotonic()))
            try:
                request = urllib.request.Request(self.url + path, data, every, method=method)
                try:
                    response = self._open(request, timeout=longest)
                except urllib.error.HTTPError as error:
                    response = error
                with response:
                    status, fields, text = response.code, response.headers, response.read()
            except (OSError, http.client.HTTPException) as error:
                reason = str(getattr(error, 'reason', error))
            else:
                content = _read(text)
                busy = status == 429 or status >= 500
                if not busy and self._is_own(status, content, 'Lockkeeper-Claims' in fields):
                    return _Answer(status, content, asked, first)
                if not busy and self._marks is None:
                    raise ClaimsError(f'{self.url} is no claims service: it answered {status} with {text[:80]!r}.')
                reason = f'it answers {status}'
                pause = self._pause(fields)
            left = end - time.monotonic()
            if left < PAUSE:
                raise Unreachable(f'The claims service at {self.url} could not be reached: {reason}.')
            time.sleep(min(pause, left))
            first = False

    def _pause(self, fields):
        """Seconds until it is asked again: as many as it says, but so few that a session is renewed in time."""
        with contextlib.suppress(TypeError, ValueError):
            return max(PAUSE, min(float(fields['Retry-After']), 30, self.ttl / 6))
        return PAUSE

    def _is_own(self, status, content, marked):
        """Whether the service itself has answered. An older one, which marks nothing, is known by what it shows."""
        url = content.get('url') if isinstance(content, dict) else None
        shows = status < 300 and re.search(r'/v1/(claims|sessions)/\d+/$', str(url)) is not None
        if marked or shows:
            self._marks = marked
        # A gateway may have cut it off.
        if (content is None) != (status == 204):
            return False
        if marked or self._marks:
            return marked
        says = isinstance(content, dict) and (status != 404 or str(content.get('error')).startswith('There is no '))
        return shows or status == 204 or (status >= 400 and says)


def _read(text):
    """What a JSON text says; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _now():
    """Seconds that also count while the machine is suspended. The lease runs on at the service meanwhile."""
    return time.monotonic() if CLOCK is None else time.clock_gettime(CLOCK)


def _has_ended(status):
    """Whether this answer to a change of its status says that a claim is over."""
    return status in (204, 400, 404)


def _is_unknown(status, content, path):
    """Whether the service says that it has no such claim or session."""
    _, _, kind, number, _ = path.split('/')
    return status == 404 and isinstance(content, dict) and str(content.get('error')).startswith(f'There is no {kind[:-1]} {number}')


def _meant(path, created):
    """The address of a claim or session for changes. A service that has lost its data gives the same ids again, to others: it looks when
    this one was created."""
    return f'{path}?created={urllib.parse.quote(created)}'


def _header():
    command = os.environ.get('CLAIMS_HEADER_COMMAND')
    text = os.environ.get('CLAIMS_HEADER')
    if command:
        text = subprocess.run(command, shell=True, check=True, stdout=subprocess.PIPE, text=True, timeout=12).stdout
    if not text:
        return {}
    name, _, value = text.partition(':')
    return {name.strip(): value.strip()}


def main():
    parser = argparse.ArgumentParser(description='Runs a command while holding a lock.')
    parser.add_argument('-u', dest='url', default=os.environ.get('CLAIMS_URL', 'http://127.0.0.1:8470'))
    parser.add_argument('-t', dest='ttl', type=float, default=30)
    parser.add_argument('resource')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    words = parser.parse_args()
    if not words.command:
        parser.error('there is no command')
    child = None
    begins = told = False

    def stop(*_):
        # Until the command has ended, a signal ends the command, and not the claim. It may have to clean up.
        nonlocal told
        told = True
        if child is not None:
            child.terminate()
        elif not begins:
            sys.exit(75)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        with Claims(words.url, words.ttl, _header) as claims:
            with claims.lock(words.resource, user_data={'host': socket.gethostname(), 'process': os.getpid()}) as lock:
                begins = True
                child = subprocess.Popen(words.command)
                if told:
                    child.terminate()
                threading.Thread(target=lambda: lock.lost.wait() and child.terminate(), daemon=True).start()
                result = child.wait()
    except (ClaimsError, subprocess.SubprocessError) as error:
        print(f'with-claim: {"the claim was lost" if isinstance(error, LockLost) else error}', file=sys.stderr)
        return 75
    return 128 - result if result < 0 else result


if __name__ == '__main__':
    sys.exit(main())
