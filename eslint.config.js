import js from '@eslint/js';
import globals from 'globals';

// The core may load WebAssembly, and that is all: what runs in the simulator must not name a browser's or Node's globals.
const webAssembly = { WebAssembly: 'readonly' };
const worker = Object.fromEntries(Object.keys(globals.worker).map((name) => [name, 'readonly']));
const browser = { ...globals.browser, ...worker, ...globals.serviceworker };

export default [
  { ignores: ['dist/**', 'build/out/**', '**/node_modules/**', '.cache/**', 'test/out/**'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: {} },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-len': ['error', { code: 140, ignoreUrls: true, ignoreStrings: false, ignoreTemplateLiterals: false }],
      'no-unused-vars': ['error', { args: 'after-used', caughtErrors: 'none', ignoreRestSiblings: true }],
      'prefer-const': 'error',
      'no-var': 'error',
      eqeqeq: ['error', 'always'],
      semi: ['error', 'always'],
      quotes: ['error', 'single', { avoidEscape: true, allowTemplateLiterals: true }],
      indent: ['error', 2, { SwitchCase: 1, ignoredNodes: ['TemplateLiteral *'] }],
      'no-trailing-spaces': 'error',
      'eol-last': 'error',
    },
  },
  { files: ['glue/core/**'], languageOptions: { globals: webAssembly } },
  {
    files: ['glue/platform/browser*', 'glue/platform/browser*/**', 'glue/order/*.js'],
    languageOptions: { globals: browser },
  },
  { files: ['glue/platform/node*', 'glue/platform/node*/**'], languageOptions: { globals: globals.nodeBuiltin } },
  // What every page, worker and thread has.
  {
    files: ['glue/patterns/**'],
    languageOptions: {
      globals: { AbortController: 'readonly', DOMException: 'readonly', setTimeout: 'readonly', clearTimeout: 'readonly' },
    },
  },
  { files: ['glue/entries/**', 'glue/platform/realm.js'], languageOptions: { globals: { self: 'readonly', globalThis: 'readonly' } } },
  { files: ['*.js', 'build/**', 'claims/**', 'demo/*.{js,mjs}'], languageOptions: { globals: globals.nodeBuiltin } },
  // Functions in tests are sent to pages as well, so both kinds of names occur in one file.
  { files: ['test/**'], languageOptions: { globals: { ...globals.nodeBuiltin, ...globals.mocha, ...browser } } },
  { files: ['demo/**', 'claims/page/**'], languageOptions: { globals: browser } },
  { files: ['test/browsers/pages/**', 'test/fire/pages/**'], languageOptions: { sourceType: 'script' } },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: globals.node } },
  // Injected before everything else in every realm, Chromium 67's included.
  { files: ['test/wpt/inject.js'], languageOptions: { ecmaVersion: 2018 } },
];
