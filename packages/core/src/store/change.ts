import type { Event } from '../domain/event.js';
import { differenceOf } from '../domain/quota.js';
import { detailOf, type RunDetail, type RunRecord, runGroups, SET_ELSEWHERE } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { ChangedPair, DecidedRun, PairChange } from '../ports/run-pairs.js';
import type { RunChange, RunPatch } from '../ports/run-store.js';
import { noKnownRuns, wayOf } from './families.js';
import { isRunId, keys } from './keys.js';
import { EMPTY_LOG } from './occurrence-log.js';
import { addToQuota, quotaLedger } from './quota-ledger.js';
import {
  countsOfHead,
  decode,
  encode,
  headOf,
  joinParts,
  keptOf,
  NO_DETAIL,
  ownerOf,
  type RunHead,
} from './run-parts.js';
import { chained, putHistory, type Seal, writeHead } from './write-run.js';
import type { Transaction } from './writer.js';

const { details, ...others } = runGroups;
const DETAILS = Object.keys(details);
const CHANGEABLE = new Set(
  [['state', 'cycle'], DETAILS, ...Object.values(others).map(Object.keys)]
    .flat()
    .filter((member) => !(SET_ELSEWHERE as readonly string[]).includes(member)),
);

/** Compare-and-set in one transaction. See `RunStore.change`. */
export async function changeRun(tx: Transaction, seal: Seal, change: RunChange): Promise<RunRecord> {
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
    tx.put(keys.detail(run_id), encode(detailOf(changed.run)));
  }
  putHistory(tx, run_id, entries);
  tx.append([next.run]);
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
    Object.entries(patch).filter(([member, value]) => value !== undefined && CHANGEABLE.has(member)),
  );
}

type Found = NonNullable<Awaited<ReturnType<typeof readRun>>>;

/** Two runs in one transaction. See `RunStore.changePair`. */
export async function changePair(
  tx: Transaction,
  seal: Seal,
  { run_id, into: other, now, decide }: PairChange,
): Promise<ChangedPair> {
  const run = await readRun(tx, run_id);
  if (run === null) throw new CulpritError('run_not_found', `Run ${run_id.slice(0, 64)} was not found.`);
  const otherId = other ?? run.record.run.merged_into ?? null;
  const into = otherId === null ? null : await readRun(tx, otherId);
  const known = noKnownRuns();
  const way = async ({ record: { run: one } }: Found) => {
    const { heads } = await wayOf(tx, known, keys.fingerprint(one.project, one.fingerprint.hash));
    return heads.map((head) => head.run.run_id);
  };
  const ways = { run: await way(run), into: into === null ? [] : await way(into) };
  const decided = decide({ run: run.record, into: into?.record ?? null, ways });

  const ledger = quotaLedger(tx);
  const put = async (found: Found, wanted: DecidedRun): Promise<RunRecord> => {
    const { record, head, eventText } = found;
    const changed: RunRecord = {
      ...record,
      run: { ...wanted.run, event: record.run.event, version: record.run.version + 1, updated_at: now },
    };
    const { entries, chain } = chained(seal, head.run.run_id, head.entries, head.chain, wanted.history);
    const log = head.log ?? EMPTY_LOG;
    const next = headOf(changed, {
      ...head,
      entries: head.entries + entries.length,
      chain,
      kept: head.kept ?? keptOf(ownerOf(head), eventText, head.log),
      log: { ...log, joined: (log.joined ?? 0) + changed.run.occurrences - record.run.occurrences },
    });
    await writeHead(tx, head, next);
    const owner = ownerOf(next);
    await ledger.load(owner);
    ledger.add(owner, differenceOf(countsOfHead(next), countsOfHead(head)));
    putHistory(tx, head.run.run_id, entries);
    tx.append([next.run]);
    return chain === undefined ? changed : { ...changed, sealed: { entries: next.entries, mac: chain } };
  };
  const changedRun = await put(run, decided.run);
  const changedInto =
    into === null || decided.into === null ? (into?.record ?? null) : await put(into, decided.into);
  ledger.write();
  return { run: changedRun, into: changedInto };
}
