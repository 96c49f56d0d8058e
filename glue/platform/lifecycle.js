/**
 * What a place tells the log about its page.
 *
 * - visible: seen or awake again, or back from a back-forward cache
 * - hidden: not seen any more
 * - frozen: about to be stopped
 * - away: goes into a back-forward cache. It may hold nothing from here on, and asks for nothing before it is visible, whatever else it
 *   is told before.
 * - over: ends. Nothing is told to this context any more.
 *
 * @typedef {'visible' | 'hidden' | 'frozen' | 'away' | 'over'} Lifecycle
 */
export {};
