import assert from 'node:assert/strict';
import { readMeta } from './pages.js';
import { judge, totals } from './results.js';

const page = (subtests, status = 'OK', category = 'core') => ({
  category, status, subtests: Object.fromEntries(Object.entries(subtests).map(([name, result]) => [name, { status: result }])),
});
const run = (pages) => ({ engine: 'chromium', version: '', mode: 'ours', seconds: 0, pages });
const exceptions = (...list) => (engine, path, subtest) =>
  list.find((each) => each.test.test(path) && (!each.subtest || each.subtest.test(subtest)));

describe('the judgement of a run of the web-platform-tests', () => {
  it('is content with passes, and with failures that have an exception', () => {
    assert.deepEqual(judge(run({ '/a': page({ one: 'PASS' }) }), exceptions()), []);
    assert.deepEqual(judge(run({ '/a': page({ one: 'PASS', two: 'FAIL' }) }), exceptions({ test: /a/, subtest: /two/ })), []);
    assert.deepEqual(judge(run({ '/a': page({ one: 'PASS', two: 'FAIL' }) }), exceptions({ test: /a/ })), []);
  });

  it('finds failures, time-outs, subtests that did not run, and pages that broke off', () => {
    for (const status of ['FAIL', 'TIMEOUT', 'NOTRUN', 'PRECONDITION_FAILED']) {
      assert.equal(judge(run({ '/a': page({ one: 'PASS', two: status }) }), exceptions({ test: /b/ })).length, 1);
    }
    assert.equal(judge(run({ '/a': page({ one: 'PASS' }, 'ERROR') }), exceptions()).length, 1);
    assert.equal(judge(run({ '/a': page({}, 'TIMEOUT') }), exceptions()).length, 1);
  });

  it('finds exceptions that are no longer true, unless they are so only sometimes', () => {
    const passing = run({ '/a': page({ one: 'PASS', two: 'PASS' }) });
    assert.match(judge(passing, exceptions({ test: /a/, subtest: /two/ }))[0], /in spite of.*two/);
    assert.equal(judge(passing, exceptions({ test: /a/ })).length, 2);
    assert.deepEqual(judge(passing, exceptions({ test: /a/, sometimes: true })), []);
  });

  it('counts by category, and apart what needs several contexts', () => {
    const { core, several, tentative, crash } = totals(run({
      '/web-locks/workers.https.html': page({ one: 'PASS', two: 'FAIL' }), '/web-locks/held.https.any.html': page({ one: 'PASS' }),
      '/t': page({ one: 'PASS' }, 'OK', 'tentative'), '/c': page({ one: 'TIMEOUT' }, 'OK', 'crash'),
    }));
    assert.deepEqual([core, several, tentative, crash],
      [{ passed: 2, total: 3 }, { passed: 1, total: 2 }, { passed: 1, total: 1 }, { passed: 0, total: 1 }]);
  });
});

describe('the head of a test script', () => {
  it('names the globals, the scripts and the time that it needs', () => {
    const meta = readMeta('// META: title=A title\n// META: script=/a.js\n// META: script=b.js\n' +
      '// META: global=window,worker,!sharedworker\n// META: timeout=long\n\'use strict\';\n// META: script=/too-late.js\n');
    assert.deepEqual(meta.globals, ['window', 'dedicatedworker', 'serviceworker']);
    assert.deepEqual(meta.script, ['/a.js', 'b.js']);
    assert.equal(meta.timeout, 'long');
    assert.deepEqual(readMeta('').globals, ['window', 'dedicatedworker']);
  });
});
