import type { Input } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { likelihood } from '@culprit/core/internal/domain/verdict';
import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

export async function searchRuns(reads: RunReads, query: Input<'listRuns'>): Promise<Answer> {
  const { runs, next, total, indexing } = await reads.listRuns(query);
  const count = typeof total === 'number' ? ` of ${total}` : '';
  return {
    heading: runs.length === 0 ? 'No run matches' : `Runs: ${runs.length}${count}`,
    blocks: [
      ...runs.map((run) => listOf([lineOf(run)])),
      ...(indexing ? ['Some runs of an older version are not indexed yet, so the search misses them.'] : []),
    ],
    next:
      next === null
        ? undefined
        : `More runs: the same search with the cursor ${untrusted(next, 'span', 1_000)}.`,
  };
}

function lineOf(run: RunSummary): string {
  const { run_id, title, state, occurrences, last_seen, place, suspects, no_suspect } = run;
  const [first] = suspects;
  const suspect =
    first === undefined
      ? no_suspect === null
        ? 'not analysed'
        : 'no suspect'
      : `suspect ${untrusted(first.sha.slice(0, 7))} ${untrusted(first.title, 'span', 100)} (${likelihood(first)})`;
  return [
    `${untrusted(run_id)} ${untrusted(title)}`,
    untrusted(state),
    `${occurrences} ${occurrences === 1 ? 'crash' : 'crashes'}, the last at ${untrusted(last_seen)}`,
    ...(place?.file
      ? [`at ${untrusted(place.line === null ? place.file : `${place.file}:${place.line}`)}`]
      : []),
    suspect,
  ].join('; ');
}

const MAX_RESOURCES = 50;

/** Runs that wait for a reviewer, as resources. The title is in a code span, as in answers: a list of resources may reach the model. */
export async function runResources(reads: RunReads) {
  const { runs } = await reads.listRuns({ state: WAITING_STATES.join(','), limit: MAX_RESOURCES });
  return {
    resources: runs.map(({ run_id, title, state }) => ({
      uri: `culprit://runs/${run_id}`,
      name: run_id,
      title: untrusted(reads.scrub(title)),
      description: `A run in state ${state}`,
      mimeType: 'text/markdown',
    })),
  };
}
