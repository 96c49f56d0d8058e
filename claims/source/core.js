/** The one place that says where the lock manager comes from. */
export { createCore } from 'lockkeeper/core';
