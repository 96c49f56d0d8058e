/** Writes operations and what they led to as a schedule that parse.js reads. */
import { Numbering } from './numbering.js';
import { written } from './words.js';

/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('../../glue/core/types.js').LockEvent} LockEvent */
/** @typedef {import('./parse.js').Outcome} Outcome */
/**
 * @typedef {{kind: 'restore'} | {kind: 'raise', fence: number, outcome: Outcome} |
 *   {kind: 'apply', operation: Operation, outcome: Outcome}} Happening
 */

/**
 * @param {Happening[]} happenings
 * @returns {string} the lines of one fenced block
 */
export function print(happenings) {
  const numbering = new Numbering();
  let requests = 0;
  return happenings.map((happening) => {
    if (happening.kind === 'restore') return 'snapshot and restore';
    const { outcome } = happening;
    if (happening.kind === 'raise') {
      const raised = `fences above ${numberText(happening.fence)}`;
      return 'error' in outcome ? `${raised.padEnd(50)} => fails ${outcome.error}` : raised;
    }
    const { operation } = happening;
    const label = operation.type === 'request' ? `#${requests += 1}` : '';
    const left = line(operation, label, numbering);
    if ('error' in outcome) {
      numbering.failed(operation, outcome.error);
      return `${left.padEnd(50)} => fails ${outcome.error}`;
    }
    numbering.succeeded(operation, label);
    if (outcome.events.length === 0) return left;
    return `${left.padEnd(50)} => ${outcome.events.map((event) => eventText(event, numbering)).join(', ')}`;
  }).join('\n');
}

/**
 * @param {Operation} operation
 * @param {string} label
 * @param {Numbering} numbering
 */
function line(operation, label, numbering) {
  if (operation.type === 'tick') return `time ${operation.now}`;
  const client = written(operation.client);
  if (operation.type === 'gone') return `${client} is gone`;
  const usual = operation.type === 'join' ? 1 : numbering.next(operation.client);
  const number = Object.is(operation.number, usual) ? '' : ` number ${numberText(operation.number)}`;
  switch (operation.type) {
    case 'join':
      return `${client} joins${number}`;
    case 'drop': {
      const own = numbering.label({ client: operation.client, number: operation.request });
      return `${client} releases ${own ?? numberText(operation.request)}${number}`;
    }
    case 'force-release':
      return [client, 'force-releases', ...operation.names.map(written)].join(' ') + number;
    case 'request': {
      const { names, mode, limit, ifAvailable, steal, wait, hold } = operation;
      const options = [
        mode,
        ...limit === undefined ? [] : [`limit ${numberText(limit)}`],
        ...ifAvailable ? ['ifAvailable'] : [],
        ...steal ? ['steal'] : [],
        ...wait === undefined ? [] : [`wait ${numberText(wait)}`],
        ...hold === undefined ? [] : [`hold ${numberText(hold)}`],
      ];
      return [client, 'requests', label, ...names.map(written), ...options].join(' ') + number;
    }
  }
}

/** @param {number} value */
const numberText = (value) => (value === Infinity ? 'never' : Object.is(value, -0) ? '-0' : String(value));

/**
 * @param {LockEvent} event
 * @param {Numbering} numbering
 */
function eventText(event, numbering) {
  if (event.type === 'joined') return `${written(event.client)} joined`;
  return `${numbering.label(event) ?? `${written(event.client)} ${event.number}`} ${event.type}`;
}
