import { print, type Style, styleFor } from '../log/terminal.js';
import type { ReplaySummary } from '../replay/replay-all.js';
import type { RunResult } from '../replay/replay-case.js';
import { clipped, printJson, tableText } from './print.js';

const VERDICT_STYLES: Readonly<Record<RunResult['verdict'], Style>> = {
  same: 'green',
  different: 'red',
  failed: 'red',
  new: 'yellow',
  staged: 'dim',
};

export interface PrintOptions {
  readonly json: boolean;
  /** Number of cases whose result was accepted. */
  readonly accepted: number;
}

/** Prints the summary as a table or as JSON. */
export function printReplay(summary: ReplaySummary, { json, accepted }: PrintOptions): void {
  const { results, deliveries, seconds } = summary;
  const counts: Record<string, number> = {};
  for (const { runs } of results)
    for (const { verdict } of runs) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const rate = Math.round(deliveries / Math.max(0.001, seconds));
  if (json) {
    const cases = results.map(({ drafts: _drafts, ...result }) => result);
    printJson({ cases, verdicts: counts, deliveries, seconds: round(seconds), per_second: rate, accepted });
    return;
  }
  const style = styleFor(process.stdout);
  const rows = results.flatMap(({ name, runs, outcomes }) =>
    runs.length === 0
      ? [[clipped(name, 32), '', '', '', 'no run', outcomeText(outcomes)]]
      : runs.map((run, index) => [
          index === 0 ? clipped(name, 32) : '',
          run.state,
          String(run.occurrences),
          run.digest?.slice(0, 12) ?? '',
          run.verdict,
          run.detail === null ? clipped(run.title, 60) : clipped(run.detail, 100),
        ]),
  );
  const head = ['CASE', 'STATE', 'SEEN', 'DIGEST', '', 'TITLE'];
  const verdicts = [
    null,
    ...results.flatMap(({ runs }) => (runs.length === 0 ? [null] : runs.map((run) => run.verdict))),
  ];
  const shown = (cell: string, row: number, column: number) => {
    if (row === 0) return style('dim', cell);
    const verdict = verdicts[row];
    return column === 4 && verdict ? style(VERDICT_STYLES[verdict], cell) : cell;
  };
  print(tableText([head, ...rows], shown));
  for (const { name, runs } of results) {
    for (const { verdict, expected, digest } of runs) {
      if (verdict !== 'different' || expected === null) continue;
      print(`\n${name}: expected ${expected}\n${' '.repeat(name.length)}  actual   ${digest}\n`);
    }
  }
  const verdictText = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
  const done = accepted > 0 ? `, ${accepted} accepted` : '';
  const amount = deliveries > 0 ? `${counted(deliveries, 'delivery', 'deliveries')} in ` : '';
  const speed = deliveries > 0 ? `, ${rate}/s` : '';
  print(`\n${verdictText.join(', ') || 'no runs'}${done} · ${amount}${round(seconds)} s${speed}\n`);
}

function outcomeText(outcomes: Readonly<Record<string, number>>): string {
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
