import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as core from '../../glue/core/index.js';
import * as patterns from '../../glue/entries/patterns.js';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** @param {string[]} files @param {string[]} lib @param {string[]} [types] packages with global types */
const compile = (files, lib, types = []) => ts.createProgram(files.map(pathOf), {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: lib.map((name) => `lib.${name}.d.ts`),
  types,
});

/** What a declaration file exports that is a value. @param {ts.Program} program @param {string} file */
const valuesOf = (program, file) => {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(pathOf(file)));
  return checker.getExportsOfModule(module).filter((symbol) => symbol.flags & ts.SymbolFlags.Value).map((symbol) => symbol.name).sort();
};

describe('the types', function () {
  this.timeout(60000);

  it('fit the way the package is used, with the language\'s library alone', () => {
    const program = compile(['types/usage.ts'], ['es2022']);
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    assert.deepEqual(messages, []);
  });

  for (const [title, lib, types] of /** @type {[string, string[], string[]][]} */ ([
    ['a page', ['es2022', 'dom'], []], ['a worker', ['es2022', 'webworker'], []], ['a page, beside Node\'s', ['es2022', 'dom'], ['node']],
  ])) {
    it(`fit those of ${title}, both ways`, () => {
      const program = compile(['types/dom.ts'], lib, types);
      const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
      assert.deepEqual(messages, []);
    });
  }

  it('know Node\'s AbortSignal', () => {
    const program = compile(['types/node.ts'], ['es2022'], ['node']);
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    assert.deepEqual(messages, []);
  });

  it('name what the entries export, no more and no less', () => {
    const program = compile(['index', 'core', 'auto', 'patterns'].map((name) => `../../types/${name}.d.ts`), ['es2022']);
    assert.deepEqual(valuesOf(program, '../../types/index.d.ts'),
      ['Lock', 'LockManager', 'createLockManager', 'inspect', 'install', 'locks']);
    assert.deepEqual(valuesOf(program, '../../types/core.d.ts'), Object.keys(core).sort());
    assert.deepEqual(valuesOf(program, '../../types/auto.d.ts'), []);
    assert.deepEqual(valuesOf(program, '../../types/patterns.d.ts'), Object.keys(patterns).sort());
  });
});
