import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as drafts from '../../glue/entries/drafts.js';

const pathOf = (/** @type {string} */ relative) => fileURLToPath(new URL(relative, import.meta.url));

/** @param {string} file @param {string[]} lib */
const compile = (file, lib) => ts.createProgram([pathOf(file)], {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: lib.map((name) => `lib.${name}.d.ts`),
  types: [],
});

describe('the drafts\' types', function () {
  this.timeout(60000);

  for (const [title, file, lib] of /** @type {[string, string, string[]][]} */ ([
    ['fit the way the package is used', 'types/usage.ts', ['es2022']],
    ['fit the DOM\'s', 'types/dom.ts', ['es2022', 'dom']],
  ])) {
    it(title, () => {
      const diagnostics = ts.getPreEmitDiagnostics(compile(file, lib));
      assert.deepEqual(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')), []);
    });
  }

  it('name what the entry exports, no more and no less', () => {
    const program = compile('../../types/drafts.d.ts', ['es2022']);
    const checker = program.getTypeChecker();
    const file = /** @type {ts.SourceFile} */ (program.getSourceFile(pathOf('../../types/drafts.d.ts')));
    const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(file));
    const values = checker.getExportsOfModule(module).filter(({ flags }) => flags & ts.SymbolFlags.Value).map(({ name }) => name);
    assert.deepEqual(values.sort(), Object.keys(drafts).sort());
  });
});
