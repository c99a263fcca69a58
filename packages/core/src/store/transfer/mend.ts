import type { Event } from '../../domain/event.js';
import type { HistoryEntry } from '../../domain/history.js';
import type { RunSummary } from '../../domain/run.js';
import type { KeyValue, Reads } from '../key-value.js';
import { after, keys } from '../keys.js';
import { logKeys, pendingRows } from '../occurrence-log.js';
import { decode, encode, encodeHead, loggedOf, type RunHead } from '../run-parts.js';
import { recordCheck } from './record-check.js';
import { everything, type Kept, runIds } from './transfer.js';

/** What a repair found missing or unreadable. */
export interface Missing {
  /** Records that nothing could be done with. */
  records: number;
  /** Runs whose event is replaced by an older one, or by an empty one. */
  events: number;
  /** Runs whose analysis and draft are gone. */
  analyses: number;
  /** Entries of histories, which are replaced by an entry `lost`. */
  history: number;
  /** Crashes that are counted, but not listed until edges send them again. */
  occurrences: number;
  /** Edges that are asked to send again what they still have. */
  edges: number;
}

export const NOTHING_MISSING: Missing = {
  records: 0,
  events: 0,
  analyses: 0,
  history: 0,
  occurrences: 0,
  edges: 0,
};

/** Less than retention keeps event ids. */
const IDS_ARE_KEPT_MS = 29 * 24 * 60 * 60_000;

/**
 * The records of a damaged store that make complete runs, for an empty one. Watermarks start again, so that edges send all they still
 * have; `record` counts what is not counted yet. `missing` is counted meanwhile.
 */
export async function* mended(store: KeyValue, missing: Missing): AsyncGenerator<Kept> {
  const heads = await readHeads(store);
  const check = recordCheck();
  const ids = new Map<string, number>();
  for await (const kept of everything(store)) {
    if ('value' in kept) {
      if (isJson(kept.text)) yield kept;
      else missing.records += 1;
      continue;
    }
    const { key, text } = kept;
    const [family = '', id = '', part = ''] = key.split('/');
    const runId = family === 'g' ? text : family === 'k' ? runOf(text) : id;
    const lone = family !== 'w' && family !== 'x' && !heads.has(runId);
    const beyond = family === 'l' && Number(part) > (heads.get(runId)?.entries ?? 0);
    if (lone || beyond || !isValid(check, kept)) missing.records += 1;
    else if (family === 'w') {
      missing.edges += 1;
      yield { key, text: '0' };
      yield { key: `m/resent/${id}`, text };
    } else if (family === 'h')
      yield* mendedRun(store, decode<RunHead>(text, 'run'), { heads, ids: ids.get(id) ?? 0 }, missing);
    else {
      if (family === 'k') ids.set(runId, (ids.get(runId) ?? 0) + 1);
      yield kept;
    }
  }
}

interface Known {
  readonly entries: number;
  readonly generation: number;
}

async function readHeads(store: KeyValue): Promise<ReadonlyMap<string, Known>> {
  const heads = new Map<string, Known>();
  const check = recordCheck();
  for await (const runId of runIds(store)) {
    const [text = ''] = await store.getMany([keys.head(runId)]);
    if (!isValid(check, { key: keys.head(runId), text })) continue;
    const { entries, run } = decode<RunHead>(text, 'run');
    heads.set(runId, { entries, generation: run.generation });
  }
  return heads;
}

