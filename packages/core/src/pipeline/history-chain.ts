import type { EntrySeal, HistoryEntry } from '../domain/history.js';
import type { RunHistory } from '../ports/run-history.js';
import type { RunStore } from '../ports/run-store.js';
import { hmacSha256Hex } from './hash.js';

/** What one seal of the history chain covers. */
export interface SealedEntry {
  readonly run_id: string;
  /** The previous entry's `mac`; empty for the first. */
  readonly before: string;
  readonly entry: HistoryEntry;
  /** Random, per entry. */
  readonly salt: string;
}

/**
 * Seals one entry into its run's chain. The key is outside the storage, so write access to it is not enough to forge a
 * chain. Names, reasons and comments are covered by a salted hash, so the chain stays valid, and shows it, if they are erased.
 */
export function sealEntry(key: string, { run_id, before, entry, salt }: SealedEntry): EntrySeal {
  const personal = personalOf(key, entry, salt);
  return { mac: macOf(key, run_id, before, entry, personal), salt, personal };
}

/** One break in a history chain. */
export interface ChainFinding {
  /** `edited`, `personal`, `removed`, `reordered`, `truncated`, `unsealed`. */
  readonly kind: 'edited' | 'personal' | 'removed' | 'reordered' | 'truncated' | 'unsealed';
  /** Sequence of the first affected entry. */
  readonly sequence: number;
  readonly detail: string;
}

/** The result of checking one run's history chain. */
export interface ChainCheck {
  readonly findings: readonly ChainFinding[];
  readonly entries: number;
  /** Entries whose names and reasons were erased. */
  readonly erased: number;
  /** Leading entries written before `sealedSince`; not verifiable. */
  readonly unsealed: number;
}

export interface ChainParts {
  readonly run_id: string;
  readonly entries: readonly HistoryEntry[];
  /** The history's expected length and seal from the run's record; `null` if never sealed. */
  readonly head: { readonly entries: number; readonly mac: string } | null;
  /** The seal in the trailer of the run's issue: the history before Gate 2. */
  readonly published: string | null;
  /** When the key was set, ISO 8601: earlier entries may lack a seal. `null`: the storage always had a key. */
  readonly sealedSince: string | null;
}

/** Detects edited, removed, reordered and truncated entries. */
export function checkChain(key: string, parts: ChainParts): ChainCheck {
  const { run_id, entries, head, published, sealedSince } = parts;
  const findings: ChainFinding[] = [];
  const found = (kind: ChainFinding['kind'], sequence: number, detail: string) =>
    void findings.push({ kind, sequence, detail });
  let erased = 0;
  let unsealed = 0;
  let before = '';
  if (entries.length === 0) found('removed', 1, 'entry 1 is missing: every run begins with an entry');
  for (const [at, entry] of entries.entries()) {
    const { sequence, seal } = entry;
    if (sequence !== at + 1) {
      const later = entries.slice(at + 1).some((other) => other.sequence === at + 1);
      if (later) found('reordered', sequence, `entry ${at + 1} comes after entry ${sequence}`);
      else found('removed', at + 1, `entry ${at + 1} is missing`);
      return { findings, entries: entries.length, erased, unsealed };
    }
    if (seal === undefined) {
      // The first seal has no predecessor, so a seal that was removed from an earlier entry is detected in it.
      if (before === '' && sealedSince !== null && entry.at < sealedSince) unsealed += 1;
      else found('unsealed', sequence, `entry ${sequence} (${entry.name}) has no seal`);
      continue;
    }
    if (seal.mac !== macOf(key, run_id, before, entry, seal.personal)) {
      found('edited', sequence, `entry ${sequence} (${entry.name}) was changed after it was sealed`);
    }
    const { reason, comment } = entry.detail;
    if (seal.salt === '' && entry.by === null && reason === undefined && comment === undefined) erased += 1;
    else if (seal.personal !== personalOf(key, entry, seal.salt)) {
      found('personal', sequence, `the name or reason of entry ${sequence} (${entry.name}) was changed`);
    }
    before = seal.mac;
  }
  if (findings.length === 0) {
    const more = head === null ? before !== '' : head.entries !== entries.length || head.mac !== before;
    const written = head === null ? 'an unknown number of' : `${head.entries}`;
    if (more)
      found('truncated', entries.length + 1, `${written} entries were written, ${entries.length} exist`);
  }
  if (published !== null && !signedAfter(entries, published)) {
    found(
      'truncated',
      entries.length,
      'the Gate 2 decision that follows the seal in the published issue is missing',
    );
  }
  return { findings, entries: entries.length, erased, unsealed };
}

function signedAfter(entries: readonly HistoryEntry[], head: string): boolean {
  const at = entries.findIndex(({ seal }) => seal?.mac === head);
  return at >= 0 && entries[at + 1]?.name === 'gate2.approve';
}

function personalOf(key: string, { by, detail }: HistoryEntry, salt: string): string {
  const { reason = null, comment } = detail;
  return hmacSha256Hex(key, JSON.stringify([salt, by, reason, ...(comment === undefined ? [] : [comment])]));
}

function macOf(key: string, runId: string, before: string, entry: HistoryEntry, personal: string): string {
  const { sequence, at, kind, name, via, from, to, digest, ms, error } = entry;
  const { reason: _reason, comment: _comment, ...detail } = entry.detail;
  const sealed = [
    runId,
    sequence,
    before,
    at,
    kind,
    name,
    via,
    from,
    to,
    digest,
    ms,
    error,
    detail,
    personal,
  ];
  return hmacSha256Hex(key, JSON.stringify(sealed));
}

/** One run's history with what it must agree with: all that `checkChain` needs but the rule about entries without a seal. */
export type HistoryChain = Omit<ChainParts, 'sealedSince'>;

/** A run that is in use may change between two reads; reading this often distinguishes that from entries that somebody has added. */
const READS = 4;

/** Reads a run's chain from a storage that may be in use; `null` for an unknown run. */
export async function readChain(
  { runStore, runHistory }: { readonly runStore: Pick<RunStore, 'get'>; readonly runHistory: RunHistory },
  runId: string,
): Promise<HistoryChain | null> {
  for (let reads = 1; ; reads += 1) {
    const record = await runStore.get(runId);
    if (record === null) return null;
    const { run, intent, sealed: head = null } = record;
    const entries = await runHistory.history(runId);
    const published = run.publication === null ? null : (intent?.audit ?? null);
    if (reads === READS || head === null || entries.length <= head.entries)
      return { run_id: runId, entries, head, published };
  }
}
