/** One tab of a test of the patterns: it has the package's entries, and the manager that its address names. */
import { locks as ours } from '/dist/lockkeeper.mjs';
import * as patterns from '/dist/patterns.mjs';

const locks = new URLSearchParams(location.search).get('manager') === 'native' ? navigator.locks : ours;
const events = [];

self.actor = { ...patterns, locks, events, note: (event) => events.push(event) };
