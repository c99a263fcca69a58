import * as v from 'valibot';
import { canonicalDraft, draftSchema } from '../../domain/draft.js';
import { type Event, eventSchema } from '../../domain/event.js';
import { type EvidenceBundle, evidenceSchema } from '../../domain/evidence.js';
import type { HistoryEntry, NewHistoryEntry } from '../../domain/history.js';
import type { KeptEvent } from '../../domain/kept-events.js';
import type { OccurrenceRow } from '../../domain/occurrence-row.js';
import { differenceOf } from '../../domain/quota.js';
import { type RunDetail, type RunSummary, runGroups } from '../../domain/run.js';
import { type StoredStatistics, withoutUser } from '../../domain/run-statistics.js';
import { ERASED, type Erased, erasePerson, eraseTyped } from '../../pipeline/erase-person.js';
import { evidenceKey } from '../../pipeline/evidence-key.js';
import { sha256Hex } from '../../pipeline/hash.js';
import type { ErasureOrder } from '../../ports/person-erasure.js';
import { keys } from '../keys.js';
import { allLogKeys, EMPTY_LOG, logKeys, withUsers } from '../occurrence-log.js';
import type { Store } from '../open-store.js';
import { addToQuota } from '../quota-ledger.js';
import {
  countsOfHead,
  decode,
  encode,
  keptOf,
  type OccurrenceLog,
  ownerOf,
  type RunHead,
} from '../run-parts.js';
import { endlessForm, valueKey } from '../values.js';
import { chained, putHistory, writeHead } from '../write-run.js';
import type { Transaction } from '../writer.js';
import { eraseShown, sameName } from './erase-shown.js';

export const COUNTED = ['events', 'fields', 'drafts', 'history', 'evidence'] as const;
type Count = (typeof COUNTED)[number];
type Counts = Record<Count, number>;
const NOTHING: Counts = { events: 0, fields: 0, drafts: 0, history: 0, evidence: 0 };

/** What the erasure found in one run. */
export interface ErasedRun extends Counts {
  readonly touched: boolean;
  readonly issue: string | null;
  /** An analysis or an investigation that has read the run before may write what it read. */
  readonly analysing: boolean;
}

/** One kind of a run's records: as what those that name the person count, and how they lose them. */
interface Kind<Value = unknown> {
  readonly counts: Count | null;
  /** `signed`: of the run's draft. */
  erase(value: Value, person: string, signed: boolean): Erased<Value> & { readonly issue?: boolean };
}
const kind = <Value>(counts: Count | null, erase: Kind<Value>['erase']) => ({ counts, erase }) as Kind;

const event = kind<Event>('events', (value, person) => eraseTyped(value, person, eventSchema));
// The time of an occurrence is a number, but never an id.
const rows = kind<readonly OccurrenceRow[]>(null, (value, person) => erasePerson(value, person, false));

/** Numbers in the configuration and in what systems answered are never ids. */
const { config: _config, versions: _versions, calls: _calls, ...evidence } = evidenceSchema.entries;
const EVIDENCE = v.object(evidence);
const { draft: _draft, ...otherDetails } = runGroups.details;
const OTHER_DETAILS = v.object(otherDetails);
const DRAFT = v.nullable(draftSchema);

/** Every record of a run but its head, by its family of keys: see keys.ts and occurrence-log.ts. */
const KINDS: Readonly<Record<string, Kind>> = {
  d: kind('drafts', eraseDetail),
  e: event,
  l: kind('history', eraseEntry),
  v: kind<EvidenceBundle>('evidence', (value, person) => eraseTyped(value, person, EVIDENCE)),
  'o/e': event,
  'o/s': kind(null, eraseStatistics),
  'o/c': rows,
  'o/r': rows,
};

function kindOf(key: string): Kind {
  const [family = '', , part = ''] = key.split('/');
  return KINDS[family === 'o' ? `o/${part.charAt(0)}` : family] as Kind;
}

