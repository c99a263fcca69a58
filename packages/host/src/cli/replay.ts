import { resolve } from 'node:path';
import { print, type Style, styleFor } from '../log/terminal.js';
import { accept } from '../replay/accepted.js';
import { hostReplayer } from '../replay/against-host.js';
import { createReplayer } from '../replay/in-process.js';
import { readInput } from '../replay/read-input.js';
import { recordAnswers } from '../replay/record-answers.js';
import { type ReplaySummary, replayAll } from '../replay/replay-all.js';
import {
  type CaseResult,
  type ReplayCase,
  type RunResult,
  UNTIL,
  type Until,
} from '../replay/replay-case.js';
import { CLIENT_FLAGS, clientConfig, connect, EDGE_FLAGS } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, plural, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { onInterrupt } from './stop-signal.js';

export const usage: CommandUsage = {
  forms: ['replay FILE|DIR|RUN|-… [flags]', 'replay FILE|DIR|-… --url URL [flags]'],
  flags: {
    until: { value: UNTIL.join('|'), meaning: 'how far to take each run (default gate2: to its draft)' },
    times: { value: 'N', meaning: 'replay everything N times; every repetition must give the same result' },
    parallel: { value: 'N', meaning: 'number of cases at once (default 1)' },
    offline: { meaning: 'use only recorded responses' },
    repository: { value: 'PATH', meaning: 'a local git repository, for inputs without recorded responses' },
    update: { meaning: 'accept the results; record the responses in a scenario’s history.json again' },
    'fresh-ids': { meaning: 'with --url: give every crash a new event id, so that it is no duplicate' },
    ...CLIENT_FLAGS,
    ...EDGE_FLAGS,
  },
  notes: [
    'FILE is an SDK envelope, one JSON document, a JSON list or NDJSON. A document is a crash object, a request ({"path", "headers", "body"}), a line from `culprit record`, or an evidence bundle. DIR is a scenario, a folder of scenarios or a folder of files. RUN is replayed from its evidence. - is standard input.',
    'Without --url everything runs in this process: no server, nothing published, nothing stored. With --url deliveries are sent to the doors of a running host, signed with the secrets of this configuration, and gates are approved there up to --until. --until published creates real issues.',
  ],
};

/** Exit code 1 if any result differs. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length === 0) throw usageError('Nothing to replay: name a FILE, DIR, RUN or -.');
  const until = flags.oneOf<Until>('until', UNTIL, 'gate2');
  const update = flags.has('update');
  const remote = flags.text('url') !== null;
  if (update && (remote || until === 'gate1')) {
    throw usageError('--update needs drafts from this process: remove --url and --until gate1.');
  }
  const times = flags.count('times', 1, 1_000_000);
  const parallel = flags.count('parallel', 1, 64);
  const cases = await readCases(flags, update);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new CommandFailure('Interrupted.', EXIT.interrupted));
  const ignoreInterrupt = onInterrupt(interrupt);
  const progress = progressOn(process.stderr, !flags.has('json'));
  try {
    const replayCase = remote
      ? hostReplayer({ ...clientConfig(flags), api: connect(flags), until, freshIds: flags.has('fresh-ids') })
      : await createReplayer({ until, offline: flags.has('offline') });
    const summary = await replayAll(cases, replayCase, {
      times,
      parallel,
      signal: stop.signal,
      onDone: progress.at,
    });
    progress.end();
    const accepted = update ? acceptAll(cases, summary.results) : 0;
    printReplay(summary, { json: flags.has('json'), accepted });
    return summary.results.some((result) => differs(result, update)) ? EXIT.failed : EXIT.done;
  } finally {
    progress.end();
    ignoreInterrupt();
  }
}

async function readCases(flags: ReadFlags, update: boolean): Promise<readonly ReplayCase[]> {
  const given = flags.text('repository');
  const parts = {
    stdin: readStdin,
    evidence: (runId: string) => connect(flags).getEvidence({ run_id: runId }),
    repository: given === null ? null : resolve(given),
  };
  const cases: ReplayCase[] = [];
  for (const input of flags.positionals) cases.push(...(await readInput(input, parts)));
  if (!update) return cases;
  return Promise.all(cases.map((one) => (one.kind === 'deliveries' ? recordAnswers(one) : one)));
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function acceptAll(cases: readonly ReplayCase[], results: readonly CaseResult[]): number {
  let accepted = 0;
  for (const [index, one] of cases.entries()) {
    const result = results[index];
    if (result === undefined || one.acceptedFile === null || broken(result)) continue;
    const present = { ...result, runs: result.runs.filter(({ digest }) => digest !== null) };
    accept(one.acceptedFile, present, one.kind === 'deliveries' && one.folder !== null);
    accepted++;
  }
  return accepted;
}

function broken({ runs }: CaseResult): boolean {
  return runs.some(({ verdict }) => verdict === 'failed');
}

/** A difference that `--update` accepted does not count. */
function differs(result: CaseResult, update: boolean): boolean {
  return broken(result) || (!update && result.runs.some(({ verdict }) => verdict === 'different'));
}

const VERDICT_STYLES: Readonly<Record<RunResult['verdict'], Style>> = {
  same: 'green',
  different: 'red',
  failed: 'red',
  new: 'yellow',
  staged: 'dim',
};

interface PrintOptions {
  readonly json: boolean;
  /** Number of cases whose result was accepted. */
  readonly accepted: number;
}

/** Prints the summary as a table or as JSON. */
function printReplay(summary: ReplaySummary, { json, accepted }: PrintOptions): void {
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
  const amount = deliveries > 0 ? `${plural(deliveries, 'delivery', 'deliveries')} in ` : '';
  const speed = deliveries > 0 ? `, ${rate}/s` : '';
  print(`\n${verdictText.join(', ') || 'no runs'}${done} · ${amount}${round(seconds)} s${speed}\n`);
}

function outcomeText(outcomes: Readonly<Record<string, number>>): string {
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
