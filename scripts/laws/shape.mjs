import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { foldersIn, lineOf } from './sources.mjs';

export const SHAPE_LAWS = [
  'port-law',
  'port-empty',
  'connector-files',
  'connector-export',
  'connector-contract',
  'example-runs',
  'chosen-library',
];

/** Laws about the structure of packages. @param {import('./sources.mjs').Source[]} sources */
export function shapeLaws(root, sources) {
  return [
    ...portLaws(sources),
    ...connectorLaws(root, sources),
    ...exampleLaw(root),
    ...chosenLaw(root, sources),
  ];
}

/** A port has a method and a documented invariant. */
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
      const doc = ts
        .getJSDocCommentsAndTags(node)
        .map((part) => part.getText(source.ast))
        .join('\n');
      const all = doc + methods.map((m) => m.getFullText(source.ast)).join('\n');
      if (!/\b(?:Law|Invariant|[Mm]ust|[Nn]ever)\b/.test(all)) {
        say(
          'port-law',
          `State the invariant of ${node.name.text} in its doc comment: "Must …" or "Never …".`,
        );
      }
    }
    if (ports === 0) {
      found.push({
        file: source.path,
        line: 1,
        law: 'port-empty',
        reason: 'The file has no port. Move its types to domain.',
      });
    }
  }
  return found;
}

function isMethod(member) {
  if (ts.isMethodSignature(member)) return true;
  return ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type);
}

/** Every connector folder has a README, a public subpath and a test with a contract suite. */
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
      say(folder, 'connector-contract', 'No test runs a contract suite of @culprit/core/testing on it.');
    }
  }
  for (const key of Object.keys(exported)) {
    const name = key.slice(2);
    if (key === './package.json' || folders.includes(name)) continue;
    // What all connectors own of one kind, such as settings.ts.
    if (existsSync(join(root, `${base}/src/${name}.ts`))) continue;
    say(`${base}/package.json`, 'connector-export', `"${key}" is exported, but src/${name}/ does not exist.`);
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

/** The examples test runs every example, from packed tarballs. */
function exampleLaw(root) {
  const tests = ['examples.full.test.ts', 'installed/examples.ts'].map((name) =>
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

/** The libraries that the product was asked to stand on are imported. The list is `chosenLibraries` of the root's package.json. */
function chosenLaw(root, sources) {
  const file = 'package.json';
  const { chosenLibraries = [] } = existsSync(join(root, file))
    ? JSON.parse(readFileSync(join(root, file), 'utf8'))
    : {};
  return chosenLibraries
    .filter(
      (name) => !sources.some(({ text }) => new RegExp(`(?:from |import |import\\()'${name}'`).test(text)),
    )
    .map((name) => ({
      file,
      line: 1,
      law: 'chosen-library',
      reason: `Nothing imports '${name}'. The user chose it: use it.`,
    }));
}
