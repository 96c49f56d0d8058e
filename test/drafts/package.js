/** The package's entries in one, for threads. */
export * from '../../glue/entries/drafts.js';
export { inspect, locks } from '../../glue/entries/index.js';
export { huntIn } from './hunt.js';
