import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReports } from '../lib/api.mjs';
import { filesBelow, foldersIn } from './sources.mjs';

export const API_LAWS = ['api-report', 'public-doc'];

/** The committed reports match the built declarations, and every public name has a doc comment. */
export function apiLaws(root) {
  const reports = apiReports(root);
  const current = new Set(reports.map(({ file }) => file));
  const stale = foldersIn(root, 'packages')
    .flatMap((folder) => filesBelow(root, `packages/${folder}/api`))
    .filter((file) => !current.has(file))
    .map((file) => finding(file, 1, 'No public subpath has this report. Remove it.'));
  return [
    ...reports.flatMap(({ file, text }) => compare(root, file, text)),
    ...stale,
    ...undocumented(reports),
  ];
}

function compare(root, file, text) {
  const committed = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').split('\n') : [];
  const built = text.split('\n');
  const length = Math.max(built.length, committed.length);
  const at = Array.from({ length }, (_, line) => line).find((line) => built[line] !== committed[line]);
  if (at === undefined) return [];
  const change = `"${committed[at] ?? ''}" is now "${built[at] ?? ''}"`;
  return [finding(file, at + 1, `The public API changed: ${change}. If intended, run: npm run api`)];
}

function undocumented(reports) {
  const byName = new Map(
    reports.flatMap((report) => report.undocumented.map((entry) => [entry.name, entry])),
  );
  return [...byName.values()].map(({ file, line, name }) => ({
    file,
    line,
    law: 'public-doc',
    reason: `The public name ${name} has no doc comment.`,
  }));
}

function finding(file, line, reason) {
  return { file, line, law: 'api-report', reason };
}
