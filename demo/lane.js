/** One row: its context, what that does, its buttons, and its part of the picture. */
import { element, icon, setText, setUsable } from './dom.js';

/**
 * @typedef {import('./model.js').Lane} Lane
 * @typedef {import('./model.js').LaneRequest} LaneRequest
 * @typedef {{name: string, mode: 'exclusive' | 'shared', hold: number}} Choice what the buttons ask for
 */

/** How a lane of each kind is ended, and the word for it. @type {Record<string, string>} */
const END_WORDS = { tab: 'Close', frame: 'Close', worker: 'Crash', shared: 'Close' };

/** @type {Record<string, string>} */
const KIND_NAMES = { tab: 'page', frame: 'iframe', worker: 'dedicated worker', shared: 'shared worker' };

/** @param {LaneRequest} request */
const heldText = ({ name, mode }) => (mode === 'shared' ? `shares ${name}` : `holds ${name}`);

/** @param {Iterable<LaneRequest>} requests */
const stateText = (requests) => {
  const open = Array.from(requests);
  return [
    ...open.filter(({ granted }) => granted).map(heldText),
    ...open.filter(({ granted }) => !granted).map(({ name }) => `waits for ${name}`),
  ].join(', ') || 'idle';
};

/**
 * @param {object} options
 * @param {Lane} options.lane
 * @param {boolean} options.own the page that shows it
 * @param {() => Choice} options.choice
 * @param {(message: any) => void} options.command
 */
export const createLaneView = ({ lane, own, choice, command }) => {
  const { id, label, kind } = lane;

  /**
   * @param {string} action
   * @param {string} text
   * @param {() => void} run
   */
  const button = (action, text, run) => element('button', {
    type: 'button', class: `action ${action}`, 'data-action': action, 'aria-disabled': 'false',
    onclick: (/** @type {Event} */ event) => {
      if (/** @type {Element} */ (event.currentTarget).getAttribute('aria-disabled') !== 'true') run();
    },
  }, text);

  const buttons = {
    request: button('request', 'Request', () => command({ lane: id, command: 'request', ...choice() })),
    release: button('release', 'Release', () => command({ lane: id, command: 'release', name: choice().name })),
    steal: button('steal', 'Steal', () => command({ lane: id, command: 'request', ...choice(), mode: 'exclusive', steal: true })),
    abort: button('abort', 'Abort', () => command({ lane: id, command: 'abort', name: choice().name })),
    close: button('close', END_WORDS[kind], () => command({ lane: id, command: 'close' })),
  };

  const state = element('span', { class: 'state' }, 'idle');
  const leads = element('span', { class: 'leads', hidden: true, title: 'The eldest: it watches for deaths and deadlines' }, 'leads');
  const title = element('h3', { class: 'name', id: `lane-${id}` }, icon(kind), element('span', {}, label));
  const about = own ? 'this page' : KIND_NAMES[kind];
  const picture = element('div', { class: 'picture', 'aria-hidden': 'true' });
  const root = element('li', { class: `lane ${kind}`, 'data-lane': id, 'aria-labelledby': `lane-${id}` },
    element('div', { class: 'who' },
      title,
      element('span', { class: 'about' }, about === label.toLowerCase() ? '' : about),
      leads,
      state),
    picture,
    element('div', { class: 'actions', role: 'group', 'aria-label': `Tell ${label}` }, ...Object.values(buttons)));

  /** The buttons' names say what they would do now. */
  const update = () => {
    const { name, mode } = choice();
    const open = Array.from(lane.requests.values());
    const target = (/** @type {boolean} */ held) => {
      const some = open.filter(({ granted }) => Boolean(granted) === held);
      return some.find((request) => request.name === name) || some[0];
    };
    const [held, waiting] = [target(true), target(false)];
    setUsable(buttons.request, lane.started && !lane.gone);
    setUsable(buttons.steal, lane.started && !lane.gone);
    setUsable(buttons.release, Boolean(held));
    setUsable(buttons.abort, Boolean(waiting));
    setUsable(buttons.close, !lane.gone && !own);
    buttons.request.setAttribute('aria-label', `Request ${name}, ${mode}, for ${label}`);
    buttons.steal.setAttribute('aria-label', `Steal ${name} for ${label}`);
    buttons.release.setAttribute('aria-label', `Release ${held ? held.name : 'a lock'} of ${label}`);
    buttons.abort.setAttribute('aria-label', `Abort the request of ${label}${waiting ? ` for ${waiting.name}` : ''}`);
    buttons.close.setAttribute('aria-label', `${END_WORDS[kind]} ${label}`);
    setText(state, lane.gone ? lane.cause : lane.started ? stateText(open) : 'starts');
    root.classList.toggle('busy', open.some(({ granted }) => granted));
    root.classList.toggle('gone', Boolean(lane.gone));
  };
  update();

  return {
    lane, root, picture, update,
    /** @type {HTMLElement} */
    strip: /** @type {any} */ (undefined),
    /** @param {boolean} leader */
    setLeader(leader) {
      if (leads.hidden === leader) leads.hidden = !leader;
    },
  };
};
