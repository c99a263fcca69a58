import type { Recorded } from '../domain/delivery.js';
import type { Event } from '../domain/event.js';
import { countOccurrence } from '../domain/occurrence.js';
import { type OccurrenceRow, rowOf } from '../domain/occurrence-row.js';
import { excessDetail, type QuotaExcess } from '../domain/quota.js';
import type { RunSummary } from '../domain/run.js';
import { trustOf } from '../domain/trust.js';
import { CulpritError } from '../errors/error.js';
import type { BatchItem, Occurrence, RecordBatch, RecordResult, Refusal } from '../ports/run-store.js';
import {
  aliasKeys,
  type Families,
  familyKey,
  fingerprintKey,
  followMerges,
  groupsIn,
  type KnownFamilies,
  latestRun,
  latestRuns,
  place,
} from './families.js';
import { isRunId, keys } from './keys.js';
import { appendRows, EMPTY_LOG, withUsersOf } from './occurrence-log.js';
import { batchQuotas } from './record-quotas.js';
import { decode, encode, headOf, joinParts, loggedOf, NO_DETAIL, type RunHead } from './run-parts.js';
import { freshEvents, linkEarlier, loadFirsts, type Touched, type Written } from './touched.js';
import { chained, putHistory, type Seal, writeHead } from './write-run.js';
import type { Transaction } from './writer.js';

/** The outcome of an event id. */
interface KnownEvent {
  readonly run_id: string;
  readonly edge: string;
  readonly sequence: number;
  /** ISO 8601; used by retention. */
  readonly at: string;
}
/** Everything the batch needs, read at once. */
interface Loaded extends KnownFamilies {
  readonly watermark: number;
  /** The watermark before the store was repaired; 0: it was not. */
  readonly resent: number;
  readonly events: Map<string, KnownEvent>;
  readonly refusals: Map<number, Refusal>;
  /** Stored events of runs with one occurrence: the next one replaces them. */
  readonly firsts: ReadonlyMap<string, string>;
}

/** A rejection is stored until its edge has advanced by this many sequence numbers, in case the delivery is repeated. */
const REFUSALS_SPAN = 10_000;

/** One batch in one transaction. See `RunStore.record`. */
export async function recordBatch(tx: Transaction, seal: Seal, batch: RecordBatch): Promise<RecordResult> {
  checkItems(batch);
  const loaded = await load(tx, batch);
  if ((batch.after ?? 0) > loaded.watermark) return { outcomes: [], watermark: loaded.watermark };
  const touched = new Map<string, Touched>();
  const changed = new Set<string>();
  const quotas = batchQuotas(tx, batch);
  const written: Written = { touched, changed, quotas };
  const outcomes: Recorded[] = [];
  const counts: RunSummary[] = [];
  for (const item of batch.items) outcomes.push(await recordItem(tx, batch, loaded, written, item));
  for (const [runId, { before, head, history, rows, ...events }] of touched) {
    const length = before?.entries ?? 0;
    const { entries, chain } = chained(seal, runId, length, before?.chain, history);
    const fresh = freshEvents(before, events, loaded.firsts.get(runId), quotas.textOf);
    const kept = await quotas.keep(before, head, fresh);
    const counted = { ...kept, entries: length + entries.length, chain };
    const next = kept.tombstone ? { ...counted, log: undefined } : await withRows(tx, counted, rows);
    await writeHead(tx, before, next, { event: events.shown?.event });
    putHistory(tx, runId, entries);
    if (!next.tombstone) counts.push(next.run);
  }
  quotas.write();
  tx.append(counts);
  const watermark = batch.items.reduce((high, { sequence }) => Math.max(high, sequence), loaded.watermark);
  const refused = outcomes.filter(({ outcome }) => outcome === 'invalid' || outcome === 'over_quota').length;
  await trimRefusals(tx, batch, watermark, refused);
  if (watermark > loaded.watermark) tx.put(keys.watermark(batch.edge), String(watermark));
  return { outcomes, watermark, ...(changed.size === 0 ? {} : { changed: [...changed] }) };
}

/** Adds the rows to the log, and their users to the run. */
async function withRows(tx: Transaction, head: RunHead, rows: readonly OccurrenceRow[]): Promise<RunHead> {
  if (rows.length === 0) return head;
  const log = await appendRows(tx, head.run.run_id, head.log ?? EMPTY_LOG, rows);
  return withUsersOf(tx, head, { ...head, log }, rows);
}

