import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { ErasedRuns, ErasureOrder, ErasureStep } from '@culprit/core/internal/ports/person-erasure';
import type { Values } from '@culprit/core/internal/ports/values';
import type { Feed } from '../run-store/feed.js';
import type { KeyValue } from '../run-store/key-value.js';
import { keys } from '../run-store/keys.js';
import { decode, type RunHead } from '../run-store/run-parts.js';
import type { Seal } from '../run-store/seal.js';
import type { Transaction, Writer } from '../run-store/writer.js';
import { type ErasedRun, eraseRun, readEvidence } from './erase-run.js';
import { createScope } from './scope.js';

export interface EraseRunsParts {
  readonly reads: Pick<KeyValue, 'getMany' | 'entries'>;
  readonly writer: Writer;
  readonly values: Values;
  readonly seal: Seal;
  /** Every run; some may appear twice. */
  readonly runIds: () => AsyncIterable<string>;
  /** Live readers get changed runs; `null`: nobody else uses the storage. */
  readonly feed: Pick<Feed, 'append'> | null;
  /** ISO 8601. */
  readonly now: () => string;
}

/** How often a run that was being analysed is looked at again. */
const ANALYSIS_MS = 1_000;

/** See `PersonErasure.runs`. */
export async function* eraseRuns(
  parts: EraseRunsParts,
  order: ErasureOrder,
): AsyncGenerator<ErasureStep<ErasedRuns>> {
  const total = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0 };
  const issues: string[] = [];
  const named = new Set<string>();
  const counted = new Map<string, ErasedRun>();
  const analysing = new Set<string>();
  const scope = createScope();
  let looked = 0;
  const look = async (runId: string) => {
    order.signal.throwIfAborted();
    const run = await eraseOne(parts, order, runId);
    if (run?.analysing) analysing.add(runId);
    else analysing.delete(runId);
    if (run === null || (!run.touched && run.issue === null)) return;
    const before = counted.get(runId);
    if (before === undefined) scope.add(`run\n${runId}\n${run.issue ?? ''}`);
    counted.set(runId, run);
    total.runs += Number(run.touched) - Number(before?.touched ?? false);
    for (const name of ['events', 'fields', 'evidence', 'drafts', 'history'] as const)
      total[name] += run[name] - (before?.[name] ?? 0);
    if (run.issue === null || named.has(run.issue)) return;
    named.add(run.issue);
    issues.push(run.issue);
  };
  // Not a copy of the issues: there are as many steps as runs.
  const step = () => ({ found: { ...total, issues }, looked, scope: scope.digest() });
  for await (const runId of parts.runIds()) {
    await look(runId);
    looked += 1;
    yield step();
    await turn();
  }
  // Nobody analyses anything in a storage that nobody else uses.
  while (!order.dryRun && parts.feed !== null && analysing.size > 0) {
    await sleep(ANALYSIS_MS, undefined, { signal: order.signal });
    for (const runId of [...analysing]) await look(runId);
    yield step();
  }
  yield step();
}

/** Most runs name nobody: they are only read, beside the writes of others. */
async function eraseOne(
  { reads, writer, values, seal, feed, now }: EraseRunsParts,
  order: ErasureOrder,
  runId: string,
): Promise<ErasedRun | null> {
  const [text] = await reads.getMany([keys.head(runId)]);
  if (text === undefined) return null;
  const evidence = await readEvidence(values, decode<RunHead>(text, 'run').run, order.person);
  const rest = { seal, feed: null, now: now(), evidence };
  const seen = await eraseRun(readingOnly(reads), runId, order, rest);
  if (order.dryRun || seen === null || !seen.touched) return seen;
  const erased = await writer.write((tx) => eraseRun(tx, runId, order, { ...rest, feed }));
  // After its record in the history: what proves the publication must know why the evidence no longer gives the draft.
  for (const [key, without] of evidence.changed) await values.set(key, without);
  return erased;
}

function readingOnly(reads: Pick<KeyValue, 'getMany' | 'entries'>): Transaction {
  return {
    getMany: (names) => reads.getMany(names),
    entries: (range) => reads.entries(range),
    number: async () => 0,
    put() {},
    del() {},
    afterCommit() {},
  };
}
