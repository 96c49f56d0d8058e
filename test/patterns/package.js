/** The package's entries in one, for threads. */
export * from '../../glue/entries/patterns.js';
export { locks } from '../../glue/entries/index.js';