function checkItems({ items, now }: RecordBatch): void {
  const whole = items.every(
    ({ sequence, occurrence, refusal }) =>
      Number.isSafeInteger(sequence) &&
      sequence >= 0 &&
      (occurrence === null) !== (refusal === null) &&
      (occurrence === null || isRunId(occurrence.candidate_run_id)),
  );
  if (whole && !Number.isNaN(Date.parse(now))) return;
  throw new CulpritError(
    'internal',
    'A batch needs a time, integer sequence numbers, and for each item either an occurrence with a run id or a refusal.',
  );
}

async function load(tx: Transaction, { edge, items }: RecordBatch): Promise<Loaded> {
  const occurrences = items.flatMap(({ event_id, occurrence }) =>
    occurrence ? [{ event_id, occurrence }] : [],
  );
  const eventKeys = [
    ...new Set(occurrences.flatMap(({ occurrence, event_id }) => eventKeysOf(occurrence.event, event_id))),
  ];
  const groupKeys = [...new Set(occurrences.map(({ occurrence }) => fingerprintKey(occurrence)))];
  const familyKeys = [...new Set(occurrences.flatMap(({ occurrence }) => familyKey(occurrence) ?? []))];
  const marks = [keys.watermark(edge), keys.resent(edge)];
  const [mark, before, ...read] = await tx.getMany([...marks, ...eventKeys, ...groupKeys, ...familyKeys]);
  const [watermark, resent] = [Number(mark ?? 0), Number(before ?? 0)];

  const events = new Map<string, KnownEvent>();
  for (const [at, key] of eventKeys.entries()) {
    const found = read[at];
    if (found !== undefined) events.set(key, decode<KnownEvent>(found, 'event key'));
  }
  const named = read.slice(eventKeys.length, eventKeys.length + groupKeys.length);
  const grouped = read.slice(eventKeys.length + groupKeys.length);
  const families: Families = new Map(familyKeys.map((key, at) => [key, groupsIn(grouped[at])]));
  const sent = occurrences.map(({ occurrence }) => occurrence);
  const { latest, absent } = await latestRuns(tx, groupKeys, named, families, sent);
  const runIds = [...new Set(latest.values())];
  const repeated = items.flatMap(({ sequence: s }) => (s > 0 && s <= watermark ? [s] : []));
  const wanted = [...runIds.map(keys.head), ...repeated.map((sequence) => keys.refusal(edge, sequence))];
  const more = wanted.length > 0 ? await tx.getMany(wanted) : [];
  const heads = new Map<string, RunHead>();
  for (const [at, runId] of runIds.entries()) {
    heads.set(runId, decode<RunHead>(more[at] ?? '', 'run'));
  }
  const refusals: Loaded['refusals'] = new Map();
  for (const [at, sequence] of repeated.entries()) {
    const found = more[runIds.length + at];
    if (found !== undefined) refusals.set(sequence, decode(found, 'refusal'));
  }
  const firsts = await loadFirsts(tx, heads);
  return { watermark, resent, events, latest, heads, families, absent, refusals, firsts };
}

async function recordItem(
  tx: Transaction,
  batch: RecordBatch,
  loaded: Loaded,
  written: Written,
  item: BatchItem,
): Promise<Recorded> {
  const { sequence, event_id, occurrence } = item;
  const base = { sequence, event_id, run_id: null, detail: null };
  const repeated = sequence > 0 && sequence <= loaded.watermark;
  const refusal = (repeated ? loaded.refusals.get(sequence) : undefined) ?? item.refusal;
  if (refusal !== null || occurrence === null) {
    if (sequence > loaded.watermark) tx.put(keys.refusal(batch.edge, sequence), encode(refusal));
    return { ...base, outcome: 'invalid', ...refusal };
  }
  const [eventKey = '', ...otherKeys] = eventKeysOf(occurrence.event, event_id);
  const known = [eventKey, ...otherKeys].map((key) => loaded.events.get(key)).find((one) => one);
  if (known !== undefined) {
    const same = sequence > 0 && known.sequence === sequence && known.edge === batch.edge;
    return { ...base, outcome: same ? 'accepted' : 'duplicate', run_id: known.run_id };
  }
  // Below the watermark and unknown: its event id is past retention. It is answered, but not counted again.
  if (repeated) return { ...base, outcome: 'duplicate' };
  const run_id = await count(tx, batch, loaded, written, occurrence, sequence <= loaded.resent);
  if (typeof run_id !== 'string') {
    const over: Refusal = { outcome: 'over_quota', detail: excessDetail(run_id), quota: run_id };
    if (sequence > loaded.watermark) tx.put(keys.refusal(batch.edge, sequence), encode(over));
    return { ...base, ...over };
  }
  const event: KnownEvent = { run_id, edge: batch.edge, sequence, at: batch.now };
  loaded.events.set(eventKey, event);
  tx.put(eventKey, encode(event));
  return { ...base, outcome: 'accepted', run_id };
}

