import { keys } from './keys.js';
import { decode, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** What a write has read and changed so far. */
export interface KnownRuns {
  /** Latest run of a fingerprint key. */
  readonly latest: Map<string, string>;
  readonly heads: Map<string, RunHead>;
}

/** The runs from one along merges; the last one counts. */
export interface Way {
  readonly heads: readonly RunHead[];
  /** The fingerprint key under which the last one was found; `null` if nothing was merged. */
  readonly key: string | null;
}

export function noKnownRuns(): KnownRuns {
  return { latest: new Map(), heads: new Map() };
}

/** Follows a run's merges. Whatever is not known yet is read, so that a write notices if another process changes it. */
export async function followMerges(
  reads: Pick<Transaction, 'getMany'>,
  known: KnownRuns,
  runId: string | undefined,
): Promise<Way> {
  const heads: RunHead[] = [];
  let key: string | null = null;
  for (let next = runId; next !== undefined; ) {
    const head = await knownHead(reads, known, next);
    if (head === null) break;
    heads.push(head);
    const { state, merged_into, project } = head.run;
    if (state !== 'merged' || !merged_into) break;
    const target = await knownHead(reads, known, merged_into);
    if (target === null) break;
    key = keys.fingerprint(project, target.run.fingerprint.hash);
    next = (await latestOf(reads, known, key)) ?? merged_into;
  }
  return { heads, key };
}

/** The runs from a fingerprint's latest one along merges. */
export async function wayOf(
  reads: Pick<Transaction, 'getMany'>,
  known: KnownRuns,
  fingerprintKey: string,
): Promise<Way> {
  return followMerges(reads, known, await latestOf(reads, known, fingerprintKey));
}

/** A run's head, read at most once by a write; `null` if there is none. */
export async function knownHead(
  reads: Pick<Transaction, 'getMany'>,
  { heads }: KnownRuns,
  runId: string,
): Promise<RunHead | null> {
  const there = heads.get(runId);
  if (there !== undefined) return there;
  const [text] = await reads.getMany([keys.head(runId)]);
  if (text === undefined) return null;
  const head = decode<RunHead>(text, 'run');
  heads.set(runId, head);
  return head;
}

/** The latest run of a fingerprint key. */
export async function latestOf(
  reads: Pick<Transaction, 'getMany'>,
  { latest }: KnownRuns,
  key: string,
): Promise<string | undefined> {
  const there = latest.get(key);
  if (there !== undefined) return there;
  const [runId] = await reads.getMany([key]);
  if (runId !== undefined) latest.set(key, runId);
  return runId;
}