function isValid(check: ReturnType<typeof recordCheck>, kept: Kept): boolean {
  try {
    check.add(kept);
    return true;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function runOf(text: string): string {
  return isJson(text) ? String((JSON.parse(text) as { run_id?: unknown } | null)?.run_id) : '';
}

/** The run, and the records that it lacks. */
async function* mendedRun(
  reads: Reads,
  head: RunHead,
  { heads, ids }: { readonly heads: ReadonlyMap<string, Known>; readonly ids: number },
  missing: Missing,
): AsyncGenerator<Kept> {
  const { run } = head;
  const name = keys.fingerprint(run.project, run.fingerprint.hash);
  const [latest = ''] = await reads.getMany([name]);
  if ((heads.get(latest)?.generation ?? -1) < run.generation) yield { key: name, text: run.run_id };
  if (head.tombstone) return yield { key: keys.head(run.run_id), text: encodeHead(head) };
  yield* mendedHistory(reads, head, missing);
  const [event, detail] = await reads.getMany([keys.event(run.run_id), keys.detail(run.run_id)]);
  if (run.draft !== null && !isJson(detail ?? '')) missing.analyses += 1;
  let next = await mendedLog(reads, head, ids, missing);
  if (!isJson(event ?? '')) {
    missing.events += 1;
    const { log } = next;
    const [number] = log?.kept.at(-1) ?? [];
    const [older] = number === undefined ? [] : await reads.getMany([logKeys.event(run.run_id, number)]);
    yield { key: keys.event(run.run_id), text: older ?? encode(emptyEvent(run)) };
    next = log === undefined ? next : { ...next, log: { ...log, shown: null } };
  }
  yield { key: keys.head(run.run_id), text: encodeHead(next) };
}

/** The head with a log of the rows that are there. `ids`: the number of its crashes whose event id is known. */
async function mendedLog(reads: Reads, head: RunHead, ids: number, missing: Missing): Promise<RunHead> {
  const { log, run } = head;
  if (log === undefined) return head;
  const { statistics, rows } = await pendingRows(reads, run.run_id, log);
  const events = await reads.getMany(log.kept.map(([number]) => logKeys.event(run.run_id, number)));
  const kept = log.kept.filter((_, at) => isJson(events[at] ?? ''));
  const there = Math.min(log.rows, statistics.occurrences + rows.length);
  const isRecent = Date.parse(run.first_seen) > Date.now() - IDS_ARE_KEPT_MS;
  const lost = Math.max(0, isRecent ? loggedOf(head) - ids : log.rows - there);
  missing.occurrences += lost;
  return { ...head, log: { ...log, kept, rows: there, ...(lost === 0 ? {} : { lost }) } };
}

async function* mendedHistory(reads: Reads, head: RunHead, missing: Missing): AsyncGenerator<Kept> {
  const { run, entries } = head;
  const gt = keys.history(run.run_id, 0);
  const found = new Map(await reads.entries({ gt, lt: after(`l/${run.run_id}/`), limit: 100_000 }));
  for (let sequence = 1; sequence <= entries; sequence++) {
    const key = keys.history(run.run_id, sequence);
    if (isJson(found.get(key) ?? '')) continue;
    missing.history += 1;
    yield { key, text: encode(lostEntry(sequence, run.updated_at)) };
  }
}

function lostEntry(sequence: number, at: string): HistoryEntry {
  const nothing = { by: null, from: null, to: null, digest: null, ms: null, error: null, detail: {} };
  return { sequence, at, kind: 'step', name: 'lost', via: 'engine', ...nothing };
}

/** What the run's head knows of its crash. */
function emptyEvent(run: RunSummary): Event {
  const none = { message_template: null, release: null, dist: null, environment: null, commit: null };
  const nobody = { server_name: null, transaction: null, logger: null, user: null, request: null };
  return {
    ...{ ...none, ...nobody, fingerprint: null, sdk: null, raw_sha256: null },
    ...{ tags: {}, contexts: {}, extra: {}, modules: {} },
    ...{ exceptions: [], breadcrumbs: [], attachments: [], trimmed: [] },
    event_id: 'lost',
    project: run.project,
    door: run.doors[0] ?? 'native',
    timestamp: run.last_seen,
    received_at: run.last_seen,
    level: run.level,
    platform: run.platform,
    message: run.title,
    redactions: 0,
  };
}