/** Counts the occurrence on the latest run, or starts a run; returns which, or the quota that a new run would exceed. */
async function count(
  tx: Transaction,
  { now, policy }: RecordBatch,
  loaded: Loaded,
  written: Written,
  sent: Occurrence,
  again: boolean,
): Promise<string | QuotaExcess> {
  const { latest, heads } = loaded;
  const { touched, changed, quotas } = written;
  const { crash: occurrence, key: own, ownId, entryId, store } = await place(tx, loaded, sent);
  const way = await followMerges(tx, { latest, heads }, entryId);
  const earlier = way.heads.at(-1);
  const record = earlier === undefined ? null : joinParts(earlier, NO_DETAIL, occurrence.event);
  const { quietAfterRejectMs, closedIssues, dismissedIssues } = policy;
  const counted = countOccurrence(record, occurrence, now, quietAfterRejectMs, closedIssues, dismissedIssues);
  if (counted.created) {
    const excess = await quotas.start(occurrence);
    if (excess !== null) return excess;
  }
  store(tx);
  const runId = counted.record.run.run_id;
  const fresh = headOf(counted.record, { entries: 0 });
  const head =
    counted.created || earlier === undefined
      ? fresh
      : {
          ...fresh,
          ...(earlier.tombstone ? { tombstone: true as const } : {}),
          kept: earlier.kept,
          log: earlier.log,
          run: { ...fresh.run, suspects: earlier.run.suspects, draft: earlier.run.draft },
          ...(again ? alreadyCounted(earlier, fresh) : {}),
        };

  const sofar = touched.get(runId);
  const { event } = occurrence;
  const numbered = { number: loggedOf(head), event };
  touched.set(runId, {
    before: sofar ? sofar.before : counted.created ? null : (earlier ?? null),
    head,
    shown: counted.shown ? numbered : (sofar?.shown ?? null),
    first: counted.created ? numbered : (sofar?.first ?? null),
    rows: pushed(sofar?.rows, rowOf(event, now)),
    history: [...(sofar?.history ?? []), ...counted.history],
  });
  heads.set(runId, head);
  if (counted.newSource || counted.woken) changed.add(runId);
  if (counted.created) await linkEarlier(tx, loaded, written, counted.record.run, now);
  const name = (key: string, id: string) => {
    if (latest.get(key) === id) return;
    latest.set(key, id);
    tx.put(key, id);
  };
  const merged = way.key !== null && !counted.parted;
  if (merged && counted.created) name(way.key, runId);
  // A run takes the names of earlier versions when it begins.
  for (const key of counted.created || ownId === undefined ? [own, ...aliasKeys(occurrence)] : [own]) {
    const there = latest.get(key) ?? (await latestRun(tx, loaded, key));
    if (there === undefined) name(key, merged ? (entryId ?? runId) : runId);
    else if (!merged && (key === own || there === entryId)) name(key, runId);
  }
  return runId;
}

/** Of a delivery that is sent again: its crash is part of the count if the run's log lacks one. */
function alreadyCounted({ log, run }: RunHead, { run: fresh }: RunHead): Partial<RunHead> {
  const { lost = 0 } = log ?? EMPTY_LOG;
  if (log === undefined || lost === 0) return {};
  const { suspects, draft, occurrences, sources, members } = run;
  return {
    log: { ...log, lost: lost - 1 },
    run: { ...fresh, suspects, draft, occurrences, sources, members },
  };
}

/** The same list with one more. A batch may have thousands of one run. */
function pushed<T>(list: T[] = [], item: T): T[] {
  list.push(item);
  return list;
}

/** Deletes refusals that no edge will ask for again, a few with every batch that adds new ones. */
async function trimRefusals(
  tx: Transaction,
  { edge }: RecordBatch,
  watermark: number,
  fresh: number,
): Promise<void> {
  if (fresh === 0 || watermark <= REFUSALS_SPAN) return;
  const [gt, lt] = [keys.refusal(edge, 0), keys.refusal(edge, watermark - REFUSALS_SPAN)];
  for (const [key] of await tx.entries({ gt, lt, limit: 2 * fresh })) tx.del(key);
}

/** The key under which an event's id is stored, and the other key that is checked: an untrusted id must not hide a trusted event. */
function eventKeysOf(event: Event, eventId: string): readonly string[] {
  const { project } = event;
  const own = keys.eventId(project, eventId);
  return trustOf(event) === 'trusted' ? [own] : [keys.untrustedEventId(project, eventId), own];
}
