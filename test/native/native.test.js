import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { buildNative } from './build.js';

/** How long each fuzzer runs here, in seconds; alone they may run for ever. */
const FUZZ_SECONDS = Number(process.env.FUZZ_SECONDS || 10);

/** Some virtual machines run 64-bit programs only, and nothing that could be installed changes that. */
const runs32BitPrograms = () => spawnSync('/lib/ld-linux.so.2', ['--version']).status === 0;

for (const bits of /** @type {const} */ ([64, 32])) {
  describe(`The core, natively, with ${bits} bits`, function () {
    this.timeout(600_000);
    /** @type {string} */
    let folder;

    before(function () {
      folder = buildNative(['unit', 'steps', 'fuzz_operations', 'fuzz_snapshots', 'fuzz_heap'], bits);
      if (bits === 64 || runs32BitPrograms()) return;
      console.log('      skipped, but built: this machine runs no 32-bit programs');
      this.skip();
    });

    it('passes its unit tests under the sanitizers', () => {
      const { status, stdout, stderr } = spawnSync(`${folder}/test/native/unit`, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /allocation failures: \d+ refused/);
    });

    it('takes as many steps beside many requests as beside few', () => {
      const { status, stdout, stderr } = spawnSync(`${folder}/test/native/steps`, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
      console.log(stdout.trim().replace(/^/gm, '        '));
    });

    for (const fuzzer of ['operations', 'snapshots', 'heap']) {
      it(`withstands the fuzzer over ${fuzzer}`, () => {
        const corpus = `${folder}/corpus/${fuzzer}`;
        mkdirSync(corpus, { recursive: true });
        const options = [`-max_total_time=${FUZZ_SECONDS}`, '-max_len=400', '-print_final_stats=1', `-artifact_prefix=${folder}/`, corpus];
        const { status, stderr } = spawnSync(`${folder}/test/fuzz/fuzz_${fuzzer}`, options, { encoding: 'utf8' });
        assert.equal(status, 0, stderr.slice(-4000));
        const runs = Number(/number_of_executed_units: (\d+)/.exec(stderr)?.[1]);
        assert.ok(runs > 100, `only ${runs} runs`);
        console.log(`        ${runs} inputs`);
      });
    }
  });
}
