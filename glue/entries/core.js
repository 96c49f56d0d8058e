/** lockkeeper/core: the state machine itself, without a log or a face. */
export * from '../core/index.js';
