/** The panels below the lanes: each lock's queue, the hand-overs, and the report of inspect(). */
import { element, setChildren, setText } from './dom.js';

/**
 * @typedef {import('./model.js').HandOver} HandOver
 * @typedef {{held: {clientId: string, name: string, mode: string}[], pending: {clientId: string, name: string, mode: string}[]}} Snapshot
 * @typedef {import('../glue/api/inspect.js').Report} Report
 */

const LOG_LENGTH = 40;

/** The word for a hand-over that was not a release. @type {Record<string, string>} */
const CAUSES = { stolen: 'stolen', crashed: 'crashed', closed: 'ended' };

/** @param {number} milliseconds */
const duration = (milliseconds) => (milliseconds < 1 ? '< 1 ms' : `${Math.round(milliseconds)} ms`);

/** @param {number} since in milliseconds since 1970 */
const ageText = (since) => {
  const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
};

/** @param {number} color @param {string} name */
const lockName = (color, name) => element('span', { class: `lock color-${color}` }, name);

/**
 * Replaces the children only if their content has changed, so that selection and scrolling stay.
 * @param {Element} target
 */
const keyedUpdate = (target) => {
  let shown = '';
  return (/** @type {string} */ key, /** @type {() => Node[]} */ make) => {
    if (key === shown) return;
    shown = key;
    setChildren(target, ...make());
  };
};

/**
 * @param {object} options
 * @param {HTMLElement} options.queues
 * @param {HTMLElement} options.log
 * @param {HTMLElement} options.members
 * @param {HTMLElement} options.facts
 * @param {(name: string) => number} options.colorOf
 * @param {() => string[]} options.names all names used so far
 */
export const createPanels = ({ queues, log, members, facts, colorOf, names }) => {
  const updateQueues = keyedUpdate(queues);
  const updateMembers = keyedUpdate(members);
  const updateFacts = keyedUpdate(facts);
  /**
   * The elements that show how long a lock has been held or awaited. They are updated while their row stays.
   * @type {{place: Element, since: number}[]}
   */
  let ages = [];

  const chips = (/** @type {{label: string, mode: string}[]} */ list, /** @type {string} */ nobody) => (list.length
    ? list.map(({ label, mode }) => element('span', { class: `chip ${mode}` }, label,
      mode === 'shared' ? element('small', {}, ' shared') : ''))
    : [element('span', { class: 'nobody' }, nobody)]);

  return {
    /** @param {Snapshot} snapshot @param {(client: string) => string} labelOf */
    showQueues({ held, pending }, labelOf) {
      const rows = names().map((name) => {
        const of = (/** @type {Snapshot['held']} */ list) => list.filter((each) => each.name === name)
          .map(({ clientId, mode }) => ({ label: labelOf(clientId), mode }));
        return { name, held: of(held), pending: of(pending) };
      });
      updateQueues(JSON.stringify(rows), () => rows.map((row) => element('div', { class: `queue color-${colorOf(row.name)}` },
        element('dt', {}, lockName(colorOf(row.name), row.name)),
        element('dd', { class: 'holders' }, element('span', { class: 'word' }, 'held by'), ...chips(row.held, 'nobody')),
        element('dd', { class: 'waiters' }, element('span', { class: 'word' }, 'waiting'), ...chips(row.pending, 'nobody')))));
    },

    /** @param {HandOver} handOver */
    addHandOver({ name, from, to, took, cause }) {
      const words = CAUSES[cause];
      log.prepend(element('li', { class: cause }, lockName(colorOf(name), name), ' ',
        element('span', { class: 'way' }, `${from.label} → ${to.label}`), words ? element('em', {}, ` ${words}`) : '',
        element('span', { class: 'took' }, duration(took))));
      while (log.children.length > LOG_LENGTH) /** @type {Element} */ (log.lastElementChild).remove();
    },

    /** @param {string} text */
    addNote(text) {
      log.prepend(element('li', { class: 'note' }, text));
    },

    /**
     * @param {Report | undefined} report
     * @param {(client: string) => string} labelOf
     * @param {(names: string[]) => string[]} visible removes the names that only the demo uses
     */
    showReport(report, labelOf, visible) {
      if (!report) {
        updateFacts('native', () => [element('div', {}, element('dt', {}, 'inspect()'), element('dd', {}, 'the browser offers none'))]);
        return updateMembers('native', () => []);
      }
      const { leader, deadlocks } = report;
      const knots = deadlocks.map((group) => group.map(labelOf).join(' ⇄ '));
      updateFacts(JSON.stringify([leader, knots, report.members.length]), () => [
        ['leader', labelOf(leader)], ['members', String(report.members.length)],
        ['suspected deadlocks', knots.join('; ') || 'none'],
      ].map(([term, value]) => element('div', { class: term === 'suspected deadlocks' && knots.length ? 'alarm' : '' },
        element('dt', {}, term), element('dd', {}, value))));
      /** @param {{names: string[], since: number}[]} list */
      const shown = (list) => list.flatMap(({ names: all, since }) => visible(all).map((name) => ({ name, since })));
      const rows = report.members.map(({ client, held, pending }) => ({
        label: labelOf(client), client, held: shown(held), pending: shown(pending),
      }));
      /** @param {ReturnType<typeof shown>} list */
      const cell = (list) => element('td', {}, ...(list.length ? list.map(({ name, since }) => {
        const place = element('span', {}, ageText(since));
        ages.push({ place, since });
        const age = element('span', { class: 'age' }, element('span', { class: 'unseen' }, 'for '), place);
        return element('div', {}, lockName(colorOf(name), name), age);
      }) : [element('span', { class: 'nobody' }, '–')]));
      updateMembers(JSON.stringify(rows), () => {
        ages = [];
        return rows.map(({ label, client, held, pending }) => element('tr', {},
          element('th', { scope: 'row' }, label, element('code', {}, client.slice(0, 8))), cell(held), cell(pending)));
      });
      return ages.forEach(({ place, since }) => setText(place, ageText(since)));
    },
  };
};