/** The keys of these records, that of the shown event first. */
function keysOf({ run: { run_id, cycle }, log, entries }: RunHead): readonly string[] {
  const upTo = (length: number) => Array.from({ length }, (_, at) => at + 1);
  return [
    keys.event(run_id),
    keys.detail(run_id),
    ...upTo(entries).map((sequence) => keys.history(run_id, sequence)),
    ...upTo(cycle).map((one) => valueKey(evidenceKey(run_id, one))),
    ...allLogKeys(run_id, log ?? EMPTY_LOG),
  ];
}

/** A run's records without the person. */
interface ErasedRecords {
  readonly counts: Counts;
  /** The published issue names the person. */
  readonly issue: boolean;
  /** Of the records that named the person. */
  readonly changed: ReadonlyMap<string, { readonly value: unknown; readonly text: string }>;
  readonly event: { readonly value: Event; readonly text: string };
  readonly investigated: boolean;
  readonly history: readonly HistoryEntry[];
}

/** `null`: the run is damaged, because its event is missing. */
async function eraseRecords(
  tx: Pick<Transaction, 'getMany' | 'put'>,
  head: RunHead,
  person: string,
  form: ReturnType<typeof endlessForm>,
): Promise<ErasedRecords | null> {
  const signed = head.intent !== null || head.run.publication !== null;
  const counts = { ...NOTHING };
  const changed = new Map<string, { readonly value: unknown; readonly text: string }>();
  const history: HistoryEntry[] = [];
  const all = keysOf(head);
  const texts = await tx.getMany(all);
  let issue = false;
  let investigated = false;
  for (const [at, key] of all.entries()) {
    const stored = texts[at];
    if (stored === undefined) continue;
    const { counts: counted, erase } = kindOf(key);
    const isValue = key.startsWith('v/');
    const before = decode<unknown>(isValue ? form.read(stored) : stored, 'record of a run');
    if (key.startsWith('l/')) history.push(before as HistoryEntry);
    if (key.startsWith('d/')) investigated = (before as RunDetail).investigation?.state === 'running';
    const { value, places, issue: isNamed = false } = erase(before, person, signed);
    issue ||= isNamed;
    if (places === 0) continue;
    counts.fields += places;
    if (counted !== null) counts[counted] += 1;
    const text = encode(value);
    changed.set(key, { value, text });
    tx.put(key, isValue ? form.write(text) : text);
  }
  const [eventText] = texts;
  if (eventText === undefined) return null;
  const event = changed.get(all[0] ?? '') ?? { value: decode(eventText, 'event'), text: eventText };
  return { counts, issue, changed, event: event as ErasedRecords['event'], investigated, history };
}

/** Erases a person from one run, in one write. `null`: the run does not exist. */
export async function eraseRun(
  tx: Transaction,
  runId: string,
  order: Pick<ErasureOrder, 'person' | 'erasure_id' | 'by'>,
  { seal, reads }: Pick<Store, 'seal' | 'reads'>,
): Promise<ErasedRun | null> {
  const { person } = order;
  const [headText] = await tx.getMany([keys.head(runId)]);
  if (headText === undefined) return null;
  const head = decode<RunHead>(headText, 'run');
  const shown = eraseShown(head.run, person);
  if (head.tombstone) {
    // It keeps what its crash needs if it returns. Its history is gone, so nothing can be recorded.
    if (shown.places > 0) await writeHead(tx, head, { ...head, run: shown.value });
    return { ...NOTHING, fields: shown.places, touched: shown.places > 0, issue: null, analysing: false };
  }
  const records = await eraseRecords(tx, head, person, endlessForm(reads));
  if (records === null) return null;
  const { intent, run } = head;
  const isSigner = sameName(intent?.reviewer, person);
  const counts = sumOf(records.counts, { fields: shown.places + Number(isSigner) });
  const isNamed = records.issue || shown.commented || (isSigner && intent?.named);
  const issue = isNamed ? (run.publication?.issue_url ?? null) : null;
  const analysing = run.state === 'analyzing' || records.investigated;
  const earlier = countedBefore(records.history, order.erasure_id);
  if (counts.fields === 0) return { ...earlier, touched: earlier.fields > 0, issue, analysing };

  const entry = erasedEntry(new Date().toISOString(), order, counts);
  const { entries, chain } = chained(seal, runId, head.entries, head.chain, [entry]);
  putHistory(tx, runId, entries);
  const { event, changed } = records;
  const log = head.log && resized(head.log, runId, changed);
  const draft = (changed.get(keys.detail(runId))?.value as RunDetail | undefined)?.draft;
  const next: RunHead = {
    ...head,
    kept: head.kept && keptOf(ownerOf(head), event.text, log),
    log,
    intent: intent && isSigner ? { ...intent, reviewer: ERASED } : intent,
    run: {
      ...shown.value,
      ...(draft && run.draft && { draft: shownOf(draft) }),
      version: run.version + 1,
    },
    entries: head.entries + 1,
    chain,
  };
  const hasLogChanged = [...changed.keys()].some((key) => key.startsWith('o/'));
  const counted = hasLogChanged ? await withUsers(tx, next) : next;
  await writeHead(tx, head, counted, { event: event.value, changed: true });
  await addToQuota(tx, ownerOf(head), differenceOf(countsOfHead(next), countsOfHead(head)));
  tx.append([counted.run]);
  return { ...sumOf(earlier, counts), touched: true, issue, analysing };
}

