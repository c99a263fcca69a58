import type { Digest, Input } from '@culprit/client';
import { print, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['digest [--since TIME] [--until TIME] [flags]'],
  flags: {
    since: { value: 'TIME', meaning: 'start of the shift (default: 12h before --until; at most 31d)' },
    until: { value: 'TIME', meaning: 'its end (default: now)' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'TIME is an age such as 30m, 8h or 7d, or a time such as 2026-11-22T08:00:00Z. Times are printed in UTC.',
  ],
};

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What happened in a shift. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit digest takes only flags.');
  const period: Input<'getDigest'> = { ...timeOf(flags, 'since'), ...timeOf(flags, 'until') };
  const digest = await connect(flags).getDigest(period);
  if (flags.has('json')) printJson(digest);
  else printDigest(digest);
  return EXIT.done;
}

function timeOf<Name extends 'since' | 'until'>(flags: ReadFlags, name: Name): { [N in Name]?: string } {
  const text = flags.text(name);
  if (text === null) return {};
  const age = /^(\d{1,6})([mhd])$/.exec(text);
  const time =
    age === null
      ? Date.parse(/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : '')
      : Date.now() - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0);
  if (Number.isNaN(time) || time < 0) {
    throw usageError(`--${name} must be an age such as 8h, or a time such as 2026-11-22T08:00:00Z.`);
  }
  return { [name]: new Date(time).toISOString() } as { [N in Name]?: string };
}

function printDigest(digest: Digest): void {
  const style = styleFor(process.stdout);
  const { waiting, gates, reviewers, new_runs, failed_analyses, published, rejected, regressions } = digest;
  const head = `From ${minute(digest.since)} to ${minute(digest.until)} UTC`;
  const wait = ({ decisions, median_wait_ms: ms }: Digest['gates']['gate1']) =>
    `${decisions} decided${ms === null ? '' : `, median wait ${spanText(ms)}`}`;
  const rows = [
    ['waiting now', `${waiting.gate2} at Gate 2, ${waiting.gate1} at Gate 1`],
    ['Gate 1', wait(gates.gate1)],
    ['Gate 2', wait(gates.gate2)],
    ['new runs', String(new_runs)],
    ['failed analyses', String(failed_analyses)],
    ...reviewers.map(({ name, decisions }) => [
      clipped(name, 30),
      Object.entries(decisions)
        .map(([decision, count]) => `${decision} × ${count}`)
        .join(', '),
    ]),
  ];
  print(`${style('bold', head)}\n\n${tableText(rows)}`);
  part('Oldest waiting', waiting.oldest, ({ first_seen, state }) => [minute(first_seen), state]);
  part('Published', published.runs, ({ at, issue_url }) => [minute(at), issue_url], published.count);
  part('Regressions', regressions.runs, ({ at, state }) => [minute(at), state], regressions.count);
  part('Rejected', rejected.runs, ({ at, by }) => [minute(at), clipped(by ?? '', 30)], rejected.count);
  if (!digest.complete) {
    print('\nMore runs changed or wait than one digest reads. Ask for a shorter period.\n');
  }

  function part<Run extends { readonly run_id: string; readonly title: string }>(
    name: string,
    runs: readonly Run[],
    facts: (run: Run) => readonly string[],
    count = runs.length,
  ): void {
    if (runs.length === 0) return;
    const lines = runs.map((run) => [...facts(run).map(oneLine), run.run_id, clipped(run.title, 70)]);
    print(`\n${style('bold', `${name} (${count})`)}\n${tableText(lines)}`);
    if (runs.length < count) print(`and ${count - runs.length} more\n`);
  }
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

/** `45 s`, `12 min`, `3 h 5 min` */
function spanText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
