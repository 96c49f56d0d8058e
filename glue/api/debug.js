/**
 * Prints what this context does, one line for each event, for bug reports. docs/debugging.md explains the lines. While debugging is off,
 * nothing here runs.
 *
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').LogRequest} LogRequest
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 * @typedef {import('../log/types.js').Outcome} Outcome
 *
 * @typedef {object} OpenRequest a request of this context that has not ended
 * @property {string} title
 * @property {LogRequest | undefined} request undefined until the log has returned it
 * @property {number} since when it was made or, once it is held, granted
 * @property {boolean} held
 * @property {string} loss how its lock was stolen or broken, and by which client; empty if it was not, or if nobody can tell
 *
 * @typedef {object} DebugOptions
 * @property {string} label the manager's name; empty for the manager of navigator.locks
 * @property {() => ((line: string) => void) | undefined} choosePrinter called once, when the log is opened; undefined: print nothing
 * @property {() => number} now milliseconds since 1970
 * @property {import('./observation.js').Observation} [observation] of the log, if it keeps a copy of the state
 * @property {boolean} [hasLeader] whether the eldest member leads, as in browsers
 */

import { show } from './wording.js';

/** A line names this many of the requests that block a request, and counts the rest. */
const MOST_BLOCKERS = 3;
/** An id with more characters is shortened, since a few are enough to tell contexts apart. */
const LONG_ID = 20;

/** @param {string} client */
const shorten = (client) => client.length > LONG_ID ? client.slice(0, 8) : client;

/** @param {{mode: string, names: string[]}} request */
const lockOf = ({ mode, names }) => `${mode} ${names.map(show).join(' + ')}`;

/** @param {RequestDescription} description */
const titleOf = (description) => {
  const { ifAvailable, steal, wait, hold } = description;
  const limits = [
    ifAvailable && 'ifAvailable', steal && 'steal', wait !== undefined && `timeout ${wait} ms`, hold !== undefined && `lease ${hold} ms`,
  ];
  const given = limits.filter(Boolean);
  return lockOf(description) + (given.length ? ` (${given.join(', ')})` : '');
};

/**
 * The requests that block a pending request.
 * @param {import('../core/types.js').State} state
 * @param {{client: string, number: number, mode: string, names: string[]}} request
 */
const requestsBlocking = ({ held, pending }, { client, number, mode, names }) => {
  const place = pending.findIndex((each) => each.client === client && each.number === number);
  return [...held, ...pending.slice(0, Math.max(0, place))].filter((each) =>
    (mode === 'exclusive' || each.mode === 'exclusive') && each.names.some((name) => names.includes(name)));
};

/**
 * @param {LockLog} log
 * @param {(line: string) => void} print
 * @param {DebugOptions} options
 * @returns {LockLog}
 */
