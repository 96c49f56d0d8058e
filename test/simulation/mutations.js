/**
 * Deliberate faults in the log. The simulation and the exact schedules must find each of them. Each fault replaces some text of one file,
 * which must be there.
 */
import { deaths } from './mutations/deaths.js';
import { duties } from './mutations/duties.js';
import { joining } from './mutations/joining.js';
import { requests } from './mutations/requests.js';
import { resuming } from './mutations/resuming.js';
import { unwatched } from './mutations/unwatched.js';

/**
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} file in glue/log
 * @property {[string, string][]} changes each: the text, and what replaces it
 * @property {string} [schedule] the exact schedule that finds the fault; without one, random worlds find it
 * @property {string[]} [faults] the kinds of faults that these worlds have
 */

/** @type {Mutation[]} */
export const mutations = [...joining, ...requests, ...deaths, ...duties, ...resuming, ...unwatched];
