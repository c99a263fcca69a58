import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root as home } from '../lib/root.mjs';

const CONFIG = join(home, '.dependency-cruiser.cjs');
const CRUISER = join(home, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Laws about the direction of imports, checked by dependency-cruiser. @returns {import('./sources.mjs').Finding[]} */
export function importLaws(root) {
  const args = [CRUISER, '--config', CONFIG, '--output-type', 'json', 'packages'];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (!result.stdout.startsWith('{')) throw new Error(`dependency-cruiser did not run:\n${result.stderr}`);
  const { summary } = JSON.parse(result.stdout);
  const comments = new Map(summary.ruleSetUsed.forbidden.map((rule) => [rule.name, rule.comment]));
  return summary.violations.map(({ from, to, rule, unresolvedTo }) => ({
    file: from,
    line: lineOfImport(join(root, from), to),
    law: rule.name,
    reason: `imports ${unresolvedTo ?? to}. ${comments.get(rule.name) ?? ''}`.trim(),
  }));
}

/** The names of all rules, for the test that breaks each of them. */
export function importRuleNames() {
  const result = spawnSync(
    process.execPath,
    ['-p', `JSON.stringify(require(${JSON.stringify(CONFIG)}).forbidden.map(r => r.name))`],
    {
      encoding: 'utf8',
    },
  );
  return JSON.parse(result.stdout);
}

/** dependency-cruiser reports no lines: the first import that ends in the same file name. */
function lineOfImport(file, to) {
  if (!existsSync(file)) return 1;
  const stem = (to.split('/').pop() ?? to).replace(/\.(d\.)?[cm]?[jt]sx?$/, '');
  const lines = readFileSync(file, 'utf8').split('\n');
  const hit = lines.findIndex((line) => /\b(from|import)\b/.test(line) && line.includes(stem));
  return hit === -1 ? 1 : hit + 1;
}
