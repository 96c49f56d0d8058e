import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as core from '../../glue/core/index.js';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** @param {string[]} files @param {string[]} lib */
const compile = (files, lib) => ts.createProgram(files.map(pathOf), {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: lib.map((name) => `lib.${name}.d.ts`),
  types: [],
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

  it('fit the DOM\'s', () => {
    const program = compile(['types/dom.ts'], ['es2022', 'dom']);
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    assert.deepEqual(messages, []);
  });

  it('name what the entries export, no more and no less', () => {
    const program = compile(['../../types/index.d.ts', '../../types/core.d.ts', '../../types/auto.d.ts'], ['es2022']);
    assert.deepEqual(valuesOf(program, '../../types/index.d.ts'),
      ['Lock', 'LockManager', 'createLockManager', 'inspect', 'install', 'locks']);
    assert.deepEqual(valuesOf(program, '../../types/core.d.ts'), Object.keys(core).sort());
    assert.deepEqual(valuesOf(program, '../../types/auto.d.ts'), []);
  });
});
