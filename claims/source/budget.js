/** What may be kept in memory, in bytes, by what the process has (node --max-old-space-size). */
import { getHeapStatistics } from 'node:v8';

const { heap_size_limit: HEAP } = getHeapStatistics();

/**
 * @param {number} most megabytes
 * @param {number} part of the heap
 */
const share = (most, part) => Math.floor(Math.min(most * 2 ** 20, HEAP / part));

export const OPEN_CLAIMS = share(256, 6);
/** Final ones, where no store has them. */
export const FINAL_CLAIMS = share(64, 12);
export const QUEUED_OPERATIONS = share(32, 12);
/** Entries between two checkpoints. */
export const ENTRIES = share(16, 16);
/** Events for those who come back. */
export const EVENTS = share(16, 24);
