/** How many bytes may be kept in memory: parts of the process's heap (node --max-old-space-size). */
import { getHeapStatistics } from 'node:v8';

const { heap_size_limit: HEAP } = getHeapStatistics();

/**
 * @param {number} most megabytes
 * @param {number} part of the heap
 */
const share = (most, part) => Math.floor(Math.min(most * 2 ** 20, HEAP / part));

export const OPEN_CLAIMS = share(256, 6);
/** For final claims, if there is no store for them. */
export const FINAL_CLAIMS = share(64, 12);
export const QUEUED_OPERATIONS = share(32, 12);
/** For entries between two checkpoints. */
export const ENTRIES = share(16, 16);
/** For events that a reconnecting client may ask for. */
export const EVENTS = share(16, 24);
/** For the claims of long lists that are being sent. */
export const LISTED = share(128, 12);
