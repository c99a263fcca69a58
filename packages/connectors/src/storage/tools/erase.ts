import { createHash } from 'node:crypto';
import {
  type Event,
  erasePerson,
  evidenceKey,
  type FeedEntry,
  type NewHistoryEntry,
  type RunSummary,
} from '@culprit/core';
import { canonicalDraft, differenceOf, ERASED } from '@culprit/core/model';
import { withUsers } from '../run-store/count-users.js';
import { keys } from '../run-store/keys.js';
import { EMPTY_LOG } from '../run-store/occurrence-log.js';
import { addToQuota } from '../run-store/quota-ledger.js';
import {
  countsOfHead,
  decode,
  encode,
  keptOf,
  ownerOf,
  type RunDetail,
  type RunHead,
} from '../run-store/run-parts.js';
import { chained, type Seal } from '../run-store/seal.js';
import { putHistory, writeHead } from '../run-store/write-run.js';
import type { Transaction } from '../run-store/writer.js';
import { eraseHistory, eraseReviewers, sameName } from './erase-history.js';
import { eraseOccurrences } from './erase-occurrences.js';
import type { OpenStore } from './open-store.js';

/** What an erasure changed, by kind of record. */
export interface Erased {
  readonly runs: number;
  readonly events: number;
  readonly evidence: number;
  readonly drafts: number;
  readonly history: number;
  /** Published issues that name the person in their text, as signer or in a comment; they are not changed here. */
  readonly issues: readonly string[];
}

type Counts = { -readonly [Name in 'events' | 'drafts' | 'history']: number };

/** Whom to erase, and how. */
export interface Erasure {
  /** A user id, address or name. */
  readonly id: string;
  /** The current time, ISO 8601. */
  readonly now: () => string;
  readonly seal: Seal;
  /** True: only counts. Default: false. */
  readonly dryRun?: boolean;
}

/**
 * Removes a person from every event, draft, piece of evidence and history entry, from the live feed's buffer, and from
 * values stored by connectors and saved views; kept answers to requests go; then from the files of a file store. Text that was signed for publication stays. Each changed
 * run records it in its history.
 */
export async function erasePersonFrom(
  store: OpenStore,
  { id, now, seal, dryRun = false }: Erasure,
  progress: (runs: number) => void,
): Promise<Erased> {
  const total = { runs: 0, events: 0, evidence: 0, drafts: 0, history: 0 };
  const issues: string[] = [];
  let looked = 0;
  for await (const kept of store.dump.all()) {
    if (!dryRun && 'value' in kept && KEPT_ANSWERS.test(kept.value)) await store.values.delete(kept.value);
    if (!dryRun && 'value' in kept && NAMED_VALUES.test(kept.value)) await eraseValue(store, kept.value, id);
    if (!('key' in kept) || !kept.key.startsWith('h/')) continue;
    progress(++looked);
    const head = decode<RunHead>(kept.text, 'run');
    if (head.tombstone) continue;
    const runId = head.run.run_id;
    const evidence = await eraseEvidence(store, head, id, dryRun);
    const counts = await eraseRun(store, runId, { id, now: now(), seal, evidence, dryRun });
    if (counts === null) continue;
    if (counts.touched) total.runs += 1;
    total.evidence += evidence;
    for (const name of ['events', 'drafts', 'history'] as const) total[name] += counts[name];
    if (counts.issue !== null) issues.push(counts.issue);
  }
  if (!dryRun) {
    await eraseFeed(store, id);
    // Replaced values stay in the files until then.
    await store.compact();
  }
  return { ...total, issues };
}

/** Values that may name a person, beside evidence: of connectors, webhooks and releases, saved views, proposals, and the makers of tokens. */
const NAMED_VALUES = /^(?:connector|views|webhook|tokens|proposals|release|release-commits):/;
/** Answers to repeated requests are encrypted, so all of them go. */
const KEPT_ANSWERS = /^answer:/;
const CHUNK = 1_000;

/** The buffer for reconnecting readers. */
async function eraseFeed(store: OpenStore, id: string): Promise<void> {
  const lt = keys.feed(Number.MAX_SAFE_INTEGER);
  for (let gt = keys.feed(0); ; ) {
    const found = await store.reads.entries({ gt, lt, limit: CHUNK });
    const erased = found.flatMap(([key, text]) => {
      const { value, places } = erasePerson(decode<FeedEntry>(text, 'feed entry'), id);
      return places > 0 ? [[key, encode(value)] as const] : [];
    });
    if (erased.length > 0) {
      await store.writer.write(async (tx) => {
        for (const [key, text] of erased) tx.put(key, text);
      });
    }
    if (found.length < CHUNK) return;
    gt = found.at(-1)?.[0] ?? lt;
  }
}