const createPrintingLog = (log, print, { label, now, observation, hasLeader }) => {
  /** @type {Set<OpenRequest>} */
  const open = new Set();
  let count = 0;
  let leader = '';

  /** @param {string} text */
  const say = (text) => print(
    `lockkeeper${label && `[${label}]`} ${new Date(now()).toISOString().slice(11, 23)} ${shorten(log.clientId()) || '(new)'} ${text}`);

  /** @param {string} client */
  const nameOf = (client) => client === log.clientId() ? 'this context' : shorten(client);
  /** @param {OpenRequest} each */
  const ageOf = ({ since }) => `${Math.max(0, Math.round(now() - since))} ms`;
  /** @param {number} number of a request of this context. If the log has not returned a request yet, it is that one */
  const find = (number) => [...open].find(({ request }) => !request || request.number === number);

  const sayMembers = () => {
    if (!observation) return '';
    const { members } = observation.state();
    const eldest = members.length && hasLeader ? members[0].client : '';
    const leads = eldest && eldest !== leader ? `; the leader is ${nameOf(eldest)}` : '';
    leader = eldest;
    return `${members.length} ${members.length === 1 ? 'member' : 'members'}${leads}`;
  };

  /** @param {import('../core/types.js').RequestOperation} operation */
  const sayWaiting = (operation) => {
    const own = find(operation.number);
    if (!own || !observation) return;
    const blockers = requestsBlocking(observation.state(), operation);
    const named = blockers.slice(0, MOST_BLOCKERS)
      .map((each) => `${nameOf(each.client)} ${each.fence ? 'holds' : 'waits for'} ${lockOf(each)}`);
    const more = blockers.length > MOST_BLOCKERS ? ` and ${blockers.length - MOST_BLOCKERS} more` : '';
    say(`${own.title}: blocked, ${named.join(', ')}${more}`);
  };

  /** @type {import('./observation.js').Listener} */
  const observed = (operation, events = []) => {
    if (!operation) {
      // Do not print an empty state: this context has just begun the log.
      if (observation && observation.state().members.length) say(`has the state: ${sayMembers()}`);
      return;
    }
    const { type } = operation;
    if (type === 'tick') return;
    if (type === 'join') say(`${nameOf(operation.client)} joined: ${sayMembers()}`);
    else if (type === 'gone') say(`${nameOf(operation.client)} is gone: it ended or left; ${sayMembers()}`);
    for (const { type: event, client, number } of events) {
      const own = event === 'broken' && client === log.clientId() && find(number);
      if (own) own.loss = `${type === 'request' ? 'stolen' : 'broken by forceRelease()'} by ${nameOf(operation.client)}`;
    }
    if (type !== 'request' || operation.client !== log.clientId()) return;
    if (!events.some(({ client, number }) => client === operation.client && number === operation.number)) sayWaiting(operation);
  };
  if (observation) observation.listen(observed);

  /** @param {OpenRequest} own @param {Outcome} outcome @param {number} fence @param {Error} [reason] */
  const sayOutcome = (own, outcome, fence, reason) => {
    const { title, held, loss } = own;
    const after = `after ${ageOf(own)}`;
    if (outcome === 'granted') {
      say(`${title}: granted ${after}${fence ? `; fence ${fence}` : ''}`);
      own.held = true;
      own.since = now();
      return;
    }
    open.delete(own);
    if (outcome === 'unavailable') say(`${title}: not available`);
    else if (outcome === 'expired') say(`${title}: ${held ? `lost ${after}, its lease is over` : `timed out ${after}`}`);
    else {
      const why = loss || (reason && reason.message) || (outcome === 'broken' ? 'stolen, or broken by forceRelease()'
        : 'this context has left, or the others took it for dead');
      say(`${title}: lost ${after}, ${why}`);
    }
  };

  /** @template Value @param {string} operation @param {Promise<Value>} promise @returns {Promise<Value>} */
  const watched = (operation, promise) => {
    promise.catch((error) => say(`${operation}() failed: ${error}`));
    return promise;
  };

  return {
    ...log,
    request(description, listener) {
      /** @type {OpenRequest} */
      const own = { title: `#${++count} ${titleOf(description)}`, request: undefined, since: now(), held: false, loss: '' };
      open.add(own);
      say(`${own.title}: requested`);
      try {
        own.request = log.request(description, (outcome, fence, reason) => {
          sayOutcome(own, outcome, fence, reason);
          listener(outcome, fence, reason);
        });
      } catch (error) {
        open.delete(own);
        say(`${own.title}: failed, ${error}`);
        throw error;
      }
      return own.request;
    },
    drop(request) {
      for (const own of open) {
        if (own.request !== request) continue;
        open.delete(own);
        say(`${own.title}: ${own.held ? 'released' : 'aborted'} after ${ageOf(own)}`);
      }
      log.drop(request);
    },
    query: () => watched('query', log.query()),
    inspect: () => watched('inspect', log.inspect()),
    forceRelease(names) {
      say(`forceRelease ${names.map(show).join(' + ')}`);
      return watched('forceRelease', log.forceRelease(names));
    },
    leave() {
      say('leaves');
      log.leave();
    },
  };
};

/**
 * @param {() => LockLog} openLog
 * @param {DebugOptions} options
 * @returns {() => LockLog} returns the log that [openLog] opens. If debugging is on at that time, the log prints.
 */
export const withDebug = (openLog, options) => {
  /** @type {LockLog | undefined} */
  let opened;
  return () => {
    if (opened) return opened;
    const print = options.choosePrinter();
    opened = print ? createPrintingLog(openLog(), print, options) : openLog();
    return opened;
  };
};
