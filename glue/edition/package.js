/**
 * The module '#edition' in the package. The script-tag build uses ./script.js instead (build/bundle.mjs), and so leaves out everything
 * under `if (IS_PACKAGE)`. A page with the script has only navigator.locks, so nothing there can call inspect(), the drafts or
 * lockkeeper/core.
 */
export const IS_PACKAGE = true;
