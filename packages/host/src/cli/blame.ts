import { type Event, systemClock } from '@culprit/core';
import { timeLimit } from '@culprit/core/connector';
import { furtherGaps, remedyOf } from '@culprit/core/internal/domain/suspect';
import { likelihood, unratedTexts, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { analyse } from '@culprit/core/internal/pipeline/analyse';
import type { AnalysisResult, AnalysisStep } from '@culprit/core/internal/pipeline/analysis';
import { fingerprintEvent } from '@culprit/core/internal/pipeline/fingerprint/fingerprints-of';
import { titleOf } from '@culprit/core/internal/pipeline/normalise/title-of';
import { print } from '../log/terminal.js';
import { type CodePlace, eventOf, openPlace, PLACE_FLAGS } from './code-place.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { ownerLines } from './runs-text.js';

export const usage: CommandUsage = {
  forms: ['blame PATH:LINE[:COLUMN][:FUNCTION] [flags]'],
  flags: {
    ...PLACE_FLAGS,
    error: { value: 'TEXT', meaning: 'the error, such as "TypeError: x is undefined"' },
    source: { value: 'TEXT', meaning: 'the crashed source line, to find it if lines have moved' },
    diffs: { value: 'N', meaning: 'maximum number of diffs to read (default 50)' },
  },
};

/** Exit code 3 if there is no suspect. */
export async function run(flags: ReadFlags): Promise<number> {
  const problem = 'A frame is missing: culprit blame PATH:LINE, such as src/cart.js:41.';
  const text = flags.only(problem);
  const parsed = /^(.+?):(\d{1,9})(?::(\d{1,9}))?(?::(.+))?$/s.exec(text);
  if (parsed === null) throw usageError(problem);
  const [, file = '', line, column, name] = parsed;
  const source = flags.text('source');
  const frame = {
    file,
    line: Number(line),
    in_app: true,
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(name === undefined ? {} : { function: name }),
    ...(source === null ? {} : { context_line: source }),
  };
  const event = eventOf(flags, frame, flags.text('error'));
  const signal = timeLimit(120_000);
  const place = await openPlace(flags, signal);
  try {
    const steps: AnalysisStep[] = [];
    const result = await suspectsOf(event, place, flags.count('diffs', 50, 500), signal, steps);
    const shown = steps
      .filter(({ name: step }) => step !== 'explain' && step !== 'compose')
      .map(({ name: step, detail }) => ({ step, detail }));
    const { revision, suspects, no_suspect, ownership } = result;
    if (flags.has('json'))
      printJson({ frame: text, revision, suspects, no_suspect, ownership, steps: shown });
    else printResult(result, shown);
    return suspects.length === 0 ? EXIT.notFound : EXIT.done;
  } finally {
    await place.close();
  }
}

function suspectsOf(
  event: Event,
  { codeHost, repository, mappings }: CodePlace,
  diffBudget: number,
  signal: AbortSignal,
  steps: AnalysisStep[],
): Promise<AnalysisResult> {
  return analyse(
    {
      run_id: 'run_cli',
      project: 'default',
      generation: 1,
      cycle: 1,
      incident: {
        title: titleOf(event),
        fingerprint: fingerprintEvent(event),
        level: event.level,
        platform: event.platform,
        occurrences: 1,
        first_seen: event.timestamp,
        last_seen: event.timestamp,
        releases: event.release === null ? [] : [event.release],
        environments: [],
        doors: ['native'],
        regression_of: null,
      },
      event,
      config: {
        repository,
        publishRepository: repository,
        mappings,
        labels: [],
        assignees: [],
        commitLabels: false,
        diffBudget: Math.min(diffBudget, codeHost.diffsAtMost ?? diffBudget),
      },
      analyzedAt: event.timestamp,
    },
    {
      codeHost,
      explainers: [],
      explainMs: 1_000,
      clock: systemClock,
      signal,
      onStep: (step) => void steps.push(step),
    },
  );
}

function printResult(
  { revision, suspects, no_suspect, ownership }: AnalysisResult,
  steps: readonly { readonly step: string; readonly detail: unknown }[],
): void {
  const say = (name: string, detail: string) => print(`${name.padEnd(10)}${clipped(detail, 400)}\n`);
  for (const { step, detail } of steps) say(step, JSON.stringify(detail));
  if (no_suspect !== null) {
    const { text, command } = remedyOf(no_suspect.code);
    say('none', `${no_suspect.code}: ${no_suspect.detail}`);
    say('to mend', command === undefined ? text : `${text} ${command}`);
  }
  for (const { detail, command } of furtherGaps(revision?.gaps, no_suspect))
    say('missing', command === null ? detail : `${detail} To get it: ${command}`);
  for (const [name, detail] of ownerLines(ownership)) say(name, oneLine(detail));
  for (const why of unratedTexts(suspects)) say('unrated', `no probability: ${why}`);
  suspects.forEach((suspect, index) => {
    const { sha, title, author, committed_at, verdict, probability, reasons, components } = suspect;
    print('\n');
    say(`${index + 1}.`, `${sha.slice(0, 12)} ${title} (${author.name}, ${committed_at.slice(0, 10)})`);
    say(
      '',
      `${[VERDICT_WORDS[verdict], ...(probability === null ? [] : [likelihood(suspect)])].join(', ')}: ${reasons.map(({ text }) => text).join('; ')}`,
    );
    const parts = Object.entries(components).map(([part, value]) => `${part} ${value.toFixed(2)}`);
    say('', `score ${parts.join(' + ')}`);
  });
}
