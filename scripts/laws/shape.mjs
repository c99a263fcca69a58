import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { filesBelow, foldersIn, lineOf } from './sources.mjs';

const MAX_METHODS = 4;
const BIN_LINES = 30;

export const SHAPE_LAWS = [
  'port-size',
  'port-law',
  'port-empty',
  'injection',
  'connector-files',
  'connector-export',
  'connector-contract',
  'bin-size',
  'example-runs',
];

/** Laws about how the house is built. @param {import('./sources.mjs').Source[]} sources */
export function shapeLaws(root, sources) {
  return [
    ...portLaws(sources),
    ...injectionLaw(sources),
    ...connectorLaws(root, sources),
    ...binLaw(root),
    ...exampleLaw(root),
  ];
}

/** A port is one to four methods under a law that is written down. */
function portLaws(sources) {
  const found = [];
  for (const source of sources.filter(({ path }) => path.startsWith('packages/core/src/ports/'))) {
    let ports = 0;
    for (const node of source.ast.statements) {
      if (!ts.isInterfaceDeclaration(node)) continue;
      const methods = node.members.filter(isMethod);
      if (methods.length === 0) continue;
      ports += 1;
      const say = (law, reason) => found.push({ file: source.path, line: lineOf(source, node), law, reason });
      if (methods.length > MAX_METHODS) {
        say(
          'port-size',
          `${node.name.text} has ${methods.length} methods; a port has at most ${MAX_METHODS}.`,
        );
      }
      const doc = ts
        .getJSDocCommentsAndTags(node)
        .map((part) => part.getText(source.ast))
        .join('\n');
      const all = doc + methods.map((m) => m.getFullText(source.ast)).join('\n');
      if (!/\bLaw\b|\b[Mm]ust\b/.test(all)) {
        say('port-law', `${node.name.text} does not say its law; write "Law: …" in its doc comment.`);
      }
    }
    if (ports === 0) {
      found.push({
        file: source.path,
        line: 1,
        law: 'port-empty',
        reason: 'No port here; types belong in domain.',
      });
    }
  }
  return found;
}

function isMethod(member) {
  if (ts.isMethodSignature(member)) return true;
  return ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type);
}

/** A step or gate that knows tsyringe is a class that di/ builds. */
function injectionLaw(sources) {
  const core = sources.filter(({ path }) => path.startsWith('packages/core/src/'));
  const importsOf = (source) => source.ast.statements.filter(ts.isImportDeclaration);
  const built = new Set(
    core
      .filter(({ path }) => path.startsWith('packages/core/src/di/'))
      .flatMap((source) =>
        importsOf(source).map((node) => resolveLocal(source.path, node.moduleSpecifier.text)),
      ),
  );
  return core
    .filter(({ path }) => /\/src\/(gates|pipeline)\//.test(path) && !built.has(path))
    .flatMap((source) =>
      importsOf(source)
        .filter((node) => node.moduleSpecifier.text === 'tsyringe')
        .map((node) => ({
          file: source.path,
          line: lineOf(source, node),
          law: 'injection',
          reason: 'Only classes that di/ builds know tsyringe, and di/ does not import this file.',
        })),
    );
}

function resolveLocal(from, specifier) {
  return specifier.startsWith('.') ? join(from, '..', specifier).replace(/\.js$/, '.ts') : specifier;
}

/** Folders, public subpaths, guides and contract suites are the same set. */
function connectorLaws(root, sources) {
  const base = 'packages/connectors';
  if (!existsSync(join(root, base, 'package.json'))) return [];
  const exported = JSON.parse(readFileSync(join(root, base, 'package.json'), 'utf8')).exports ?? {};
  const folders = foldersIn(root, `${base}/src`).filter((name) => name !== 'shared');
  const found = [];
  const say = (file, law, reason) => found.push({ file, line: 1, law, reason });
  for (const name of folders) {
    const folder = `${base}/src/${name}`;
    for (const file of ['README.md', 'index.ts']) {
      if (!existsSync(join(root, folder, file))) say(folder, 'connector-files', `${file} is missing.`);
    }
    if (!exported[`./${name}`]) say(folder, 'connector-export', `package.json does not export "./${name}".`);
    if (!sources.some((source) => runsContract(source, name))) {
      say(folder, 'connector-contract', 'No test puts it through a contract suite of @culprit/core/testing.');
    }
  }
  for (const key of Object.keys(exported)) {
    const name = key.slice(2);
    if (key === './package.json' || folders.includes(name)) continue;
    say(`${base}/package.json`, 'connector-export', `"${key}" is exported, but src/${name}/ is not there.`);
  }
  return found;
}

function runsContract(source, connector) {
  return (
    source.path.startsWith('packages/connectors/test/') &&
    source.text.includes('@culprit/core/testing') &&
    /contract|suite/i.test(source.text) &&
    new RegExp(`src/${connector}/`).test(source.text)
  );
}

function binLaw(root) {
  return filesBelow(root, 'packages/host/src/bin').flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;
    if (lines <= BIN_LINES) return [];
    return [
      {
        file,
        line: BIN_LINES + 1,
        law: 'bin-size',
        reason: `${lines} lines; a bin has at most ${BIN_LINES}.`,
      },
    ];
  });
}

/** Every example is run by the examples test, from packed tarballs. */
function exampleLaw(root) {
  const tests = ['examples.full.test.ts', 'stranger/examples.ts'].map((name) =>
    join(root, 'packages/host/test', name),
  );
  const text = tests.map((test) => (existsSync(test) ? readFileSync(test, 'utf8') : '')).join('\n');
  return foldersIn(root, 'examples')
    .filter((name) => name !== 'node_modules' && !new RegExp(`\\b${name}\\b`).test(text))
    .map((name) => ({
      file: `examples/${name}`,
      line: 1,
      law: 'example-runs',
      reason: `packages/host/test/examples.full.test.ts does not run '${name}'.`,
    }));
}
