/**
 * '#edition' in the package: everything is there. In the script-tag build it is ./script.js (build/bundle.mjs), and what stands behind
 * `if (IS_PACKAGE)` is left out: a page that loads the script has navigator.locks alone, so nothing can call inspect(), the drafts or
 * lockkeeper/core there.
 */
export const IS_PACKAGE = true;
