#!/usr/bin/env python3
"""Locks for many machines, over a Lockkeeper claims service. Python 3.8 or later, the standard library alone.

    from lockkeeper_claims import Claims

    with Claims('http://127.0.0.1:8470') as claims:
        with claims.lock('nightly-report') as lock:
            make_report(fence=lock.fence, stop=lock.lost)   # lock.lost is a threading.Event

All locks of a Claims object share a session, which a thread renews while there are any. If it cannot be renewed, or if a claim was
revoked, the lock is lost: lock.lost is set, and leaving the block raises LockLost. The session counts from when it was asked for, so it ends
here before it ends at the service.

As a command it runs another one while it holds a lock, and ends with that one's status; with 75 if there was no lock, or it was lost:

    lockkeeper_claims.py [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]

CLAIMS_URL, CLAIMS_HEADER ("Authorization: Bearer ...") and CLAIMS_HEADER_COMMAND (it prints such a header) are read from the environment.
"""
import argparse
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
    def __init__(self, path, created, end):
        self.path = path
        self.created = created
        self.end = end
        self.held = {}
        self.users = 0
        self.over = None
        self.wake = threading.Event()


class Claims:
    """A claims service. ttl: seconds after which the locks of a client that has died are free. headers: a dictionary, or a function that
    returns one, for tokens that expire. patience: seconds for which a service that cannot be reached is asked again."""

    def __init__(self, url, ttl=30, headers=None, patience=60):
        self.url = url.rstrip('/')
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
            with contextlib.suppress(ClaimsError):
                patience = min(self.patience, 1)
                if self._is_there(session.path, session.created, patience):
                    self._insist('DELETE', _meant(session.path, session.created), patience=patience)

    @contextlib.contextmanager
    def lock(self, resource, mode=None, limit=None, timeout=None, user_data=None):
        """Holds a resource (or a list of them, all or none) during the block. Raises TimeoutError after timeout seconds; 0: at once."""
        until = None if timeout is None else time.monotonic() + timeout
        granted = None
        while granted is None:
            session = self._enter()
            try:
                granted = self._attempt(session, resource, mode, limit, until, user_data)
                if granted is None:
                    self._leave(session)
            except BaseException:
                self._leave(session)
                raise
        lock, path = granted
        try:
            yield lock
        finally:
            with self._guard:
                session.held.pop(path, None)
            try:
                if not lock.lost.is_set():
                    self._release(path, lock)
            finally:
                self._leave(session)
        if lock.lost.is_set():
            raise LockLost(f'The lock was lost: {lock.reason}.')

    def _release(self, path, lock):
        """Where it can no longer be released it was lost since the last renewal; an earlier attempt may have released it, though."""
        status, body = self._finish(path, lock._created, 'released')
        if status == 400:
            status, body, _ = self._insist('GET', path)
        if status == 404 or (status == 200 and body['status'] != 'released'):
            self._lose(lock, 'the claim has ended')

    def _is_there(self, path, created, patience=None):
        """False if another claim or session has this id. A service that does not mark its answers does not look itself: see _meant()."""
        if self._marks:
            return True
        status, body, _ = self._insist('GET', path, patience=patience)
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
        key = str(uuid.uuid4())
        address = f'/v1/claims/?session_created={urllib.parse.quote(session.created)}'
        path = None
        try:
            status, claim, _ = self._insist('POST', address, body, {'Idempotency-Key': key})
            if status == 400 and 'session' in claim:
                self._end(session, 'its session has ended')
                return None
            if status not in (201, 202):
                raise ClaimsError(f'The service answered {status}: {claim}')
            path, created = self._path(claim), claim['created']
            wait = WAIT
            while claim['status'] == 'waiting':
                left = wait if until is None else min(wait, until - time.monotonic())
                if left <= 0:
                    raise TimeoutError(f'{resource} is held by others.')
                status, seen, wait = self._wait(path, left, wait)
                if status != 200:
                    raise ClaimsError(f'The service answered {status}: {seen}')
                if seen['created'] != created:
                    # The service has lost its data, and gives the same ids again.
                    return None
                claim = seen
            with self._guard:
                # This client may have stood still since the answer that it holds.
                if not session.over and session.end - time.monotonic() < self.ttl / 10:
                    self._end(session, 'the service cannot be reached')
                if claim['status'] == 'expired' or session.over:
                    return None
                if claim['status'] != 'active':
                    raise ClaimsError(f'The lock was not granted: the claim is {claim["status"]}.')
                lock = Lock(resource, claim)
                session.held[path] = lock
                return lock, path
        except BaseException:
            # Interrupted before the answer was read, it asks again to learn which claim it was.
            with contextlib.suppress(ClaimsError):
                if path is None and not session.over:
                    claim = self._insist('POST', address, body, {'Idempotency-Key': key}, patience=1)[1]
                    path, created = self._path(claim), claim['created']
                if path is not None:
                    self._finish(path, created, 'aborted', patience=1)
            raise

    def _wait(self, path, left, wait):
        """Status and content of the answer, and for how many seconds the next wait may last."""
        with contextlib.suppress(Unreachable):
            status, claim, _ = self._insist('GET', f'{path}?wait={left:.3f}&while=waiting', patience=0, limit=left + 15)
            if status != 429:
                return status, claim, min(WAIT, wait + 1)
        # A gateway may cut long requests, or too many wait. A short one tells whether the service can be reached.
        time.sleep(2 * PAUSE)
        return (*self._insist('GET', path)[:2], max(1, wait / 2))

    def _enter(self):
        with self._guard:
            session = self._session
            # One that nobody used may be nearly over.
            if session is None or (session.users == 0 and session.end - time.monotonic() < self.ttl / 3):
                status, body, asked = self._insist('POST', '/v1/sessions/', {'ttl': self.ttl})
                if status != 201:
                    raise ClaimsError(f'The service answered {status}: {body}')
                session = self._session = _Session(self._path(body), body['created'], asked + self.ttl)
            session.users += 1
            if session.users == 1:
                session.wake = threading.Event()
                threading.Thread(target=self._keep, args=(session, session.wake), daemon=True).start()
            return session

    def _leave(self, session):
        with self._guard:
            session.users -= 1
            if session.users == 0:
                session.wake.set()

    def _end(self, session, reason):
        with self._guard:
            session.over = reason
            session.wake.set()
            if self._session is session:
                self._session = None
            for lock in session.held.values():
                self._lose(lock, reason)

    @staticmethod
    def _lose(lock, reason):
        lock.reason = reason
        lock.lost.set()

    def _keep(self, session, wake):
        """Renews a session until it is woken."""
        while not wake.wait(max(0, session.end - time.monotonic() - self.ttl * 2 / 3)):
            with self._guard:
                # Those of now: the answer may not know of later ones.
                held = dict(session.held)
            # A little before its end it counts as lost, for then others may have what it held.
            patience = max(0, session.end - time.monotonic() - self.ttl / 10)
            try:
                status, body, asked = self._insist('PATCH', _meant(session.path, session.created), {'ttl': self.ttl}, patience=patience)
                if status == 200 and body['created'] != session.created:
                    status = 404
                active = {self._path({'url': url}) for url in body['active']} if status == 200 else set()
            except Unreachable:
                return self._end(session, 'the service cannot be reached')
            except Exception as error:  # Of a function for headers, too: nobody renews the session any more.
                return self._end(session, str(error))
            if status != 200:
                return self._end(session, f'its session has ended ({status})')
            session.end = asked + self.ttl
            with self._guard:
                for path, lock in held.items():
                    # One that is no longer held was being released when the service was asked.
                    if path not in active and path in session.held:
                        self._lose(lock, 'the claim has ended')
        return None

    def _path(self, body):
        """Addresses are made from the one that was configured, never from an answer: a token goes nowhere else."""
        url = body.get('url') if isinstance(body, dict) else None
        place = url.find('/v1/') if isinstance(url, str) else -1
        if place < 0:
            raise ClaimsError(f'{self.url} is no claims service: it answered {body}')
        return url[place:]

    def _insist(self, method, path, body=None, headers=None, patience=None, limit=None):
        """Status, content and when it was asked. A service that cannot be reached, or answers 5xx, is asked again; so it is if a gateway
        answers in its place. limit: seconds for an attempt."""
        end = time.monotonic() + (self.patience if patience is None else patience)
        while True:
            own = self._headers() if callable(self._headers) else self._headers
            data = None if body is None else json.dumps(body).encode()
            every = {**own, **(headers or {}), **({} if body is None else {'Content-Type': 'application/json'})}
            asked = time.monotonic()
            longest = limit or (WAIT + 15 if patience is None else max(0.05, end - asked))
            try:
                request = urllib.request.Request(self.url + path, data, every, method=method)
                try:
                    response = self._open(request, timeout=longest)
                except urllib.error.HTTPError as error:
                    response = error
                with response:
                    answer = response.code, response.headers, response.read()
            except (OSError, http.client.HTTPException) as error:
                answer = None
                reason = str(getattr(error, 'reason', error))
            if answer:
                status, fields, text = answer
                content = _read(text)
                if status < 500 and self._is_own(status, content, 'Lockkeeper-Claims' in fields):
                    return status, content, asked
                if status < 500 and self._marks is None:
                    raise ClaimsError(f'{self.url} is no claims service: it answered {status} with {text[:80]!r}.')
                reason = f'it answers {status}'
            if time.monotonic() + PAUSE > end:
                raise Unreachable(f'The claims service at {self.url} could not be reached: {reason}.')
            time.sleep(PAUSE)

    def _is_own(self, status, content, marked):
        """Whether the service itself has answered. An older one, which marks nothing, is known by what it shows."""
        url = content.get('url') if isinstance(content, dict) else None
        shows = status < 300 and re.search(r'/v1/(claims|sessions)/\d+/$', str(url)) is not None
        if marked or shows:
            self._marks = marked
        return marked or (not self._marks and (shows or status == 204 or (status >= 400 and isinstance(content, dict))))


def _read(text):
    """What a JSON text says; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _meant(path, created):
    """The address of a claim or session for changes. A service that has lost its data gives the same ids again, to others: it looks when
    this one was created."""
    return f'{path}?created={urllib.parse.quote(created)}'


def _header():
    command = os.environ.get('CLAIMS_HEADER_COMMAND')
    text = subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout if command else os.environ.get('CLAIMS_HEADER')
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

    def stop(number, _):
        if child is None:
            sys.exit(75)
        child.send_signal(number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        with Claims(words.url, words.ttl, _header) as claims:
            with claims.lock(words.resource, user_data={'host': socket.gethostname(), 'process': os.getpid()}) as lock:
                child = subprocess.Popen(words.command)
                threading.Thread(target=lambda: lock.lost.wait() and child.terminate(), daemon=True).start()
                result = child.wait()
    except ClaimsError as error:
        print(f'with-claim: {"the claim was lost" if isinstance(error, LockLost) else error}', file=sys.stderr)
        return 75
    return 128 - result if result < 0 else result


if __name__ == '__main__':
    sys.exit(main())
