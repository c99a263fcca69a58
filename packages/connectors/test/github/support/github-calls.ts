import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROUTE = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/\S*$/;
/** Files without this are not parsed. */
const MAY_CALL = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/|\b(?:query|mutation|subscription)\s+\w+\s*[({]/;
const DOCUMENT = /^\s*(query|mutation|subscription)\s+(\w+)\s*[({]/;

/** The REST routes and the names of the GraphQL documents in source files, sorted. */
export function callsIn(root: string, folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  );
  const calls = files.flatMap((file) => callsOf(readFileSync(file, 'utf8')));
  return [...new Set(calls)].sort();
}

/** Only whole literals count: a route that is put together would escape the comparison. */
export function callsOf(source: string): readonly string[] {
  const calls: string[] = [];
  if (!MAY_CALL.test(source)) return calls;
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    const [, verb, name] = DOCUMENT.exec(text ?? '') ?? [];
    if (verb !== undefined) calls.push(`${verb} ${name}`);
    else if (text !== null && ROUTE.test(text)) calls.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest));
  return calls;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? `${node.head.text}\${` : null;
}
