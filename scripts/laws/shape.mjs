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
  'connector-files',
  'connector-export',
  'connector-contract',
  'bin-size',
  'example-runs',
];

/** Laws about the structure of packages. @param {import('./sources.mjs').Source[]} sources */
export function shapeLaws(root, sources) {
  return [...portLaws(sources), ...connectorLaws(root, sources), ...binLaw(root), ...exampleLaw(root)];
}

/** A port has one to four methods and a documented invariant. */
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
