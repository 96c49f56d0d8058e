/** The versions that build/build.mjs names are those that the committed dist/ comes from; CI builds with the same. */
import assert from 'node:assert/strict';
import { TOOLS, installedTools } from '../../build/tools.mjs';

describe('The tools that the build needs', () => {
  it('are installed in the versions that gave dist/', () => assert.deepEqual(installedTools(), TOOLS));
});
