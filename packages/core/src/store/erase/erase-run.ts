import { canonicalDraft } from '../../domain/draft.js';
import type { Event } from '../../domain/event.js';
import type { HistoryEntry, NewHistoryEntry } from '../../domain/history.js';
import { differenceOf } from '../../domain/quota.js';
import { ERASED, erasePerson } from '../../pipeline/erase-person.js';
import { evidenceKey } from '../../pipeline/evidence-key.js';
import { sha256Hex } from '../../pipeline/hash.js';
import type { ErasedRuns, ErasureOrder } from '../../ports/person-erasure.js';
import type { Values } from '../../ports/values.js';
import { keys } from '../keys.js';
import { EMPTY_LOG, withUsers } from '../occurrence-log.js';
import { addToQuota } from '../quota-ledger.js';
import { countsOfHead, decode, encode, keptOf, ownerOf, type RunDetail, type RunHead } from '../run-parts.js';
import { chained, putHistory, type Seal, writeHead } from '../write-run.js';
import type { Transaction } from '../writer.js';
import { eraseOccurrences } from './erase-occurrences.js';
import { eraseShown, sameName } from './erase-shown.js';

/** What the erasure found in one run. */
export interface ErasedRun extends Omit<ErasedRuns, 'runs' | 'issues'> {
  readonly touched: boolean;
  readonly issue: string | null;
  /** An analysis that has read the run before may write what it read. */
  readonly analysing: boolean;
}

export interface EraseRunParts {
  readonly seal: Seal;
  /** ISO 8601. */
  readonly now: string;
  /** Of the run. */
  readonly evidence: ErasedEvidence;
}

const COUNTED = ['events', 'fields', 'drafts', 'history', 'evidence'] as const;
type Counts = { -readonly [Name in (typeof COUNTED)[number]]: number };

/** Erases a person from one run, in one write; its evidence apart. `null`: the run does not exist. */
export async function eraseRun(
  tx: Transaction,
  runId: string,
  order: Pick<ErasureOrder, 'person' | 'erasure_id' | 'by'>,
  { seal, now, evidence }: EraseRunParts,
): Promise<ErasedRun | null> {
  const { person } = order;
  const [headText, detailText, eventText] = await tx.getMany([
    keys.head(runId),
    keys.detail(runId),
    keys.event(runId),
  ]);
  if (headText === undefined) return null;
  const head = decode<RunHead>(headText, 'run');
  const shown = eraseShown(head.run, person);
  if (head.tombstone || eventText === undefined) return eraseTombstone(tx, head, shown);
  const counts: Counts = { events: 0, fields: shown.places, drafts: 0, history: 0, evidence: 0 };
  let issue: string | null = null;

  const event = erasePerson(decode<Event>(eventText, 'event'), person);
  if (event.places > 0) {
    counts.events = 1;
    tx.put(keys.event(runId), encode(event.value));
  }
  const occurrences = await eraseOccurrences(tx, runId, head.log ?? EMPTY_LOG, person);
  counts.events += occurrences.events;
  counts.fields += event.places + occurrences.places;
  const log = head.log && occurrences.log;
  let run = shown.run;
  if (detailText !== undefined) {
    const signed = head.intent !== null || head.run.publication !== null;
    const erased = eraseDetail(decode<RunDetail>(detailText, 'run'), person, signed);
    if (erased.named) issue = head.run.publication?.issue_url ?? null;
    if (erased.changed) {
      counts.drafts = 1;
      counts.fields += erased.places;
      tx.put(keys.detail(runId), encode(erased.detail));
      const draft = erased.detail.draft;
      if (draft !== null && run.draft !== null)
        run = {
          ...run,
          draft: { ...run.draft, title: draft.title, digest: draft.digest, edited_by: draft.edited_by },
        };
    }
  }
  const history = await eraseHistory(tx, head, person);
  const named = sameName(head.intent?.reviewer, person);
  if ((named && head.intent?.named) || shown.commented) issue = head.run.publication?.issue_url ?? null;
  const intent = head.intent !== null && named ? { ...head.intent, reviewer: ERASED } : head.intent;
  counts.history = history.erased;
  counts.evidence = evidence.found;
  const earlier = countedBefore(history.entries, order.erasure_id);
  // Recorded before it is written: an interruption between the two finds it again.
  counts.fields += history.erased + Number(named) + (earlier.evidence > 0 ? 0 : evidence.places);
  const analysing = head.run.state === 'analyzing';
  if (counts.fields === 0 && evidence.found === 0)
    return { ...earlier, touched: earlier.fields > 0, issue, analysing };

  const entry = erasedEntry(now, order, counts);
  const { entries, chain } = chained(seal, runId, head.entries, head.chain, [entry]);
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
  tx.append([counted.run]);
  return { ...sumOf(earlier, counts), touched: true, issue, analysing };
}

/** A deleted run keeps what its crash needs if it returns. Its history is gone, so nothing can be recorded. */
async function eraseTombstone(
  tx: Transaction,
  head: RunHead,
  { run, places }: ReturnType<typeof eraseShown>,
): Promise<ErasedRun | null> {
  if (!head.tombstone) return null;
  if (places > 0) await writeHead(tx, head, { ...head, run });
  const none = { events: 0, drafts: 0, history: 0, evidence: 0 };
  return { ...none, fields: places, touched: places > 0, issue: null, analysing: false };
}

