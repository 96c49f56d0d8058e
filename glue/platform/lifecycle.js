/**
 * The states of a page, as a place tells them to the log.
 *
 * - visible: visible again, awake again, or back from the back-forward cache
 * - hidden: no longer visible
 * - frozen: about to be frozen
 * - away: enters the back-forward cache. From now on it may hold nothing, and it asks for nothing until it is visible again. States that
 *   come in between change nothing.
 * - over: ends. The place tells this context nothing more.
 *
 * @typedef {'visible' | 'hidden' | 'frozen' | 'away' | 'over'} Lifecycle
 */
export {};
