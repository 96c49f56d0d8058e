/**
 * The page's timers and clocks as they are when this file is loaded. Later they may be those of the page's tests: such clocks stand still
 * or go back, and the library would wait for ever, or post a wrong time.
 */
const realm = typeof self === 'undefined' ? globalThis : self;

export const { setTimeout, clearTimeout } = realm;
const { performance, Date: { now } } = realm;

/** Milliseconds of this context's own clock. */
export const readClock = performance.now.bind(performance);

/** Milliseconds. A page may have replaced this clock before by one that is finer. */
export const readWallClock = () => Math.floor(now());
