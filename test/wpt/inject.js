/* global timeout, add_test_state_callback, add_result_callback, add_completion_callback */
/**
 * The functions that the runner sends into pages and workers as text. All of it must run in Chromium 67.
 */

/** @param {Function} code @param {...any} args */
export const script = (code, ...args) =>
  `(${code})(${args.map((arg) => JSON.stringify(arg).replaceAll('</', '<\\/')).join(', ')});\n`;

/**
 * First in every realm: removes the native implementation, so that the library has to install itself.
 * @param {string} tags the script tags that a document begins with
 */
export function stripNative(tags) {
  function strip(realm) {
    if (realm.__wptStripped) return;
    Object.defineProperty(realm, '__wptStripped', { value: true });
    for (const name of ['Navigator', 'WorkerNavigator']) if (realm[name]) delete realm[name].prototype.locks;
    delete realm.Lock;
    delete realm.LockManager;
  }
  strip(self);
  if (!self.HTMLIFrameElement) return;

  // An about:blank frame is not served. Its native implementation goes when script reaches for the frame, so that no test
  // passes on the browser's own merits.
  const frame = HTMLIFrameElement.prototype;
  const { get, ...contentWindow } = Object.getOwnPropertyDescriptor(frame, 'contentWindow');
  Object.defineProperty(frame, 'contentWindow', { ...contentWindow, get() {
    const realm = get.call(this);
    try {
      if (realm && realm.location.href === 'about:blank') strip(realm);
    } catch (error) { /* Of another origin: not to be reached by the test either. */ }
    return realm;
  } });
  // Nor are srcdoc documents: their markup gets the tags.
  const { set, ...srcdoc } = Object.getOwnPropertyDescriptor(frame, 'srcdoc');
  Object.defineProperty(frame, 'srcdoc', { ...srcdoc, set(markup) { set.call(this, tags + markup); } });
}

/**
 * Served as testharnessreport.js: posts the results, and ends a page that is out of time.
 * @param {{total: number, stall: number}} limits
 */
export function report(limits) {
  const SUBTEST = ['PASS', 'FAIL', 'TIMEOUT', 'NOTRUN', 'PRECONDITION_FAILED'];
  const HARNESS = ['OK', 'ERROR', 'TIMEOUT', 'PRECONDITION_FAILED'];
  const started = Date.now();
  let progress = started;
  let finished = false;
  let posting = false;
  const seen = {};

  function post(body) {
    const request = new XMLHttpRequest();
    request.open('POST', '/__runner/report', true);
    request.send(JSON.stringify(body));
  }
  function note(name, result) {
    progress = Date.now();
    seen[name] = result;
    if (posting || finished) return;
    posting = true;
    setTimeout(() => {
      posting = false;
      if (!finished) post({ subtests: seen });
    }, 250);
  }
  const outcome = (test) => ({ status: SUBTEST[test.status], message: test.message || undefined });

  setup({ explicit_timeout: true, output: false });
  add_test_state_callback((test) => { if (!seen[test.name]) note(test.name, { status: 'NOTRUN' }); });
  add_result_callback((test) => note(test.name, outcome(test)));
  add_completion_callback((tests, harness) => {
    finished = true;
    const subtests = {};
    // Of two subtests of one name the worse one counts.
    for (const test of tests) if (!subtests[test.name] || subtests[test.name].status === 'PASS') subtests[test.name] = outcome(test);
    post({ done: true, status: HARNESS[harness.status], message: harness.message || undefined, subtests });
  });
  const timer = setInterval(() => {
    const now = Date.now();
    const late = now - started > limits.total || (limits.stall > 0 && now - progress > limits.stall);
    if (!finished && !late) return;
    clearInterval(timer);
    if (!finished) timeout();
  }, 100);
}

/** In crash tests: reports when the document has loaded and its root is no longer of the class "test-wait". */
export function crashReport() {
  const errors = [];
  addEventListener('error', (event) => errors.push(String(event.message)));
  addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
  addEventListener('load', function check() {
    if (document.documentElement.classList.contains('test-wait')) {
      setTimeout(check, 50);
      return;
    }
    setTimeout(() => {
      const request = new XMLHttpRequest();
      request.open('POST', '/__runner/report', true);
      request.send(JSON.stringify({ done: true, status: 'OK',
        subtests: { 'does not hang or crash': { status: 'PASS', message: errors.join(' | ') || undefined } } }));
    }, 100);
  });
}

/** Stands in for what the test files use and Chromium 67 lacks, under names of its own: the library gets no help from them. */
export function oldBrowser() {
  self.__wptGlobal = self;
  self.__wptMicrotask = (callback) => { Promise.resolve().then(callback); };
  self.__wptAllSettled = (list) => Promise.all(Array.from(list, (item) => Promise.resolve(item).then(
    (value) => ({ status: 'fulfilled', value }), (reason) => ({ status: 'rejected', reason }))));
}

export const OLD_BROWSER_NAMES = {
  globalThis: '__wptGlobal', queueMicrotask: '__wptMicrotask', 'Promise.allSettled': '__wptAllSettled',
};
