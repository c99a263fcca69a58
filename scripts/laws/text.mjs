import ts from 'typescript';
import { lineOf, walk } from './sources.mjs';

const FILE_SYSTEM = /^(node:)?fs(\/promises)?$/;

export const TEXT_LAWS = [
  'no-default-export',
  'no-export-star',
  'no-enum',
  'no-any',
  'environment',
  'core-console',
  'core-files',
  'time-limit',
  'terminal',
  'remove-folder',
];

/** Laws about one file at a time. @param {import('./sources.mjs').Source[]} sources */
export function textLaws(sources) {
  return sources.flatMap((source) => [...exportsLaw(source), ...machineLaw(source), ...removalLaw(source)]);
}

function exportsLaw(source) {
  const found = [];
  const say = (node, law, reason) =>
    found.push({ file: source.path, line: lineOf(source, node), law, reason });
  walk(source, (node) => {
    const isDefault =
      (ts.isExportAssignment(node) && !node.isExportEquals) ||
      (ts.canHaveModifiers(node) && node.modifiers?.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword)) ||
      (ts.isExportSpecifier(node) && node.name.text === 'default');
    if (isDefault) say(node, 'no-default-export', 'Use a named export.');
    if (ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause))) {
      say(node, 'no-export-star', 'List the exported names.');
    }
    if (ts.isEnumDeclaration(node)) say(node, 'no-enum', 'Use a union or an `as const` list.');
    if (node.kind === ts.SyntaxKind.AnyKeyword)
      say(node, 'no-any', 'Use `unknown` and narrow it, or the real type.');
  });
  return found;
}

/** core uses no console and no files; the environment is read in one folder, and one file writes to the terminal. */
function machineLaw(source) {
  const inCore = source.path.startsWith('packages/core/src/');
  const mayReadEnv = source.path.startsWith('packages/host/src/config/');
  const makesLimits = source.path === 'packages/core/src/resilience/time-limit.ts';
  const writesTerminal = source.path === 'packages/host/src/log/terminal.ts';
  const callsPorts = /^packages\/(core|connectors)\/src\//.test(source.path);
  if (!/^packages\/(core|connectors|host)\/src\//.test(source.path)) return [];
  const found = [];
  const say = (node, law, reason) =>
    found.push({ file: source.path, line: lineOf(source, node), law, reason });
  walk(source, (node) => {
    if (readsEnvironment(node) && !mayReadEnv) {
      say(node, 'environment', 'Only host/src/config reads process.env. Take the value as a parameter.');
    }
    if (isTimeout(node) && callsPorts && !makesLimits) {
      say(
        node,
        'time-limit',
        'Use timeLimit: Node 20 may collect a timeout that only AbortSignal.any refers to.',
      );
    }
    if (isTerminal(node) && !writesTerminal) {
      say(
        node,
        'terminal',
        'Use print or printError of log/terminal.ts: text from outside may control a terminal.',
      );
    }
    if (!inCore) return;
    if (ts.isIdentifier(node) && node.text === 'console' && isFree(node)) {
      say(node, 'core-console', 'core writes to the Logger port, not to the console.');
    }
    if (ts.isImportDeclaration(node) && FILE_SYSTEM.test(node.moduleSpecifier.text)) {
      say(node, 'core-files', 'core has no file system. Use a port.');
    }
  });
  return found;
}

/** Tests remove folders in one way: a program that has just been killed may still write there. */
function removalLaw(source) {
  if (!source.path.includes('/test/')) return [];
  const found = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !/^(?:.*\.)?rm(?:Sync)?$/.test(node.expression.getText())) return;
    if (!node.arguments.some((argument) => /\brecursive: true\b/.test(argument.getText()))) return;
    const reason = 'Use removeFolder or temporaryFolder of bench/faults/lib/folders.mjs.';
    found.push({ file: source.path, line: lineOf(source, node), law: 'remove-folder', reason });
  });
  return found;
}

function isTimeout(node) {
  if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'timeout') return false;
  return ts.isIdentifier(node.expression) && node.expression.text === 'AbortSignal';
}

/** `process.stdout.write`, and the same of standard error. */
function isTerminal(node) {
  return ts.isPropertyAccessExpression(node) && /^process\.std(out|err)\.write$/.test(node.getText());
}

function readsEnvironment(node) {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const name = ts.isPropertyAccessExpression(node) ? node.name.text : node.argumentExpression.text;
    return name === 'env' && ts.isIdentifier(node.expression) && node.expression.text === 'process';
  }
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.initializer)) {
    if (node.initializer.text !== 'process' || !ts.isObjectBindingPattern(node.name)) return false;
    return node.name.elements.some((e) => (e.propertyName ?? e.name).text === 'env');
  }
  if (ts.isImportDeclaration(node) && /^(node:)?process$/.test(node.moduleSpecifier.text)) {
    const named = node.importClause?.namedBindings;
    return Boolean(
      named &&
        ts.isNamedImports(named) &&
        named.elements.some((e) => (e.propertyName ?? e.name).text === 'env'),
    );
  }
  return false;
}

/** Whether an identifier refers to the global, not to a member or key of that name. */
function isFree(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  return !(ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodSignature(parent));
}
