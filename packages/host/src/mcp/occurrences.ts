import type { OccurrenceEntry } from '@culprit/core';
import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

interface Query {
  readonly number?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The occurrences of a run, or one with its event. */
export async function getOccurrences(reads: RunReads, runId: string, query: Query): Promise<Answer> {
  if (query.number !== undefined) return oneOccurrence(reads, runId, query.number);
  const { limit, cursor } = query;
  const page = await reads.listOccurrences({
    run_id: runId,
    limit,
    ...(cursor === undefined ? {} : { cursor }),
  });
  return {
    heading: `Occurrences of run ${untrusted(runId)}: ${page.occurrences.length}, latest first`,
    blocks: page.occurrences.map((entry) => listOf([lineOf(entry)])),
    next: page.next === null ? undefined : `More: the same call with the cursor ${untrusted(page.next)}.`,
  };
}

function lineOf({
  number,
  received_at,
  release,
  environment,
  door,
  trust,
  user,
  stored,
}: OccurrenceEntry): string {
  return [
    `${number}: ${untrusted(received_at)}`,
    ...(release === null ? [] : [`release ${untrusted(release)}`]),
    ...(environment === null ? [] : [`environment ${untrusted(environment)}`]),
    ...(user === null ? [] : [`user ${untrusted(user)}`]),
    `door ${untrusted(door)}${trust === 'untrusted' ? ', with a public key' : ''}`,
    ...(stored ? ['its event is stored'] : []),
  ].join('; ');
}

/** What a crash reports besides its stack, which get_stack shows. */
async function oneOccurrence(reads: RunReads, runId: string, number: number): Promise<Answer> {
  const { occurrence, event } = await reads.getOccurrence({ run_id: runId, number });
  const { request, tags, contexts, user, extra, breadcrumbs, exceptions, message } = event;
  const last = exceptions.at(-1);
  const error = last ? [last.type, last.value].filter((part) => part !== null).join(': ') : (message ?? '');
  const part = (name: string, value: unknown) => {
    const empty = value === null || JSON.stringify(value).length <= 2;
    return empty ? [] : [`### ${name}\n\n${untrusted(JSON.stringify(value, null, 2), 'block', 4_000)}`];
  };
  return {
    heading: `Occurrence ${number} of run ${untrusted(runId)}`,
    blocks: [
      listOf([lineOf(occurrence), `Error: ${untrusted(error, 'span', 400)}`]),
      ...part('Request', request),
      ...part('Tags', tags),
      ...part('Contexts', contexts),
      ...part('User', user),
      ...part('Extra', extra),
      ...part('Breadcrumbs', breadcrumbs.slice(-20)),
    ],
  };
}