/** Text that is not JSON is ignored. */
async function eraseValue(store: OpenStore, key: string, id: string): Promise<void> {
  await store.values.change(key, (kept) => {
    const parsed = kept === undefined ? null : parse(kept);
    const { value, places } = erasePerson(parsed, id);
    return places > 0 ? JSON.stringify(value) : undefined;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function eraseEvidence(
  store: OpenStore,
  { run }: RunHead,
  id: string,
  dryRun: boolean,
): Promise<number> {
  let found = 0;
  for (let cycle = 1; cycle <= run.cycle; cycle++) {
    const key = evidenceKey(run.run_id, cycle);
    const text = await store.values.get(key);
    if (text === undefined) continue;
    const { value, places } = erasePerson(JSON.parse(text) as unknown, id);
    if (places === 0) continue;
    if (!dryRun) await store.values.set(key, JSON.stringify(value));
    found += 1;
  }
  return found;
}

interface RunErasure {
  readonly id: string;
  readonly now: string;
  readonly seal: Seal;
  readonly evidence: number;
  readonly dryRun: boolean;
}

/** One run in one write. `null` if it does not name the person. */
function eraseRun(store: OpenStore, runId: string, { id, now, seal, evidence, dryRun }: RunErasure) {
  return store.writer.write(async (writing) => {
    const tx = dryRun ? readingOnly(writing) : writing;
    const [headText, detailText, eventText] = await tx.getMany([
      keys.head(runId),
      keys.detail(runId),
      keys.event(runId),
    ]);
    if (headText === undefined || eventText === undefined) return null;
    const head = decode<RunHead>(headText, 'run');
    const counts: Counts & { issue: string | null; touched: boolean } = {
      ...{ events: 0, drafts: 0, history: 0 },
      issue: null,
      touched: false,
    };

    const event = erasePerson(decode<Event>(eventText, 'event'), id);
    if (event.places > 0) {
      counts.events = 1;
      tx.put(keys.event(runId), encode(event.value));
    }
    const occurrences = await eraseOccurrences(tx, runId, head.log ?? EMPTY_LOG, id);
    counts.events += occurrences.events;
    const log = head.log && occurrences.log;
    const detail = detailText === undefined ? null : decode<RunDetail>(detailText, 'run');
    const shown = eraseShown(head.run, id);
    let run = shown.run;
    if (detail !== null) {
      const signed = head.intent !== null || head.run.publication !== null;
      const erased = eraseDetail(detail, id, signed);
      if (erased.named) counts.issue = head.run.publication?.issue_url ?? null;
      if (erased.changed) {
        counts.drafts = 1;
        tx.put(keys.detail(runId), encode(erased.detail));
        const draft = erased.detail.draft;
        if (draft !== null && run.draft !== null)
          run = {
            ...run,
            draft: { ...run.draft, title: draft.title, digest: draft.digest, edited_by: draft.edited_by },
          };
      }
    }
    counts.history = await eraseHistory(tx, head, id);
    const named = sameName(head.intent?.reviewer, id);
    if ((named && head.intent?.named) || shown.commented)
      counts.issue = head.run.publication?.issue_url ?? null;
    const intent = head.intent !== null && named ? { ...head.intent, reviewer: ERASED } : head.intent;
    const touched =
      Number(named) +
      counts.events +
      counts.drafts +
      counts.history +
      evidence +
      shown.places +
      occurrences.places;
    if (touched === 0) return counts.issue === null ? null : counts;
    counts.touched = true;
    const { entries, chain } = chained(seal, runId, head.entries, head.chain, [
      erasedEntry(now, counts, evidence),
    ]);
    putHistory(tx, runId, entries);
    const kept = head.kept && keptOf(ownerOf(head), event.places > 0 ? encode(event.value) : eventText, log);
    const next: RunHead = {
      ...head,
      kept,
      log,
      intent,
      run: { ...run, version: run.version + 1 },
      entries: head.entries + 1,
      chain,
    };
    const counted = occurrences.places > 0 ? await withUsers(tx, next) : next;
    await writeHead(tx, head, counted, { event: event.value, changed: true });
    await addToQuota(tx, ownerOf(head), differenceOf(countsOfHead(next), countsOfHead(head)));
    return counts;
  });
}

/** What lists show of a run. */
function eraseShown(
  run: RunSummary,
  id: string,
): { readonly run: RunSummary; readonly places: number; readonly commented: boolean } {
  const { title, fingerprint, last_error, suspects } = run;
  const { value, places } = erasePerson({ title, parts: fingerprint.parts, last_error, suspects }, id);
  const reviewers = eraseReviewers(run, id);
  const { parts, ...rest } = value;
  return {
    run: { ...run, ...reviewers, ...rest, fingerprint: { ...fingerprint, parts } },
    places: places + Object.keys(reviewers).length,
    commented: reviewers.follow_up?.comment != null || reviewers.link_back?.change != null,
  };
}

function readingOnly(tx: Transaction): Transaction {
  return {
    getMany: (names) => tx.getMany(names),
    entries: (range) => tx.entries(range),
    number: () => tx.number(),
    put() {},
    del() {},
    afterCommit() {},
  };
}

/** An unsigned draft loses the person and gets another digest; a signed one stays. */
function eraseDetail(detail: RunDetail, id: string, signed: boolean) {
  const { draft: kept, ...rest } = detail;
  const edited = sameName(kept?.edited_by, id);
  // The editor's name is not part of the signed text.
  const draft = kept !== null && edited ? { ...kept, edited_by: ERASED } : kept;
  const others = erasePerson(rest, id);
  const text = erasePerson(draft, id);
  if (text.places === 0 || signed || text.value === null) {
    return {
      detail: { ...others.value, draft },
      changed: others.places > 0 || edited,
      named: text.places > 0 && signed,
    };
  }
  const digest = createHash('sha256').update(canonicalDraft(text.value)).digest('hex');
  return { detail: { ...others.value, draft: { ...text.value, digest } }, changed: true, named: false };
}

function erasedEntry(at: string, { events, drafts, history }: Counts, evidence: number): NewHistoryEntry {
  return {
    ...{
      at,
      kind: 'step',
      name: 'person.erased',
      by: null,
      via: 'engine',
      from: null,
      to: null,
      digest: null,
    },
    ...{ ms: null, error: null, detail: { events, drafts, history, evidence } },
  };
}
