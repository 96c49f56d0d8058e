/** lockkeeper/core: the state machine alone. */
export * from '../core/index.js';
