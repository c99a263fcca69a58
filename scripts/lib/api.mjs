// The public API of the packages, read from the built declarations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Subpaths without a report: internal ones may change in any release. */
const UNREPORTED = new Set(['./internal/*', './package.json']);

/**
 * One report for each public subpath: the declarations without comments, sorted by name, and the names that have no doc comment.
 * Subpaths that are not built are left out. @param {string} root
 * @returns {{ file: string, text: string, documented: { name: string, about: string }[], undocumented: { file: string, line: number, name: string }[] }[]}
 */
export function apiReports(root) {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const directory = join(root, 'packages', folder);
    const manifest = readManifest(directory);
    const entries = Object.entries(manifest?.exports ?? {})
      .filter(([subpath]) => manifest.private !== true && !UNREPORTED.has(subpath))
      .map(([subpath, target]) => ({ subpath, types: join(directory, typesOf(target)) }))
      .filter(({ types }) => existsSync(types));
    const program = ts.createProgram({
      rootNames: entries.map(({ types }) => types),
      options: { noLib: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
      host: withinPackage(directory),
    });
    /** The report that holds each declaration; further reports of the package refer to it. */
    const reported = new Map();
    return entries.map(({ subpath, types }) => {
      const name = subpath === '.' ? 'index' : subpath.slice(2);
      return { file: `packages/${folder}/api/${name}.txt`, ...report(root, program, types, name, reported) };
    });
  });
}

function readManifest(directory) {
  const file = join(directory, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function typesOf(target) {
  return typeof target === 'string' ? target.replace(/\.js$/, '.d.ts') : target.types;
}

/** Follows relative imports only: no declaration of another package is printed. */
function withinPackage(directory) {
  const host = ts.createCompilerHost({});
  host.getCurrentDirectory = () => directory;
  host.resolveModuleNameLiterals = (literals, file) =>
    literals.map(({ text }) => {
      const resolvedFileName = join(dirname(file), text.replace(/\.js$/, '.d.ts'));
      const known = text.startsWith('.') && existsSync(resolvedFileName);
      return { resolvedModule: known ? { resolvedFileName, extension: '.d.ts' } : undefined };
    });
  return host;
}

function report(root, program, types, report, reported) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(types));
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  const names = symbols
    .map((symbol) => ({ name: symbol.name, target: resolved(checker, symbol) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const declared = names.filter(({ target }) => !reported.has(target));
  const shared = names.filter(({ target }) => reported.has(target));
  for (const { target } of declared) reported.set(target, report);
  return {
    text: [
      ...declared.map(({ name, target }) => printed(name, target, tablesOf(checker, target))),
      ...shared.map(({ name, target }) => `${name}: see ${reported.get(target)}.txt\n`),
    ].join('\n'),
    documented: names.map(({ name, target }) => ({ name, about: aboutOf(checker, target) })),
    undocumented: names
      .filter(({ target }) => target.getDocumentationComment(checker).length === 0)
      .map(({ name, target }) => ({ name, ...placeOf(root, target) })),
  };
}

/** The first paragraph of the doc comment, in Markdown. */
function aboutOf(checker, symbol) {
  const text = symbol
    .getDocumentationComment(checker)
    .map(({ text }) => text)
    .join('');
  return text.split('\n\n')[0].replace(/\{@link (\w+) ?\}/g, '`$1`');
}

function resolved(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The tables that an interface takes methods from: `interface Engine extends EngineMethods`, which has a method for each row. */
function tablesOf(checker, symbol) {
  const bases = (symbol.declarations ?? [])
    .flatMap((one) => one.heritageClauses ?? [])
    .flatMap(({ types }) => types);
  const aliases = bases
    .map(({ expression }) => checker.getSymbolAtLocation(expression))
    .map((base) => base && resolved(checker, base).declarations?.[0])
    .filter((declaration) => declaration !== undefined && ts.isTypeAliasDeclaration(declaration));
  const tables = new Set();
  const visit = (node) => {
    if (ts.isTypeQueryNode(node)) tables.add(checker.getSymbolAtLocation(node.exprName).valueDeclaration);
    ts.forEachChild(node, visit);
  };
  aliases.forEach(visit);
  return [...tables];
}

function printed(name, symbol, tables) {
  const printer = ts.createPrinter({ removeComments: true });
  const lines = [...(symbol.declarations ?? []), ...tables].map((declaration) => {
    const text = printer.printNode(ts.EmitHint.Unspecified, declaration, declaration.getSourceFile());
    return ts.isVariableDeclaration(declaration) ? `const ${text};` : text.replace(/^export (declare )?/, '');
  });
  return `${name === symbol.name ? '' : `// exported as ${name}\n`}${lines.join('\n')}\n`;
}

/** The declaration's line in the source, or in the built file where there is no source. */
function placeOf(root, symbol) {
  const declaration = symbol.declarations[0];
  const built = declaration.getSourceFile();
  const source = built.fileName.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts');
  if (!existsSync(source)) {
    const { line } = built.getLineAndCharacterOfPosition(declaration.getStart());
    return { file: built.fileName.slice(root.length + 1), line: line + 1 };
  }
  const declares = new RegExp(`^export (async )?\\w+ ${symbol.name}\\b`);
  const lines = readFileSync(source, 'utf8').split('\n');
  return { file: source.slice(root.length + 1), line: lines.findIndex((line) => declares.test(line)) + 1 };
}
