/**
 * One context of a test, in a window, frame or worker: it does as it is told, and writes what happens to the server's log, where
 * the arrival of all contexts' entries is one order. In the syntax of 2018, for old browsers.
 */
(function () {
  const id = new URLSearchParams(location.search).get('id');
  const requests = new Map();
  let transactions = 0;

  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (...given) {
    const transaction = begin.apply(this, given);
    transactions++;
    ['complete', 'abort'].forEach((event) => transaction.addEventListener(event, () => transactions--));
    return transaction;
  };

  function log(tag, event, more) {
    const entry = Object.assign({ context: id, tag, event }, more);
    return fetch('/log', { method: 'POST', body: JSON.stringify(entry), keepalive: self.document !== undefined });
  }

  function describe(snapshot) {
    const part = (locks) => locks.map(({ name, mode, clientId }) => ({ name, mode, clientId }));
    return { held: part(snapshot.held), pending: part(snapshot.pending) };
  }

  function compute(tag, milliseconds) {
    const tell = (event) => {
      const request = new XMLHttpRequest();
      request.open('POST', '/log', false);
      request.send(JSON.stringify({ context: id, tag, event }));
    };
    tell('busy');
    commands.block(milliseconds);
    tell('idle');
  }

  const commands = {
    /** Requests a lock and holds it until release(tag). Logs granted or unavailable, then ended or the name of the error. */
    request(tag, name, options) {
      const controller = new AbortController();
      const request = { controller, release: null, settled: false };
      const released = new Promise((resolve) => { request.release = resolve; });
      requests.set(tag, request);
      const immediate = options && (options.ifAvailable || options.steal);
      const withSignal = immediate ? options : Object.assign({ signal: controller.signal }, options);
      navigator.locks.request(name, withSignal, (lock) => {
        if (!lock) {
          log(tag, 'unavailable');
          return undefined;
        }
        log(tag, 'granted', { mode: lock.mode });
        return released;
      }).then(() => {
        request.settled = true;
        if (request.computes) compute(tag, request.computes);
        return log(tag, 'ended');
      }, (error) => {
        request.settled = true;
        return log(tag, error.name);
      });
    },

    /** Logs every now and then that it runs, until its request has settled. */
    keepLogging(tag) {
      const timer = setInterval(() => {
        if (requests.get(tag).settled) clearInterval(timer);
        else log(tag, 'runs');
      }, 50);
    },

    /** Keeps the event loop busy from the moment on in which the request's promise is settled. */
    releaseAndCompute(tag, milliseconds) {
      requests.get(tag).computes = milliseconds;
      commands.release(tag);
    },

    release(tag) { requests.get(tag).release(); },

    abort(tag) { requests.get(tag).controller.abort(); },

    /** Requests all at once; each is held until the server knows of it. */
    takeTurns(tags, name) {
      for (const tag of tags) {
        navigator.locks.request(name, () => log(tag, 'granted')).then(() => log(tag, 'ended'), (error) => log(tag, error.name));
      }
    },

    /** Once told on the channel `go`: requests one name after another, and says on the channel `granted` when each is. */
    requestInTurn(names) {
      const witness = new BroadcastChannel('granted');
      new BroadcastChannel('go').onmessage = async () => {
        for (const name of names) {
          await navigator.locks.request(name, () => witness.postMessage({ context: id, tag: name, event: 'granted' }));
        }
      };
    },

    query() { return navigator.locks.query().then(describe); },

    /** Has joined: a query is answered by the same means as a request. */
    ready() { return navigator.locks.query().then(() => true); },

    clientId() {
      const own = `client id of ${id}`;
      return navigator.locks.request(own, () => navigator.locks.query().then(({ held }) => held.find(({ name }) => name === own).clientId));
    },

    /** See ./register.js. */
    register() { return self.readRegister(); },

    /** Keeps the event loop busy. */
    block(milliseconds) {
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    },

    /** Keeps the event loop busy, in a task of its own. The server knows of the beginning before it, and of the end after it. */
    compute(tag, milliseconds) { setTimeout(() => compute(tag, milliseconds)); },

    /** The same, between two of its own transactions: in WebKit, others wait for a transaction that it has open. */
    computeAtRest(tag, milliseconds) {
      setTimeout(() => (transactions ? commands.computeAtRest(tag, milliseconds) : compute(tag, milliseconds)));
    },
  };

  self.actor = (command, args) => Promise.resolve().then(() => commands[command].apply(null, args));

  // Workers get messages.
  function listen(port) {
    port.onmessage = ({ data }) => {
      self.actor(data.command, data.args).then(
        (value) => port.postMessage({ call: data.call, value }), (error) => port.postMessage({ call: data.call, error: String(error) }));
    };
  }
  if (self.document === undefined) {
    if (self.onconnect !== undefined || 'SharedWorkerGlobalScope' in self) self.onconnect = (event) => listen(event.ports[0]);
    else listen(self);
  }
})();
