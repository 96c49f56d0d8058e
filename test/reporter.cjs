/** Mocha's spec reporter, which also writes its counts, and what failed, to the file that LOCKKEEPER_COUNTS names. */
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** So much of an error's text says what went wrong. */
const LONGEST = 200;

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.LOCKKEEPER_COUNTS;
    const failed = [];
    runner.on('fail', (test, error) => failed.push(`${test.fullTitle()}: ${String(error?.message ?? error).slice(0, LONGEST)}`));
    if (file) runner.once('end', () => writeFileSync(file, JSON.stringify({ ...this.stats, failed })));
  }
};
