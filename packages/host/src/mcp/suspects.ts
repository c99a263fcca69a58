import type { Run } from '@culprit/core';
import {
  furtherGaps,
  NO_SUSPECT,
  readSuspect,
  remedyOf,
  type Suspect,
} from '@culprit/core/internal/domain/suspect';
import { likelihood, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { hunkDiff } from '@culprit/core/internal/pipeline/draft/suspect-section';
import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

const MAX_REASONS = 8;

/** The suspect commits with reasons and diffs, or why there are none. */
export async function getSuspects(reads: RunReads, runId: string): Promise<Answer> {
  const run = await reads.getRun({ run_id: runId });
  const { suspects } = run;
  const gaps = gapTexts(run);
  if (suspects.length === 0) return { heading: 'No suspect', blocks: [noSuspectText(run), ...gaps] };
  return {
    heading: `Suspects of run ${untrusted(run.run_id)}: ${suspects.length}`,
    blocks: [
      'A suspect is a change, not a person.',
      ...gaps,
      ...suspects.map((one) => suspectText(readSuspect(one))),
    ],
  };
}

export function suspectLine(suspect: Suspect): string {
  const { sha, title, author, committed_at, verdict } = suspect;
  const change = `${untrusted(sha.slice(0, 12))} ${untrusted(title, 'span', 120)}`;
  return `${likelihood(suspect)}, ${VERDICT_WORDS[verdict]}: ${change}, by ${untrusted(author.name, 'span', 60)} at ${untrusted(committed_at)}`;
}

/** What the repository does not show. */
function gapTexts({ revision, no_suspect }: Run): readonly string[] {
  return furtherGaps(revision?.gaps, no_suspect).map(
    ({ code, detail }) => `Missing, code ${untrusted(code)}: ${untrusted(detail, 'span', 300)}`,
  );
}

/** Why a run has no suspect. */
export function noSuspectText({ no_suspect, explanation }: Run): string {
  if (no_suspect === null) {
    return explanation === null
      ? 'None yet: the run has not passed Gate 1, so nothing was analysed.'
      : NO_SUSPECT.no_candidates;
  }
  const { code, detail } = no_suspect;
  const known = NO_SUSPECT[code] ?? '';
  const more = detail === known ? '' : ` ${untrusted(detail, 'span', 400)}`;
  const { text, command } = remedyOf(code);
  const fix = command === undefined ? text : `${text} \`${command}\``;
  return `None, code ${untrusted(code)}. ${known}${more} ${fix}`.trim();
}

function suspectText(suspect: Suspect): string {
  const { pull_request, reasons, hunk } = suspect;
  const parts = [
    `### ${suspectLine(suspect)}`,
    ...(pull_request === null ? [] : [`From pull request ${Math.trunc(pull_request.number)}.`]),
    'This commit',
    // A reason's text is our own words around code spans.
    listOf(reasons.slice(0, MAX_REASONS).map(({ text }) => text)),
    ...(hunk === null ? [] : [`In ${untrusted(hunk.path)}:`, hunkDiff(hunk)]),
  ];
  return parts.join('\n\n');
}
