import type { Digest } from '@culprit/client';
import { styleFor } from '../log/terminal.js';
import { usageError } from './exit-codes.js';
import { form, overCore } from './over-core.js';
import { clipped, minuteText as minute, tableText } from './print.js';
import { type ReadFlags, spanMs } from './read-flags.js';

/** What happened in a shift. */
export const { usage, run } = overCore(
  'digest',
  {
    flags: {
      since: { value: 'TIME', meaning: 'start of the shift (default: 12h before --until; at most 31d)' },
      until: { value: 'TIME', meaning: 'its end (default: now)' },
    },
    notes: [
      'TIME is an age such as 30m, 8h or 7d, or a time such as 2026-11-22T08:00:00Z. Times are printed in UTC.',
    ],
  },
  {
    '': form('[--since TIME] [--until TIME]', {
      call: ({ api, flags }) =>
        api.getDigest({ since: timeOf(flags, 'since'), until: timeOf(flags, 'until') }),
      text: digestText,
    }),
  },
);

function timeOf(flags: ReadFlags, name: 'since' | 'until'): string | undefined {
  const text = flags.text(name);
  if (text === null) return undefined;
  const span = spanMs(text);
  const time =
    span === null
      ? Date.parse(/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : '')
      : Date.now() - span;
  if (Number.isNaN(time) || time < 0)
    throw usageError(`--${name} must be an age such as 8h, or a time such as 2026-11-22T08:00:00Z.`);
  return new Date(time).toISOString();
}

function digestText(digest: Digest): string {
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
  return [
    `${style('bold', head)}\n\n${tableText(rows)}`,
    part('Oldest waiting', waiting.oldest, ({ first_seen, state }) => [minute(first_seen), state]),
    part('Published', published.runs, ({ at, issue_url }) => [minute(at), issue_url], published.count),
    part('Regressions', regressions.runs, ({ at, state }) => [minute(at), state], regressions.count),
    part('Rejected', rejected.runs, ({ at, by }) => [minute(at), clipped(by ?? '', 30)], rejected.count),
    ...(digest.complete
      ? []
      : ['\nMore runs changed or are waiting than one digest reads. Choose a shorter period.\n']),
  ].join('');
}

function part<Run extends { readonly run_id: string; readonly title: string }>(
  name: string,
  runs: readonly Run[],
  facts: (run: Run) => readonly string[],
  count = runs.length,
): string {
  if (runs.length === 0) return '';
  const lines = runs.map((run) => [...facts(run), run.run_id, clipped(run.title, 70)]);
  const more = runs.length < count ? `and ${count - runs.length} more\n` : '';
  return `\n${styleFor(process.stdout)('bold', `${name} (${count})`)}\n${tableText(lines)}${more}`;
}

/** `45 s`, `12 min`, `3 h 5 min` */
function spanText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
