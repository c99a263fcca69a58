// Reports the lines of packages/*/src by package and folder, and the longest files and functions. Nothing fails by it: a size is a
// hint for a reader, no law. `npm run sizes`; with --json: the lines by package.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { lineOf, walk } from './laws/sources.mjs';
import { root } from './lib/root.mjs';

const SHOWN = 15;
const tracked = execFileSync('git', ['ls-files', 'packages/*/src/*'], { cwd: root, encoding: 'utf8' });
const sources = tracked
  .split('\n')
  .filter((path) => /\.(tsx?|css)$/.test(path))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  });
const code = sources.filter(({ path }) => !path.endsWith('.css'));

const sum = (files) => files.reduce((total, { lines }) => total + lines, 0);
const by = (keyOf) => {
  const groups = groupBy(code, keyOf);
  return [...groups].map(([name, files]) => ({ name, lines: sum(files), files: files.length })).sort(longest);
};
function groupBy(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
function longest(a, b) {
  return b.lines - a.lines;
}

const packages = by(({ path }) => path.split('/')[1]);
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(Object.fromEntries(packages.map(({ name, lines }) => [name, lines]))));
} else {
  const styles = sum(sources.filter(({ path }) => path.endsWith('.css')));
  print('Packages', [...packages, { name: 'all', lines: sum(code), files: code.length }]);
  console.log(`Style sheets, counted apart: ${styles}\n`);
  print('Folders', by(({ path }) => path.split('/').slice(1, 5).slice(0, -1).join('/')).slice(0, 2 * SHOWN));
  print(
    'Files',
    code
      .map(({ path, lines }) => ({ name: path, lines }))
      .sort(longest)
      .slice(0, SHOWN),
  );
  print('Functions', functions().sort(longest).slice(0, SHOWN));
}

function print(title, rows) {
  console.log(title);
  for (const { name, lines, files } of rows) {
    console.log(`${String(lines).padStart(8)}  ${name}${files === undefined ? '' : `  (${files} files)`}`);
  }
  console.log('');
}

function functions() {
  return code.flatMap(({ path, text }) => {
    const source = { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) };
    const found = [];
    walk(source, (node) => {
      if (!ts.isFunctionLike(node) || !node.body || !ts.isBlock(node.body)) return;
      const last = source.ast.getLineAndCharacterOfPosition(node.end).line + 1;
      const first = lineOf(source, node);
      found.push({
        name: `${path}:${first} ${node.name?.getText(source.ast) ?? ''}`,
        lines: last - first + 1,
      });
    });
    return found;
  });
}
