import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** The table "Time budget" of docs/testing.md. @returns {{ area: string, prefix: string, seconds: number }[]} */
export function readBudgets() {
  const text = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const rows = text.split('## Time budget')[1]?.match(/^\| (?!Area|---).*\|$/gm) ?? [];
  return rows.map((row) => {
    const [area = '', prefix = '', seconds = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { area, prefix, seconds: Number(seconds) };
  });
}

/** Prints what each area took. @param {Map<string, number>} times seconds by file */
export function printBudget(times, stepSeconds) {
  const budgets = readBudgets();
  const spent = new Map(budgets.map(({ area }) => [area, 0]));
  spent.set('steps', stepSeconds);
  for (const [file, seconds] of times) {
    const best = budgets
      .filter(({ prefix }) => file.startsWith(prefix))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0];
    const area = best?.area ?? 'elsewhere';
    spent.set(area, (spent.get(area) ?? 0) + seconds);
  }
  console.log(`\n${'area'.padEnd(16)}${'took'.padStart(8)}${'budget'.padStart(9)}`);
  for (const [area, seconds] of spent) {
    const budget = budgets.find((row) => row.area === area)?.seconds;
    const over = budget !== undefined && seconds > budget ? '  over' : '';
    console.log(
      `${area.padEnd(16)}${`${seconds.toFixed(0)} s`.padStart(8)}${`${budget ?? '-'} s`.padStart(9)}${over}`,
    );
  }
}
