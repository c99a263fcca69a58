import { CulpritError } from '@culprit/core/connector';
import { differenceOf } from '@culprit/core/internal/domain/quota';
import type { RunRecord } from '@culprit/core/internal/domain/run';
import type { ChangedPair, DecidedRun, PairChange } from '@culprit/core/internal/ports/run-pairs';
import { readRun, type WriteParts } from './change.js';
import { noKnownRuns, wayOf } from './follow-merges.js';
import { keys } from './keys.js';
import { EMPTY_LOG } from './occurrence-log.js';
import { quotaLedger } from './quota-ledger.js';
import { countsOfHead, headOf, keptOf, ownerOf } from './run-parts.js';
import { chained } from './seal.js';
import { putHistory, writeHead } from './write-run.js';
import type { Transaction } from './writer.js';

type Found = NonNullable<Awaited<ReturnType<typeof readRun>>>;

/** Two runs in one transaction. See `RunStore.changePair`. */
export async function changePair(
  tx: Transaction,
  parts: WriteParts,
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
    const { entries, chain } = chained(parts.seal, head.run.run_id, head.entries, head.chain, wanted.history);
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
    await parts.feed.append(tx, [next.run]);
    return chain === undefined ? changed : { ...changed, sealed: { entries: next.entries, mac: chain } };
  };
  const changedRun = await put(run, decided.run);
  const changedInto =
    into === null || decided.into === null ? (into?.record ?? null) : await put(into, decided.into);
  ledger.write();
  return { run: changedRun, into: changedInto };
}
