import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import ts from 'typescript';

const ROUTE = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/\S*$/;
/** Files without this are not parsed. */
const MAY_CALL =
  /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/|\b(?:query|mutation|subscription)\s+\w+\s*[({]|(?<!\.\.)\.rest\b|[{,]\s*rest\s*[,}:]/;
const DOCUMENT = /^\s*(query|mutation|subscription)\s+(\w+)\s*[({]/;

/** Rows of Culprit's own API look alike. */
const OWN_ROUTES = /^server[/\\]/;

/** The REST routes and the names of the GraphQL documents in source files, sorted. */
export function callsIn(root: string, folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !OWN_ROUTES.test(name))
      .map((name) => join(root, folder, name)),
  );
  const calls = files.flatMap((file) => callsOf(readFileSync(file, 'utf8')));
  return [...new Set(calls)].sort();
}

/**
 * Routes and documents count as whole literals, Octokit's methods as `….rest.issues.create` or `{ create } = ….rest.issues`. In any other
 * form they would escape the comparison, so what follows `.rest` is then a call that no request matches.
 */
export function callsOf(source: string): readonly string[] {
  const calls: string[] = [];
  if (!MAY_CALL.test(source)) return calls;
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    const [, verb, name] = DOCUMENT.exec(text ?? '') ?? [];
    if (verb !== undefined) calls.push(`${verb} ${name}`);
    else if (text !== null && ROUTE.test(text)) calls.push(text);
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'rest') calls.push(...methodsAt(node));
    if (ts.isBindingElement(node) && isNamedRest(node)) calls.push(node.parent.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true));
  return calls;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? `${node.head.text}\${` : null;
}

function isNamedRest({ dotDotDotToken, propertyName, name }: ts.BindingElement): boolean {
  return dotDotDotToken === undefined && (propertyName ?? name).getText() === 'rest';
}

function methodsAt(rest: ts.PropertyAccessExpression): readonly string[] {
  const { parent } = rest;
  // The client hands all of them on.
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === 'rest') return [];
  if (!ts.isPropertyAccessExpression(parent)) return [parent.getText()];
  const scope = parent.name.text;
  const use = parent.parent;
  if (ts.isPropertyAccessExpression(use)) return [routeOf(scope, use.name.text)];
  if (!ts.isVariableDeclaration(use) || !ts.isObjectBindingPattern(use.name)) return [use.getText()];
  return use.name.elements.map(({ name, propertyName = name }) => routeOf(scope, propertyName.getText()));
}

const { rest } = new Octokit();

function routeOf(scope: string, name: string): string {
  const methods = rest[scope as keyof typeof rest] as unknown as Record<string, typeof rest.issues.create>;
  const { method, url } = methods?.[name]?.endpoint.DEFAULTS ?? {};
  return url === undefined ? `rest.${scope}.${name}` : `${method} ${url}`;
}
