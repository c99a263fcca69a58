import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {{ file: string, line: number, law: string, reason: string }} Finding
 * @typedef {{ path: string, text: string, ast: import('typescript').SourceFile }} Source
 */

/** Files below `folder` (relative to `root`), `/`-separated, sorted; empty if the folder does not exist. */
export function filesBelow(root, folder) {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist|fixtures)\//.test(path))
    .sort();
}

/** Names of the folders directly in `folder`. */
export function foldersIn(root, folder) {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** Every TypeScript file of the packages, parsed. @returns {Source[]} */
export function readSources(root) {
  const paths = foldersIn(root, 'packages').flatMap((name) =>
    ['src', 'test'].flatMap((part) => filesBelow(root, `packages/${name}/${part}`)),
  );
  return paths
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) };
    });
}

/** The 1-based line on which a node begins, without its comments. */
export function lineOf(source, node) {
  return source.ast.getLineAndCharacterOfPosition(node.getStart(source.ast)).line + 1;
}

/** Calls `visit` for every node of the file, parents first. */
export function walk(source, visit) {
  const step = (node) => {
    visit(node);
    ts.forEachChild(node, step);
  };
  step(source.ast);
}
