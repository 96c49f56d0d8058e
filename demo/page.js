/** The demo's page: it shows all lanes of the origin, is one itself, and makes frames and workers. */
import { element, setText, setUsable } from './dom.js';
import { createLaneView } from './lane.js';
import { createModel } from './model.js';
import { createPanels } from './panels.js';
import { createTimeline } from './timeline.js';

const { PRESENCE, now, createBus, claim, startLane } = /** @type {any} */ (self).demo;
const KIND_LABELS = { tab: 'Tab', frame: 'Frame', worker: 'Worker', shared: 'Shared worker' };
const COLORS = 6;
/** How long a page waits for the number of one that may just be ending. */
const PATIENCE = 400;
/** A lane that the manager has known and knows no more is gone; so is one that it has not come to know this long after it began. */
const GRACE = 8000;
const REFRESH = 1000;
const AT_LEAST_BETWEEN = 150;
const PRINTED_LENGTH = 200;

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const hasNative = 'locks' in navigator;
const native = new URL(location.href).searchParams.has('native');

/** Browsers that do not know 'wasm-unsafe-eval' take this page's policy for a ban on all Wasm; for them the core is there as JavaScript. */
const allowsWasm = () => {
  try {
    return Boolean(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  } catch {
    return false;
  }
};
/** Where the locks come from: 'native', or Lockkeeper with its core as 'wasm' or as 'js'. */
const source = native ? 'native' : allowsWasm() ? 'wasm' : 'js';
/** The manager's own report, where it gives one. @type {(() => Promise<import('../glue/api/inspect.js').Report>) | undefined} */
let inspect;

const bus = createBus(native);
/** @type {Map<string, any>} */
const views = new Map();
/** What this page made, by lane. @type {Map<string, (cause: string) => void>} */
const children = new Map();
const names = ['printer', 'file'];
let ownId = '';
let autoplay = true;
let leader = '';

const colorOf = (/** @type {string} */ name) => {
  if (!names.includes(name)) names.push(name);
  return names.indexOf(name) % COLORS;
};
const labelOfLane = (/** @type {string} */ id) => (views.has(id) ? views.get(id).lane.label : id);
const say = (/** @type {string} */ text) => setText($('status'), text);

const timeline = createTimeline({ list: $('lanes'), overlay: $('lines'), axis: $('axis'), now, colorOf });
const panels = createPanels({ queues: $('queues'), log: $('log'), members: $('members'), facts: $('facts'), colorOf, names: () => names });

/** The last lines that the library has printed, the newest last. @type {string[]} */
const printed = [];
let showing = false;
const addLine = (/** @type {string} */ line) => {
  printed.push(line);
  if (printed.length > PRINTED_LENGTH) printed.shift();
  if (showing) return;
  showing = true;
  requestAnimationFrame(() => {
    showing = false;
    const scroller = $('printed').parentElement;
    // A reader who has scrolled back stays there.
    const follows = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 4;
    setText($('printed'), printed.join('\n'));
    if (follows) scroller.scrollTop = scroller.scrollHeight;
  });
};

/** What the lanes' buttons ask for. */
const choice = () => {
  const picked = (/** @type {string} */ group) => /** @type {any} */ (document.querySelector(`input[name="${group}"]:checked`)).value;
  return { name: picked('lock') || $('other').value || 'backup', mode: picked('mode'), hold: Number(picked('hold')) };
};

const command = (/** @type {any} */ message) => {
  const end = message.command === 'close' && children.get(message.lane);
  if (end) end(/** @type {any} */ (model.lanes.get(message.lane)).kind === 'worker' ? 'crashed' : 'closed');
  else bus.send({ type: 'command', ...message });
};

/** @type {Record<string, string>} */
const SPOKEN = {
  asked: 'waits for', granted: 'holds', released: 'has released', stolen: 'has lost', aborted: 'no longer waits for',
};

const model = createModel({
  laneBegan(lane) {
    removeView(lane.id);
    const view = createLaneView({ lane, own: lane.id === ownId, choice, command });
    views.set(lane.id, view);
    $('lanes').insertBefore(view.root, nextOf(lane));
    view.strip = timeline.addStrip(view.picture);
    timeline.measure();
    view.setLeader(lane.id === leader);
  },
  laneStarted(lane) {
    views.get(lane.id).update();
    if (!autoplay) say(`${lane.label} is here`);
  },
  laneEnded(lane) {
    views.get(lane.id).update();
    say(`${lane.label}: ${lane.cause}`);
    // Its row stays while its bars are to be seen.
    setTimeout(() => {
      if (model.lanes.get(lane.id) === lane) removeView(lane.id);
    }, Math.min(timeline.windowLength(), 12000));
  },
  changed(lane, request, event, at) {
    const view = views.get(lane.id);
    timeline.show(view.strip, `${lane.id} ${request.number}`, request, event, at);
    view.update();
    if (!request.auto && SPOKEN[event]) say(`${lane.label} ${SPOKEN[event]} ${request.name}`);
    refreshSoon();
  },
  handedOver(handOver) {
    panels.addHandOver(handOver);
    const [from, to] = [views.get(handOver.from.id), views.get(handOver.to.id)];
    if (from && to) timeline.connect(from.strip, to.strip, handOver.name, handOver.at);
  },
}, now);

const KINDS = Object.keys(KIND_LABELS);
/** Rows are in the order of their kinds and numbers. @param {import('./model.js').Lane} lane */
const nextOf = (lane) => {
  const place = (/** @type {import('./model.js').Lane} */ { kind, label }) => KINDS.indexOf(kind) * 1000 + Number(label.replace(/\D/g, ''));
  const later = Array.from(views.values()).filter((view) => view.lane !== lane && place(view.lane) > place(lane));
  const [next] = later.sort((one, other) => place(one.lane) - place(other.lane));
  return next ? next.root : null;
};

/** @param {string} id */
const removeView = (id) => {
  const view = views.get(id);
  if (!view) return;
  const focused = view.root.contains(document.activeElement);
  timeline.removeStrip(view.strip);
  view.root.remove();
  views.delete(id);
  const lane = model.lanes.get(id);
  if (lane && lane.gone) model.lanes.delete(id);
  timeline.measure();
  if (focused) $('lanes-title').focus();
};

/** Asks the manager itself: which contexts wait where, lead and live. */
const refresh = async () => {
  const [snapshot, report] = await Promise.all([navigator.locks.query(), inspect && inspect()]);
  const ids = new Map((snapshot.held || []).filter(({ name }) => String(name).startsWith(PRESENCE))
    .map(({ clientId, name }) => [clientId, String(name).slice(PRESENCE.length)]));
  const labelOf = (/** @type {string} */ client) => {
    const lane = model.lanes.get(ids.get(client) || '');
    return lane ? lane.label : `${client.slice(0, 8)}…`;
  };
  const alive = new Set(ids.values());
  for (const lane of model.lanes.values()) {
    if (alive.has(lane.id)) lane.known = true;
    else if (lane.known || now() - lane.seen > GRACE) model.laneGone(lane.id, now(), 'closed');
  }
  panels.showQueues(/** @type {any} */ (snapshot), labelOf);
  panels.showReport(report, labelOf, (list) => list.filter((name) => !name.startsWith(PRESENCE)));
  const leads = (report && ids.get(report.leader)) || '';
  if (leads && leads !== leader) {
    if (leader) panels.addNote(`${labelOf(/** @type {any} */ (report).leader)} leads now`);
    leader = leads;
    views.forEach((view, id) => view.setLeader(id === leader));
  }
};

let refreshing = false;
let stale = false;
const refreshSoon = () => {
  stale = true;
  if (refreshing) return;
  refreshing = true;
  setTimeout(async () => {
    stale = false;
    await refresh().catch((error) => say(String(error.message)));
    refreshing = false;
    if (stale) refreshSoon();
  }, AT_LEAST_BETWEEN);
};

/** @type {Record<string, (address: string, id: string) => () => void>} each makes a context, and returns what ends it */
const makers = {
  frame(address, id) {
    const frame = element('iframe', { src: `frame.html${address}`, title: id, tabindex: '-1' });
    $('frames').append(frame);
    return () => frame.remove();
  },
  worker(address) {
    const worker = new Worker(`worker.js${address}`);
    return () => worker.terminate();
  },
};

const canAdd = (/** @type {string} */ kind) => kind !== 'shared' || typeof SharedWorker !== 'undefined';

/** @param {'frame' | 'worker' | 'shared' | 'tab'} kind */
const add = (kind) => {
  if (kind === 'tab') return void window.open(location.href, '_blank', 'noopener');
  const number = model.freeNumber(kind);
  const id = `${ownId}-${kind}-${number}`;
  const lane = { id, kind, label: `${KIND_LABELS[kind]} ${number}`, host: ownId };
  model.expect(lane);
  const parameters = new URLSearchParams({ ...lane, source });
  if (kind === 'shared') return void new SharedWorker(`worker.js?${parameters}`, id);
  const end = makers[kind](`?${parameters}`, id);
  children.set(id, (cause) => {
    end();
    children.delete(id);
    bus.send({ type: 'gone', lane: id, at: now(), cause });
  });
};

const setAutoplay = (/** @type {boolean} */ on) => {
  autoplay = on;
  $('autoplay').setAttribute('aria-pressed', String(on));
  // With autoplay every second has its hand-over: too many to be read out.
  $('live').setAttribute('aria-live', on ? 'off' : 'polite');
};

const connectControls = () => {
  $('autoplay').addEventListener('click', () => bus.send({ type: 'autoplay', on: !autoplay }));
  $('controls').addEventListener('click', () => {
    const shown = document.body.classList.toggle('controls');
    $('controls').setAttribute('aria-expanded', String(shown));
    timeline.measure();
  });
  for (const button of document.querySelectorAll('[data-add]')) {
    const kind = /** @type {any} */ (button.getAttribute('data-add'));
    setUsable(button, canAdd(kind));
    button.addEventListener('click', () => canAdd(kind) && add(kind));
  }
  $('other').addEventListener('focus', () => {
    $('lock-other').checked = true;
    $('choice').dispatchEvent(new Event('change'));
  });
  for (const type of ['change', 'input']) $('choice').addEventListener(type, () => views.forEach((view) => view.update()));
  $('choice').addEventListener('submit', (/** @type {Event} */ event) => event.preventDefault());
  $(native ? 'use-native' : 'use-lockkeeper').setAttribute('aria-current', 'page');
  if (!hasNative) $('use-native').removeAttribute('href');
  document.body.classList.toggle('native', native);
  setText($('about-switch'), !hasNative ? 'This browser has no Web Locks of its own.'
    : native ? 'What you see now are the browser’s own locks.' : 'It replaces the browser’s own locks here (data-force).');
};

const start = async () => {
  connectControls();
  if (source !== 'native') {
    const library = await import(`../dist/lockkeeper${source === 'js' ? '.nowasm' : ''}.mjs`);
    library.install({ force: true, insecure: true, debug: addLine });
    inspect = library.inspect;
  }
  if (!navigator.locks) throw new Error('this browser has none');
  // Whatever joining takes is no part of the patience.
  await navigator.locks.query();
  let number = 1;
  while (!await claim(`tab-${number}`, PATIENCE)) number++;
  ownId = `tab-${number}`;
  const label = `${KIND_LABELS.tab} ${number}`;
  document.title = `${label} · Lockkeeper`;
  bus.listen((/** @type {any} */ message) => {
    if (message.type === 'autoplay') setAutoplay(message.on);
    else if (message.type === 'refused') panels.addNote(`A script may not close ${labelOfLane(message.lane)}`);
    else model.receive(message);
    // A lane that begins here does as the others do.
    if (message.type === 'lane' && message.host === ownId && message.autoplay !== autoplay) bus.send({ type: 'autoplay', on: autoplay });
    // A page that begins does as the older ones do.
    else if (message.type === 'lane' && message.host !== ownId && message.kind === 'tab') setAutoplay(message.autoplay);
  });
  startLane({ bus, id: ownId, kind: 'tab', label, host: ownId, close: () => {
    window.close();
    setTimeout(() => bus.send({ type: 'refused', lane: ownId }), 500);
  } });
  bus.send({ type: 'hello' });
  // The first page brings company.
  if (number === 1) for (const kind of /** @type {const} */ (['frame', 'worker', 'shared'])) if (canAdd(kind)) add(kind);
  bus.send({ type: 'autoplay', on: autoplay });
  setInterval(refreshSoon, REFRESH);
  refreshSoon();
};

addEventListener('pagehide', () => {
  for (const end of Array.from(children.values())) end('closed');
  bus.send({ type: 'gone', lane: ownId, at: now(), cause: 'closed' });
});
// Back from a back-forward cache: what it had is gone.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

start().catch((error) => {
  $('trouble').hidden = false;
  setText($('trouble'), `No locks here: ${error.message}`);
});