/** What the person's evidence holds, and under which keys. */
export interface ErasedEvidence {
  readonly found: number;
  readonly places: number;
  /** Key and erased text. */
  readonly changed: readonly (readonly [key: string, text: string])[];
}

export async function readEvidence(
  values: Values,
  run: Pick<RunHead['run'], 'run_id' | 'cycle'>,
  person: string,
): Promise<ErasedEvidence> {
  let places = 0;
  const changed: (readonly [string, string])[] = [];
  for (let cycle = 1; cycle <= run.cycle; cycle++) {
    const key = evidenceKey(run.run_id, cycle);
    const text = await values.get(key);
    if (text === undefined) continue;
    const erased = erasePerson(JSON.parse(text) as unknown, person);
    if (erased.places === 0) continue;
    places += erased.places;
    changed.push([key, JSON.stringify(erased.value)]);
  }
  return { found: changed.length, places, changed };
}

/** What this erasure did to the run before it was interrupted, by its own entries. */
function countedBefore(entries: readonly HistoryEntry[], erasureId: string): Counts {
  const own = entries.filter(({ name, detail }) => name === NAME && detail.erasure === erasureId);
  return own.reduce<Counts>((sum, { detail }) => sumOf(sum, detail as Partial<Counts>), { ...NOTHING });
}

const NOTHING: Counts = { events: 0, fields: 0, drafts: 0, history: 0, evidence: 0 };

function sumOf(one: Counts, other: Partial<Counts>): Counts {
  const sum = { ...one };
  for (const name of COUNTED) sum[name] += other[name] ?? 0;
  // After an interruption it is recorded twice.
  sum.evidence = Math.max(one.evidence, other.evidence ?? 0);
  return sum;
}

const NAME = 'person.erased';

function erasedEntry(
  at: string,
  { person, erasure_id, by }: Pick<ErasureOrder, 'person' | 'erasure_id' | 'by'>,
  counts: Counts,
): NewHistoryEntry {
  // Somebody who erases their own name is not named here again.
  const without = (name: string | undefined) =>
    name === undefined || erasePerson(name, person).places > 0 ? null : name;
  const token = without(by?.token);
  return {
    at,
    kind: by === null ? 'step' : 'decision',
    name: NAME,
    by: without(by?.name),
    via: by?.via ?? 'engine',
    ...{ from: null, to: null, digest: null, ms: null, error: null },
    detail: { ...counts, erasure: erasure_id, ...(token === null ? {} : { token }) },
  };
}

interface ErasedDetail {
  readonly detail: RunDetail;
  readonly changed: boolean;
  /** Texts that were changed. */
  readonly places: number;
  /** The signed text names the person, and stays. */
  readonly named: boolean;
}

/** An unsigned draft loses the person and gets another digest; a signed one stays. */
function eraseDetail(detail: RunDetail, person: string, signed: boolean): ErasedDetail {
  const { draft: kept, ...rest } = detail;
  const edited = sameName(kept?.edited_by, person);
  // The editor's name is not part of the signed text.
  const draft = kept !== null && edited ? { ...kept, edited_by: ERASED } : kept;
  const others = erasePerson(rest, person);
  const text = erasePerson(draft, person);
  const places = others.places + Number(edited);
  if (text.places === 0 || signed || text.value === null) {
    const named = text.places > 0 && signed;
    return { detail: { ...others.value, draft }, changed: places > 0, places, named };
  }
  const digest = sha256Hex(canonicalDraft(text.value));
  return {
    detail: { ...others.value, draft: { ...text.value, digest } },
    changed: true,
    places: places + text.places,
    named: false,
  };
}

/** The history before the erasure, and the number of its entries that named the person. */
async function eraseHistory(
  tx: Transaction,
  { run, entries }: RunHead,
  id: string,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly erased: number }> {
  const keyOf = (at: number) => keys.history(run.run_id, at + 1);
  const texts = await tx.getMany(Array.from({ length: entries }, (_, at) => keyOf(at)));
  const before: HistoryEntry[] = [];
  let erased = 0;
  for (const [at, text] of texts.entries()) {
    if (text === undefined) continue;
    const kept = decode<HistoryEntry>(text, 'history entry');
    before.push(kept);
    const entry = eraseEntry(kept, id);
    if (entry === null) continue;
    erased += 1;
    tx.del(keyOf(at));
    tx.put(keyOf(at), encode(entry));
  }
  return { entries: before, erased };
}

/** The entry without the name, its reason or comment, and the salt that hid them; `null` if it does not name the person. */
function eraseEntry(entry: HistoryEntry, id: string): HistoryEntry | null {
  const { reason = null, comment = null, ...detail } = entry.detail;
  if (!sameName(entry.by, id) && erasePerson([reason, comment], id).places === 0) return null;
  const seal = entry.seal === undefined ? {} : { seal: { ...entry.seal, salt: '' } };
  return { ...entry, by: null, detail, ...seal };
}
