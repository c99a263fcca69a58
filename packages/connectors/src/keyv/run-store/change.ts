import { CulpritError, type Event, type RunChange, type RunPatch, type RunRecord } from '@culprit/core';
import type { Feed } from './feed.js';
import { isRunId, keys } from './keys.js';
import { decode, encode, headOf, joinParts, NO_DETAIL, type RunDetail, type RunHead } from './run-parts.js';
import { appendHistory, writeHead } from './write-run.js';
import type { Transaction } from './writer.js';

const PATCHED = [
  'state',
  'cycle',
  'revision',
  'suspects',
  'no_suspect',
  'explanation',
  'draft',
  'publication',
  'last_error',
] as const satisfies readonly (keyof RunPatch)[];
const DETAILS: readonly (keyof RunPatch)[] = ['suspects', 'explanation', 'draft'];

/** Compare-and-set in one transaction: see the law of `RunStore.change`. */
export async function changeRun(tx: Transaction, feed: Feed, change: RunChange): Promise<RunRecord> {
  const { run_id, version, history } = change;
  const found = await readRun(tx, run_id);
  if (found === null) throw new CulpritError('run_not_found', `There is no run ${run_id.slice(0, 64)}.`);
  const { record, head } = found;
  const stale = change.lease && record.lease && change.lease.token < record.lease.token;
  if (record.run.version !== version || stale) {
    throw new CulpritError('version_conflict', 'The run was changed meanwhile. Read it again.');
  }

  const patch = patchOf(change.patch);
  const changed: RunRecord = {
    run: { ...record.run, ...patch, version: version + 1, updated_at: change.now },
    intent: change.intent === undefined ? record.intent : change.intent,
    lease: change.lease === undefined ? record.lease : change.lease,
  };
  const next = headOf(changed, head.entries + history.length);
  writeHead(tx, head, next);
  if (DETAILS.some((member) => member in patch)) {
    const { suspects, explanation, draft } = changed.run;
    tx.put(keys.detail(run_id), encode({ suspects, explanation, draft } satisfies RunDetail));
  }
  appendHistory(tx, run_id, head.entries, history);
  await feed.append(tx, [next.run]);
  return changed;
}

/** The whole run, from one moment; `null` if there is none. */
export async function readRun(
  store: Pick<Transaction, 'getMany'>,
  runId: string,
): Promise<{ readonly record: RunRecord; readonly head: RunHead } | null> {
  if (!isRunId(runId)) return null;
  const [headText, detailText, eventText] = await store.getMany([
    keys.head(runId),
    keys.detail(runId),
    keys.event(runId),
  ]);
  if (headText === undefined) return null;
  const head = decode<RunHead>(headText, 'run');
  const detail = detailText === undefined ? NO_DETAIL : decode<RunDetail>(detailText, 'run');
  return { record: joinParts(head, detail, decode<Event>(eventText ?? '', 'event')), head };
}

/** Only what a patch may set, and only what it does set. */
function patchOf(patch: RunPatch): RunPatch {
  return Object.fromEntries(
    PATCHED.flatMap((member) => (patch[member] === undefined ? [] : [[member, patch[member]]])),
  );
}
