/**
 * Every sample in JavaScript or TypeScript compiles under `strict`, with its surroundings in the tests. In JavaScript a parameter
 * without a type is any: there is no way to say more. Only what is reported inside the sample counts.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../consumers/project.js';
import { pages, samplesOf } from './pages.js';
import { PAGES } from './samples-pages.js';
import { PROGRAMS } from './samples-programs.js';

/** @type {Record<string, import('./places.js').Surroundings>} */
const NAMED = { ...PAGES, ...PROGRAMS };
/** By language, the ending of a file of it. @type {Record<string, string>} */
const ENDINGS = { js: '.mjs', jsx: '.jsx', ts: '.mts' };
/** The compiler's `self` is any worker's. */
const SERVICE_WORKER = 'const self = /** @type {ServiceWorkerGlobalScope} */ (/** @type {any} */ (globalThis));';
/** Beside a module worker stands a copy of the package's file. */
const COPY = { name: path.join(ROOT, 'test/docs/lockkeeper.d.mts'), text: "export * from 'lockkeeper';" };
const WORKERS = ['worker', 'module worker', 'service worker'];

const samples = pages().flatMap(samplesOf).filter(({ language }) => language in ENDINGS);

/** @param {import('./pages.js').Sample} sample */
const surroundingsOf = ({ name }) => NAMED[name] ?? {};

/** A file that is not on disk, where the package resolves as it does for its users. @param {import('./pages.js').Sample} sample */
const fileOf = (sample) => {
  const { in: place, before: given = '' } = surroundingsOf(sample);
  const before = place === 'service worker' ? SERVICE_WORKER : given;
  const ending = place === 'require' ? '.cjs' : ENDINGS[sample.language];
  const name = path.join(ROOT, 'test/docs', `${sample.file.replaceAll('/', '-')}-${sample.line}${ending}`);
  const start = before ? before.split('\n').length : 0;
  const text = before ? `${before}\n${sample.text}` : sample.text;
  return { name, text, start, sample };
};

/** @param {ReturnType<typeof fileOf>[]} files @param {string[]} lib */
const compile = (files, lib) => {
  /** @type {ts.CompilerOptions} */
  const options = {
    strict: true, noEmit: true, allowJs: true, checkJs: true, skipLibCheck: true, jsx: ts.JsxEmit.ReactJSX,
    noImplicitAny: !files.some(({ name }) => !name.endsWith('.mts')),
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleDetection: ts.ModuleDetectionKind.Force,
    lib: lib.map((name) => `lib.${name}.d.ts`), types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const texts = new Map([COPY, ...files].map(({ name, text }) => [name, text]));
  host.fileExists = (name) => texts.has(name) || fileExists.call(host, name);
  host.readFile = (name) => texts.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, ...more) => {
    const text = texts.get(name);
    return text === undefined ? getSourceFile.call(host, name, ...more) : ts.createSourceFile(name, text, more[0]);
  };
  return ts.createProgram([...texts.keys()], options, host);
};

/** The compiler's reports inside the samples. @param {ReturnType<typeof fileOf>[]} files @param {string[]} lib */
const problemsOf = (files, lib) => {
  const program = compile(files, lib);
  return files.flatMap(({ name, start, sample }) => {
    const file = program.getSourceFile(name);
    assert.ok(file, name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].flatMap((diagnostic) => {
      const line = file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line - start;
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
      return line < 0 ? [] : [`${sample.file}:${sample.line + 1 + line}: ${text}`];
    });
  });
};

describe('The samples in the docs, under strict', function () {
  this.timeout(120000);

  const files = samples.map(fileOf);
  const isWorker = (/** @type {ReturnType<typeof fileOf>} */ { sample }) => WORKERS.includes(String(surroundingsOf(sample).in));
  const isTyped = (/** @type {ReturnType<typeof fileOf>} */ { name }) => name.endsWith('.mts');

  for (const [title, chosen, lib] of /** @type {[string, typeof files, string[]][]} */ ([
    ['in TypeScript', files.filter(isTyped), ['es2022', 'dom']],
    ['in JavaScript', files.filter((file) => !isTyped(file) && !isWorker(file)), ['es2022', 'esnext.disposable', 'dom', 'dom.iterable']],
    ['of workers', files.filter(isWorker), ['es2022', 'webworker']],
  ])) {
    it(`those ${title}`, () => {
      assert.ok(chosen.length, 'there are some');
      assert.deepEqual(problemsOf(chosen, lib), []);
    });
  }

  it('and a wrong one is found', () => {
    const text = "import { locks } from 'lockkeeper';\nlocks.reqest('a');\n";
    const sample = { file: 'none.md', line: 1, language: 'js', name: '', text };
    assert.match(String(problemsOf([fileOf(sample)], ['es2022'])), /^none\.md:3: Property 'reqest' does not exist/);
  });
});
