import { hash } from 'node:crypto';
import type { CacheStore } from '../../ports/cache.js';
import type { ErasedRuns, ErasureOrder, ErasureStep } from '../../ports/person-erasure.js';
import { systemClock } from '../../system.js';
import type { Reads } from '../key-value.js';
import { keys } from '../keys.js';
import type { Store } from '../open-store.js';
import { decode, type RunHead } from '../run-parts.js';
import { runIds } from '../transfer/transfer.js';
import type { Transaction } from '../writer.js';
import { type ErasedRun, eraseRun, readEvidence } from './erase-run.js';

/** The storage to erase from. */
export interface ErasingStore extends Pick<Store, 'reads' | 'writer' | 'values' | 'seal'> {
  /** Emptied, because commits have authors. */
  readonly cache?: CacheStore | null | undefined;
  /** Removes replaced values from the disk. */
  readonly compact: () => Promise<void>;
}

/** Lets others work between two steps. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How often a run that was being analysed is looked at again. */
const ANALYSIS_MS = 1_000;

/** See `PersonErasure.runs`. `inUse`: runs may be analysed meanwhile. */
export async function* eraseRuns(
  store: ErasingStore,
  order: ErasureOrder,
  inUse: boolean,
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
    const run = await eraseOne(store, order, runId);
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
  for await (const runId of runIds(store.reads)) {
    await look(runId);
    looked += 1;
    yield step();
    await turn();
  }
  while (!order.dryRun && inUse && analysing.size > 0) {
    await systemClock.sleep(ANALYSIS_MS, order.signal);
    for (const runId of [...analysing]) await look(runId);
    yield step();
  }
  yield step();
}

/** Most runs name nobody: they are only read, beside the writes of others. */
async function eraseOne(
  { reads, writer, values, seal }: ErasingStore,
  order: ErasureOrder,
  runId: string,
): Promise<ErasedRun | null> {
  const [text] = await reads.getMany([keys.head(runId)]);
  if (text === undefined) return null;
  const evidence = await readEvidence(values, decode<RunHead>(text, 'run').run, order.person);
  const rest = { seal, now: new Date().toISOString(), evidence };
  const seen = await eraseRun(readingOnly(reads), runId, order, rest);
  if (order.dryRun || seen === null || !seen.touched) return seen;
  const erased = await writer.write((tx) => eraseRun(tx, runId, order, rest));
  // After its record in the history: what proves the publication must know why the evidence no longer gives the draft.
  for (const [key, without] of evidence.changed) await values.set(key, without);
  return erased;
}

function readingOnly(reads: Reads): Transaction {
  return {
    getMany: (names) => reads.getMany(names),
    entries: (range) => reads.entries(range),
    number: async () => 0,
    put() {},
    del() {},
    append() {},
  };
}

/** A digest of a set of texts, in any order. */
export interface Scope {
  add(text: string): void;
  /** Lower-case hex. */
  digest(): string;
}

const BITS = (1n << 128n) - 1n;

export function createScope(): Scope {
  let sum = 0n;
  return {
    add(text) {
      sum = (sum + BigInt(`0x${hash('sha256', text).slice(0, 32)}`)) & BITS;
    },
    digest: () => sum.toString(16).padStart(32, '0'),
  };
}
