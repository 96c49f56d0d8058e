/** The versions that the build names are those that the committed dist/ comes from; CI builds with the same. */
import assert from 'node:assert/strict';
import { TOOLS, describeTools, installedTools } from '../../build/tools.mjs';

describe('The tools that the build needs', () => {
  it('are installed in the versions that gave dist/', () => assert.deepEqual(installedTools(), TOOLS));

  it('are named, and where others are installed the build says so', () => {
    assert.equal(describeTools(TOOLS), `Tools: Emscripten ${TOOLS.Emscripten}, Binaryen ${TOOLS.Binaryen}, clang ${TOOLS.clang}`);
    for (const tool of Object.keys(TOOLS)) {
      assert.match(describeTools({ ...TOOLS, [tool]: '999' }), /999.*committed dist\/ comes from/, tool);
    }
  });
});
