/** What the build makes of csrc/: the Wasm, its text, the constants. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constantsText } from '../../build/constants.mjs';
import { encode } from '../../build/text.mjs';
import { alphabet, text } from '../../build/out/embedded.js';
import { decode } from '../../glue/core/text.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url));

describe('The built core', () => {
  const bytes = read('dist/core.wasm');
  const module = new WebAssembly.Module(bytes);

  it('is at most 14 KB', () => {
    assert.ok(bytes.length <= 14 * 1024, `${bytes.length} bytes`);
  });

  it('imports nothing and exports what csrc/wasm.c says, and no more', () => {
    const names = [...read('csrc/wasm.c').toString().matchAll(/^EXPORT\((\w+)\)/gm)].map(([, name]) => name);
    assert.ok(names.length > 5);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    assert.deepEqual(WebAssembly.Module.exports(module).map(({ name }) => name).sort(), ['memory', ...names].sort());
  });

  it('is embedded as plain ASCII that decodes to it', () => {
    assert.match(text + alphabet, /^[ -~]+$/);
    assert.deepEqual(Buffer.from(decode(text, alphabet)), bytes);
  });

  it('has a text for every byte, one that any kind of string holds without escapes', () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const encoded = encode(all);
    assert.doesNotMatch(encoded.text + encoded.alphabet, /['"`\\\n]/);
    assert.deepEqual(decode(encoded.text, encoded.alphabet), all);
  });

  it('has its constants from the header', () => {
    assert.equal(read('glue/core/constants.js').toString(), constantsText());
  });

  it('is the same translated to JavaScript, without anything that a Content-Security-Policy could forbid', () => {
    assert.doesNotMatch(read('build/out/core.js').toString(), /\beval\b|\bFunction\b|WebAssembly/);
  });
});
