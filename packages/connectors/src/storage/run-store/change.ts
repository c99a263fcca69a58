import type { Event } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';
import { differenceOf } from '@culprit/core/internal/domain/quota';
import type { RunRecord } from '@culprit/core/internal/domain/run';
import type { RunChange, RunPatch } from '@culprit/core/internal/ports/run-store';
import type { Feed } from './feed.js';
import { isRunId, keys } from './keys.js';
import { addToQuota } from './quota-ledger.js';
import {
  countsOfHead,
  decode,
  encode,
  headOf,
  joinParts,
  keptOf,
  NO_DETAIL,
  ownerOf,
  type RunDetail,
  type RunHead,
} from './run-parts.js';
import { chained, type Seal } from './seal.js';
import { putHistory, writeHead } from './write-run.js';
import type { Transaction } from './writer.js';

export interface WriteParts {
  readonly feed: Feed;
  readonly seal: Seal;
}

const PATCHED = [
  'state',
  'cycle',
  'revision',
  'suspects',
  'no_suspect',
  'ownership',
  'release_window',
  'explanation',
  'draft',
  'publication',
  'fix',
  'resolution',
  'follow_up',
  'link_back',
  'hand_offs',
  'last_error',
  'returned',
  'snooze',
  'woken',
  'claim',
  'comments',
  'remarks',
  'approved_by',
] as const satisfies readonly (keyof RunPatch)[];
const DETAILS: readonly (keyof RunPatch)[] = [
  'suspects',
  'ownership',
  'release_window',
  'explanation',
  'draft',
];

/** Compare-and-set in one transaction. See `RunStore.change`. */
export async function changeRun(
  tx: Transaction,
  { feed, seal }: WriteParts,
  change: RunChange,
): Promise<RunRecord> {
  const { run_id, version, history } = change;
  const found = await readRun(tx, run_id);
  if (found === null) throw new CulpritError('run_not_found', `Run ${run_id.slice(0, 64)} was not found.`);
  const { record, head, eventText } = found;
  const stale = change.lease && record.lease && change.lease.token < record.lease.token;
  if (record.run.version !== version || stale) {
    throw new CulpritError('version_conflict', 'The run has changed since it was read. Read it again.');
  }

  const patch = patchOf(change.patch);
  const changed: RunRecord = {
    run: { ...record.run, ...patch, version: version + 1, updated_at: change.now },
    intent: change.intent === undefined ? record.intent : change.intent,
    lease: change.lease === undefined ? record.lease : change.lease,
  };
  const { entries, chain } = chained(seal, run_id, head.entries, head.chain, history);
  const next = headOf(changed, {
    ...head,
    entries: head.entries + entries.length,
    chain,
    kept: head.kept ?? keptOf(ownerOf(head), eventText, head.log),
  });
  await writeHead(tx, head, next, { event: record.run.event });
  await addToQuota(tx, ownerOf(next), differenceOf(countsOfHead(next), countsOfHead(head)));
  if (DETAILS.some((member) => member in patch)) {
    const { suspects, ownership, release_window, explanation, draft } = changed.run;
    const detail: RunDetail = { suspects, ownership, release_window, explanation, draft };
    tx.put(keys.detail(run_id), encode(detail));
  }
  putHistory(tx, run_id, entries);
  await feed.append(tx, [next.run]);
  return chain === undefined ? changed : { ...changed, sealed: { entries: next.entries, mac: chain } };
}

/** The whole run as one consistent read; `null` if it does not exist. */
export async function readRun(
  store: Pick<Transaction, 'getMany'>,
  runId: string,
): Promise<{ readonly record: RunRecord; readonly head: RunHead; readonly eventText: string } | null> {
  if (!isRunId(runId)) return null;
  const [headText, detailText, eventText = ''] = await store.getMany([
    keys.head(runId),
    keys.detail(runId),
    keys.event(runId),
  ]);
  if (headText === undefined) return null;
  const head = decode<RunHead>(headText, 'run');
  if (head.tombstone) return null;
  const detail = detailText === undefined ? NO_DETAIL : decode<RunDetail>(detailText, 'run');
  return { record: joinParts(head, detail, decode<Event>(eventText, 'event')), head, eventText };
}

/** Only the members that a patch may set and does set. */
function patchOf(patch: RunPatch): RunPatch {
  return Object.fromEntries(
    PATCHED.flatMap((member) => (patch[member] === undefined ? [] : [[member, patch[member]]])),
  );
}
