/**
 * The public surface as text: what each entry exports, by its types, without the comments; and what there is besides when it runs.
 * A change of the surface is a change of test/build/api.md.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true });

/** @param {ts.Declaration} declaration */
const textOf = (declaration) => {
  // A variable's statement has the words around it.
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile()).replace(/ {4}/g, '  ');
};

/**
 * @param {ts.Program} program
 * @param {string} file
 */
const describeTypes = (program, file) => {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(/** @type {ts.SourceFile} */ (program.getSourceFile(file)));
  const exported = module ? checker.getExportsOfModule(module) : [];
  const byName = [...exported].sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = byName.flatMap((symbol) => {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (real.declarations ?? []).map(textOf);
  });
  return { names: byName.map(({ name }) => name), text: texts.length ? texts.join('\n') : '// nothing' };
};

/**
 * @param {string} folder of the package
 * @param {Record<string, any>} entries its exports
 */
export const apiReport = async (folder, entries) => {
  const rows = Object.entries(entries).map(([entry, conditions]) => {
    const node = conditions.node ?? conditions;
    return { entry, types: node.import?.types, file: node.import?.default };
  }).filter(({ types }) => types);
  const files = [...new Set(rows.map(({ types }) => path.join(folder, types)))];
  const program = ts.createProgram(files, { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext, lib: ['lib.es2022.d.ts'], types: [] });
  /** @type {Map<string, string>} the entry that has shown a file */
  const shown = new Map();
  const parts = ['# What each entry exports\n\nWritten by the tests: `UPDATE=1 npx mocha test/build/package.test.js`.'];
  for (const { entry, types, file } of rows) {
    const { names, text } = describeTypes(program, path.join(folder, types));
    const actual = Object.keys(await import(pathToFileURL(path.join(folder, file)).href)).sort();
    const more = actual.filter((name) => !names.includes(name));
    const known = shown.get(types);
    shown.set(types, known ?? entry);
    parts.push(`## ${entry.replace('.', 'lockkeeper')}`);
    parts.push(known ? `The same as ${known.replace('.', 'lockkeeper')}.` : `\`\`\`ts\n${text}\n\`\`\``);
    if (more.length) parts.push(`Not in the types: ${more.join(', ')}.`);
  }
  return `${parts.join('\n\n')}\n`;
};
