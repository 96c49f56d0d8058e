/** The only place that imports the lock manager. */
export { createCore } from 'lockkeeper/core';
