/** The result of a run of the suite: totals, the comparison with the native implementation, and surprises. */

/**
 * @typedef {{status: string, message?: string}} Subtest
 * @typedef {{category: string, status: string, message?: string, subtests: Record<string, Subtest>}} PageResult
 * @typedef {object} Run
 * @property {string} engine
 * @property {string} version
 * @property {string} mode
 * @property {number} seconds
 * @property {Record<string, PageResult>} pages
 */

/** The subtests that several contexts must agree for; one realm alone can pass all others. */
const severalContexts = (page, subtest) => /\/(frames|workers|query-ordering|clientids|non-fully-active)\./.test(page) ||
  (/\/query\./.test(page) && /different ids|deadlock/.test(subtest));

/** @param {Run} run */
export function totals(run) {
  const sums = Object.fromEntries(['core', 'several', 'tentative', 'crash'].map((key) => [key, { passed: 0, total: 0 }]));
  for (const [page, { category, subtests }] of Object.entries(run.pages)) {
    for (const [name, { status }] of Object.entries(subtests)) {
      for (const sum of [sums[category], ...(severalContexts(page, name) ? [sums.several] : [])]) {
        sum.total++;
        if (status === 'PASS') sum.passed++;
      }
    }
  }
  return sums;
}

/** @param {Run} run */
export function printRun(run) {
  const { core, several, tentative, crash } = totals(run);
  const part = ({ passed, total }) => `${passed}/${total}`;
  console.log(`${run.version}, ${run.mode}: ${core.passed + tentative.passed}/${core.total + tentative.total} subtests ` +
    `(core ${part(core)}, of which several contexts ${part(several)}; tentative ${part(tentative)}), ` +
    `crash tests ${part(crash)}, ${run.seconds} s`);
}

/**
 * Prints what the native implementation passes and ours does not, and the other way round.
 * @param {Run} ours
 * @param {Run} native
 */
export function compare(ours, native) {
  const passes = (run) => new Set(Object.entries(run.pages).flatMap(([page, { subtests }]) =>
    Object.entries(subtests).filter(([, { status }]) => status === 'PASS').map(([name]) => `${page}: ${name}`)));
  const [our, their] = [passes(ours), passes(native)];
  const short = [...their].filter((each) => !our.has(each));
  const beyond = [...our].filter((each) => !their.has(each));
  console.log(`  of native's ${their.size} we pass ${their.size - short.length}, and ${beyond.length} that native does not`);
  for (const each of short) console.log(`  native alone passes ${each}`);
}

/**
 * What does not pass and has no exception, and what passes in spite of one.
 * @param {Run} run
 * @param {(engine: string, page: string, subtest: string) => import('./exceptions.js').Exception | undefined} exceptionFor
 */
export function judge(run, exceptionFor) {
  const surprises = [];
  for (const [page, result] of Object.entries(run.pages)) {
    const subtests = Object.entries(result.subtests);
    const failures = subtests.filter(([, { status }]) => status !== 'PASS');
    for (const [name, { status, message }] of failures) {
      if (!exceptionFor(run.engine, page, name)) surprises.push(`${status} ${page}: ${name} -- ${(message ?? '').slice(0, 200)}`);
    }
    // A page that ends early without a failing subtest may have left others out.
    if (result.status !== 'OK' && failures.length === 0 && !exceptionFor(run.engine, page, '')) {
      surprises.push(`${result.status} ${page} ${result.message ?? ''}`);
    }
    for (const [name, { status }] of subtests) {
      const exception = status === 'PASS' ? exceptionFor(run.engine, page, name) : undefined;
      if (!exception || exception.sometimes || (!exception.subtest && failures.length > 0)) continue;
      surprises.push(`passes in spite of an exception: ${page}: ${name}`);
    }
  }
  return surprises;
}
