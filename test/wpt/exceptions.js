/**
 * Subtests of the web-platform-tests that Lockkeeper does not pass, each with its reason. A subtest that is listed and passes
 * fails the run as much as one that is not listed and does not pass. docs/conformance.md tells more.
 *
 * @typedef {object} Exception
 * @property {RegExp} test matches the page's path
 * @property {RegExp} [subtest] matches the subtest's name; absent: all of the page
 * @property {string[]} engines
 * @property {boolean} [sometimes] it passes in some runs
 * @property {string} reason
 */

const TODAY = ['chromium', 'firefox', 'webkit'];
const CACHED = 'a script cannot keep its page out of the back/forward cache: what the page holds is handed back instead';
const NOT_CACHED = 'the page is refused by the back/forward cache while its connections are being closed';

/** @type {Exception[]} */
export const EXCEPTIONS = [
  { test: /\/clientids\./, engines: [...TODAY, 'chromium67'],
    reason: 'a page cannot learn its ServiceWorker client id without help from that worker' },
  { test: /\/storage-buckets\./, engines: TODAY,
    reason: 'the engine has no storage buckets, or no locks on them; native locks fail as well' },

  { test: /\/bfcache\/held\./, subtest: /main thread|on a worker|shared worker/, engines: ['chromium'], reason: CACHED },
  { test: /\/bfcache\/held\./, engines: ['firefox', 'webkit'], reason: CACHED },
  { test: /\/bfcache\/release-across-thread\./, subtest: /on shared worker/, engines: ['chromium'], sometimes: true, reason: CACHED },
  { test: /\/bfcache\/release-across-thread\./, engines: ['firefox'], sometimes: true, reason: CACHED },
  { test: /\/bfcache\/release-across-thread\./, engines: ['webkit'], reason: CACHED },
  { test: /\/bfcache\/sharedworker-multiple\./, engines: TODAY, sometimes: true, reason: CACHED },
  { test: /\/bfcache\/(abort|release)\./, engines: ['chromium', 'firefox'], sometimes: true, reason: NOT_CACHED },

  { test: /\/partitioned-web-locks\./, subtest: /nested iframe/, engines: ['webkit'],
    reason: 'WebKit does not partition storage in a nested frame; native locks fail as well' },

  { test: /\/signal\./, subtest: /abort reason/, engines: ['chromium67'], reason: 'it has no AbortSignal.reason' },
  { test: /\/query\..*worker\.html/, subtest: /different contexts|deadlock/, engines: ['chromium67'],
    reason: 'it has no workers in workers' },
];

/** Pages that an engine cannot run, with whatever locks. @type {{test: RegExp, engines: string[], reason: string}[]} */
export const NOT_RUN = [
  { test: /\.tentative\./, engines: ['chromium67'],
    reason: 'it has no back/forward cache, no partitioned storage and no storage buckets' },
];

/**
 * @param {string} engine
 * @param {string} page
 * @param {string} subtest
 */
export function exceptionFor(engine, page, subtest) {
  return EXCEPTIONS.find((each) => each.engines.includes(engine) && each.test.test(page) && (!each.subtest || each.subtest.test(subtest)));
}