/** What lists show of a draft. */
function shownOf({ digest, title, edited_by }: NonNullable<RunSummary['draft']>) {
  return { digest, title, edited_by };
}

/** The log with the new sizes of its events. */
function resized(log: OccurrenceLog, runId: string, changed: ErasedRecords['changed']): OccurrenceLog {
  const kept = log.kept.map(([number, bytes]): KeptEvent => {
    const text = changed.get(logKeys.event(runId, number))?.text;
    return [number, text === undefined ? bytes : Buffer.byteLength(text)];
  });
  return { ...log, kept };
}

const NAME = 'person.erased';

/** What this erasure did to the run before it was interrupted, by its own entries. */
function countedBefore(entries: readonly HistoryEntry[], erasureId: string): Counts {
  const own = entries.filter(({ name, detail }) => name === NAME && detail.erasure === erasureId);
  return own.reduce((sum, { detail }) => sumOf(sum, detail as Partial<Counts>), NOTHING);
}

function sumOf(one: Counts, other: Partial<Counts>): Counts {
  const sum = { ...one };
  for (const name of COUNTED) sum[name] += other[name] ?? 0;
  return sum;
}

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

/** An unsigned draft loses the person and gets another digest; a signed one stays. */
function eraseDetail(detail: RunDetail, person: string, signed: boolean) {
  const { draft: kept, ...rest } = detail;
  const edited = sameName(kept?.edited_by, person);
  // The editor's name is not part of the signed text.
  const draft = kept !== null && edited ? { ...kept, edited_by: ERASED } : kept;
  const others = eraseTyped(rest, person, OTHER_DETAILS);
  const text = eraseTyped(draft, person, DRAFT);
  const places = others.places + Number(edited);
  if (text.places === 0 || signed || text.value === null)
    return { value: { ...others.value, draft }, places, issue: text.places > 0 };
  const digest = sha256Hex(canonicalDraft(text.value));
  return {
    value: { ...others.value, draft: { ...text.value, digest } },
    places: places + text.places,
  };
}

/** The entry without the name, its reason or comment, and the salt that hid them. */
function eraseEntry(entry: HistoryEntry, person: string): Erased<HistoryEntry> {
  const { reason = null, comment = null, ...detail } = entry.detail;
  if (!sameName(entry.by, person) && erasePerson([reason, comment], person).places === 0)
    return { value: entry, places: 0 };
  const seal = entry.seal === undefined ? {} : { seal: { ...entry.seal, salt: '' } };
  return { value: { ...entry, by: null, detail, ...seal }, places: 1 };
}

/** Only names and values are texts from outside. */
function eraseStatistics(stored: StoredStatistics, person: string): Erased<StoredStatistics> {
  const { value, places } = erasePerson([stored.releases, stored.tags] as const, person, false);
  const [releases, tags] = value;
  const without = withoutUser(stored, person);
  return {
    value: { ...without, releases, tags },
    places: places + Number(without.users !== stored.users),
  };
}
