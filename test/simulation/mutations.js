/**
 * Deliberate faults in the log, to show that the simulation and the exact schedules find such. Each replaces some text of one file; the
 * text must be there.
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
 * @property {[string, string][]} changes each from what to what
 * @property {string} [schedule] the exact schedule that finds it; without one, random worlds do
 * @property {string[]} [faults] the kinds that bring it to light there
 */

/** @type {Mutation[]} */
export const mutations = [...joining, ...requests, ...deaths, ...duties, ...resuming, ...unwatched];
