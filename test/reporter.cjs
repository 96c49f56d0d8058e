/** Mocha's spec reporter, which also writes its counts to the file that LOCKKEEPER_COUNTS names. */
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.LOCKKEEPER_COUNTS;
    if (file) runner.once('end', () => writeFileSync(file, JSON.stringify(this.stats)));
  }
};
