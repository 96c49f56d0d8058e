/**
 * The states of a page that a place reports to the log.
 *
 * - visible: visible again, awake again, or back from the back-forward cache
 * - hidden: no longer visible
 * - frozen: about to be frozen
 * - away: enters the back-forward cache. It may hold and request nothing until it is visible again. States reported in between change
 *   nothing.
 * - over: ends. No further state is reported.
 *
 * @typedef {'visible' | 'hidden' | 'frozen' | 'away' | 'over'} Lifecycle
 */
export {};
