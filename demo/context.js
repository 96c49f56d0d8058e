/**
 * The code of every lane: a page, a frame or a worker. It asks for locks on command, or of its own accord while autoplay is on, and reports
 * what becomes of its requests. A classic script, so that importScripts() can load it into workers of any age.
 *
 * Messages on the demo's channel:
 * - {type: 'hello'}: a page begins, and wants to hear of all lanes
 * - {type: 'lane', id, kind, label, host, autoplay, requests}: a lane begins, or answers
 * - {type: 'event', event: 'asked' | 'granted' | 'released' | 'stolen' | 'aborted', lane, at, request}
 * - {type: 'gone', lane, at, cause: 'crashed' | 'closed'}: sent by the context that knows first
 * - {type: 'command', lane, command: 'request' | 'release' | 'abort' | 'close', ...}
 * - {type: 'refused', lane}: a page was told to close, and the browser did not let it
 * - {type: 'autoplay', on}
 */
(() => {
  /** Each lane holds a lock of this name as long as it lives, so the manager's list shows which lanes live. */
  const PRESENCE = 'lane:';
  const KINDS = ['tab', 'frame', 'worker', 'shared'];
  /** Autoplay: what each lane asks for in turn, and for how many milliseconds it holds it. */
  const TURNS = [
    { name: 'printer', mode: 'exclusive', hold: 1800 },
    { name: 'file', mode: 'shared', hold: 3200 },
    { name: 'printer', mode: 'exclusive', hold: 1400 },
    { name: 'file', mode: 'shared', hold: 2600 },
    { name: 'printer', mode: 'exclusive', hold: 1600 },
    { name: 'file', mode: 'exclusive', hold: 1700 },
  ];
  const PAUSE = 350;

  const now = () => performance.timeOrigin + performance.now();

  /** The demo's own channel; it delivers to the sender as well. @param {boolean} native the lanes that use the browser's locks are apart */
  const createBus = (native) => {
    const channel = new BroadcastChannel(native ? 'lockkeeper-demo-native' : 'lockkeeper-demo');
    /** @type {((message: any) => void)[]} */
    const listeners = [];
    const deliver = (/** @type {any} */ message) => listeners.forEach((listener) => listener(message));
    channel.onmessage = ({ data }) => deliver(data);
    return {
      /** @param {any} message */
      send(message) {
        channel.postMessage(message);
        deliver(message);
      },
      /** @param {(message: any) => void} listener */
      listen: (listener) => void listeners.push(listener),
    };
  };

  /**
   * Takes the lock that stands for this lane's life.
   * @param {string} id
   * @param {number} [patience] milliseconds to wait for it
   * @returns {Promise<boolean>} whether it was to be had
   */
  const claim = (id, patience) => new Promise((resolve, reject) => {
    const controller = new AbortController();
    const timer = patience === undefined ? undefined : setTimeout(() => controller.abort(), patience);
    navigator.locks.request(PRESENCE + id, { signal: controller.signal }, () => {
      clearTimeout(timer);
      resolve(true);
      return new Promise(() => {});
    }).catch((error) => {
      if (error.name === 'AbortError') resolve(false);
      else reject(error);
    });
  });

  /**
   * @param {{bus: ReturnType<typeof createBus>, id: string, kind: string, label: string, host: string, close: () => void}} lane [close]
   *   ends this context, where it can do that itself
   */
  const startLane = ({ bus, id, kind, label, host, close }) => {
    /** @typedef {import('./model.js').LaneRequest} LaneRequest */
    /** @typedef {LaneRequest & {end: (event: string) => void, controller: AbortController}} OpenRequest */
    /** @type {Map<number, OpenRequest>} */
    const requests = new Map();
    let lastNumber = 0;
    let autoplay = false;
    /** @type {any} */
    let timer;
    let turn = KINDS.indexOf(kind) + Number(label.replace(/\D/g, '')) - 1;

    const plain = (/** @type {LaneRequest} */ { number, name, mode, auto, steal, asked, granted }) =>
      ({ number, name, mode, auto, steal, asked, granted });
    const announce = () => bus.send({ type: 'lane', id, kind, label, host, autoplay, requests: Array.from(requests.values(), plain) });

    /**
     * @param {{name: string, mode: 'exclusive' | 'shared', hold: number, steal?: boolean, auto?: boolean}} wish [hold]: milliseconds;
     *   0: until it is told to release it
     * @returns {Promise<void>} resolves when it has ended
     */
    const ask = ({ name, mode, hold, steal = false, auto = false }) => new Promise((resolve) => {
      const controller = new AbortController();
      const report = (/** @type {string} */ event, /** @type {number} */ at) =>
        bus.send({ type: 'event', event, lane: id, at, request: plain(request) });
      let letGo = () => {};
      const request = {
        number: ++lastNumber, name, mode, auto, steal, controller, asked: now(), granted: 0,
        /** @param {string} event */
        end(event) {
          if (!requests.delete(request.number)) return;
          report(event, now());
          letGo();
          resolve();
        },
      };
      requests.set(request.number, request);
      report('asked', request.asked);
      const options = steal ? { mode: /** @type {const} */ ('exclusive'), steal } : { mode, signal: controller.signal };
      navigator.locks.request(name, options, () => new Promise((release) => {
        letGo = () => release(undefined);
        request.granted = now();
        report('granted', request.granted);
        if (hold) setTimeout(() => request.end('released'), hold);
      })).catch(() => request.end(request.granted ? 'stolen' : 'aborted'));
    });

    const play = () => {
      clearTimeout(timer);
      if (!autoplay) return;
      timer = setTimeout(() => {
        // A context that a person controls does only what it is told.
        if (requests.size) return play();
        const { name, mode, hold } = TURNS[turn++ % TURNS.length];
        ask({ name, mode: /** @type {any} */ (mode), hold, auto: true }).then(play);
      }, PAUSE);
    };

    /** The open request of that name, or else the oldest. @param {string} name @param {boolean} held */
    const find = (name, held) => {
      const open = Array.from(requests.values()).filter(({ granted }) => Boolean(granted) === held);
      return open.find((request) => request.name === name) || open[0];
    };

    /** @type {Record<string, (message: any) => void>} */
    const commands = {
      request: ask,
      release({ name }) {
        const request = find(name, true);
        if (request) request.end('released');
      },
      abort({ name }) {
        const request = find(name, false);
        if (request) request.controller.abort();
      },
      close,
    };

    bus.listen((message) => {
      if (message.type === 'hello') announce();
      else if (message.type === 'command' && message.lane === id) commands[message.command](message);
      else if (message.type === 'autoplay' && message.on !== autoplay) {
        autoplay = message.on;
        play();
      }
    });
    announce();
  };

  /** The code of a frame or a worker; its address says which one it is. */
  const startChild = async () => {
    const parameters = new URL(location.href).searchParams;
    const [id, kind, label, host] = ['id', 'kind', 'label', 'host'].map((name) => parameters.get(name) || '');
    const bus = createBus(parameters.get('source') === 'native');
    const close = () => {
      // Its host ends a frame or a worker. A shared worker has none.
      if (kind !== 'shared') return;
      bus.send({ type: 'gone', lane: id, at: now(), cause: 'closed' });
      self.close();
    };
    await claim(id);
    startLane({ bus, id, kind, label, host, close });
  };

  /** @type {any} */ (self).demo = { PRESENCE, now, createBus, claim, startLane, startChild };
})();
