/** The module '#edition' in the script-tag build: see ./package.js. */
export const IS_PACKAGE = false;
