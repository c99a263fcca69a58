import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Connector } from '../connector/connector.js';
import { defineConnector } from '../connector/define-connector.js';
import { cameBack } from '../domain/comeback.js';
import type { Event } from '../domain/event.js';
import { countOccurrence } from '../domain/occurrence.js';
import { excessDetail, excessOf, type QuotaExcess, REFUSED_COUNTS, startedCounts } from '../domain/quota.js';
import { type Run, type RunRecord, summarise } from '../domain/run.js';
import { trustMix } from '../domain/source.js';
import { trustOf } from '../domain/trust.js';
import { usersOfStatistics } from '../domain/user-count.js';
import { CulpritError } from '../errors/error.js';
import type { RunHistory } from '../ports/run-history.js';
import type { RunOccurrences } from '../ports/run-occurrences.js';
import type { ChangedPair, DecidedRun, PairChange } from '../ports/run-pairs.js';
import type { Occurrence, RecordBatch, Recorded, RunChange, RunStore } from '../ports/run-store.js';
import type { RunUsage } from '../ports/run-usage.js';
import type { RunValues } from '../ports/run-values.js';
import type { FeedEntry, StatusFeed } from '../ports/status-feed.js';
import type { Values } from '../ports/values.js';
import { addToLog, memoryOccurrences } from './memory-occurrences.js';
import { pageOf, valuesOf } from './memory-page.js';
import { memoryQuotas } from './memory-quotas.js';
import { append, fingerprintKey, joined, key, mustGet, type State, wayFrom } from './memory-state.js';
import { memoryValues } from './memory-values.js';

/** The ports that one storage implements together. */
export interface Storage {
  readonly runStore: RunStore;
  readonly runHistory: RunHistory;
  readonly runOccurrences: RunOccurrences;
  readonly runValues: RunValues;
  readonly runUsage: RunUsage;
  readonly statusFeed: StatusFeed;
  readonly values: Values;
}

/** The behaviour of `memoryStorage`. */
export interface MemoryStorageOptions {
  /** Milliseconds since 1970, for the expiry of values. */
  readonly now?: () => number;
  /** How many feed entries are buffered. */
  readonly feedEntries?: number;
}

/** Storage in memory, for unit tests. Passes the same contract suites as real storage. */
export function memoryStorage({ now = Date.now, feedEntries = 10_000 }: MemoryStorageOptions = {}): Storage {
  const { statusFeed, emit } = memoryFeed(feedEntries);
  const state: State = {
    runs: new Map(),
    latest: new Map(),
    families: new Map(),
    events: new Map(),
    refusals: new Map(),
    watermarks: new Map(),
    histories: new Map(),
    logs: new Map(),
    quotas: memoryQuotas(),
    emit,
  };
  return {
    runStore: {
      record: async (batch) => record(state, batch),
      get: async (runId) => state.runs.get(runId) ?? null,
      change: async (change) => changeRun(state, change),
      changePair: async (change) => changePair(state, change),
      page: async (query) => pageOf(state, query),
      countedOn: async (occurrence) => {
        const { crash, entry } = joined(state, occurrence);
        const run = wayFrom(state, entry).runs.at(-1)?.run;
        return { hash: crash.fingerprint.hash, run: run === undefined ? null : summarise(run) };
      },
    },
    runHistory: { history: async (runId) => [...(state.histories.get(runId) ?? [])] },
    runValues: { list: async (query) => valuesOf(state.runs.values(), query) },
    runOccurrences: memoryOccurrences(state.logs, (runId) => state.runs.get(runId)?.run.event ?? null),
    runUsage: { usage: async () => state.quotas.usage() },
    statusFeed,
    values: memoryValues(now),
  };
}

/** {@link memoryStorage} as a connector, for `createEngine`. */
export function memoryStorageConnector(storage: Storage = memoryStorage()): Connector {
  return defineConnector({ id: 'memory-storage', config: v.object({}), setup: () => ({ ...storage }) })({});
}

function record(state: State, { edge, items, after = 0, now, policy }: RecordBatch) {
  if (items.some(({ occurrence, refusal }) => (occurrence === null) === (refusal === null))) {
    throw new CulpritError('internal', 'A batch item needs either an occurrence or a refusal.');
  }
  const before = state.watermarks.get(edge) ?? 0;
  if (after > before) return { outcomes: [], watermark: before };
  const touched = new Set<string>();
  const changed = new Set<string>();
  const outcomes = items.map((item): Recorded => {
    const { sequence, event_id, occurrence } = item;
    const base = { sequence, event_id, run_id: null, detail: null };
    const repeated = sequence > 0 && sequence <= before;
    const refusal = (repeated ? state.refusals.get(key(edge, sequence)) : undefined) ?? item.refusal;
    if (refusal !== null || occurrence === null) {
      if (refusal !== null && sequence > before) state.refusals.set(key(edge, sequence), refusal);
      return { ...base, outcome: 'invalid', ...refusal };
    }
    const [eventKey = '', ...otherKeys] = eventKeys(occurrence.event, event_id);
    const known = [eventKey, ...otherKeys].map((name) => state.events.get(name)).find((one) => one);
    if (known !== undefined) {
      const same = sequence > 0 && known.edge === edge && known.sequence === sequence;
      return { ...base, outcome: same ? 'accepted' : 'duplicate', run_id: known.run_id };
    }
    if (repeated) return { ...base, outcome: 'duplicate' };
    const counted = count(state, occurrence, now, policy);
    if ('limit' in counted) {
      const over = { outcome: 'over_quota', detail: excessDetail(counted), quota: counted } as const;
      if (sequence > before) state.refusals.set(key(edge, sequence), over);
      return { ...base, ...over };
    }
    const { run_id, notify, cameBack: earlierId } = counted;
    if (notify) changed.add(run_id);
    state.events.set(eventKey, { run_id, edge, sequence });
    touched.add(run_id);
    for (const id of earlierId === null ? [] : [earlierId]) {
      touched.add(id);
      changed.add(id);
    }
    return { ...base, outcome: 'accepted', run_id };
  });
  const watermark = Math.max(before, ...items.map(({ sequence }) => sequence));
  state.watermarks.set(edge, watermark);
  for (const runId of touched) state.emit(mustGet(state, runId).run);
  return { outcomes, watermark, ...(changed.size === 0 ? {} : { changed: [...changed] }) };
}

/** The key under which an event's id is stored, and the other key that is checked. */
function eventKeys(event: Event, event_id: string): readonly string[] {
  const own = key(event.project, event_id);
  return trustOf(event) === 'trusted' ? [own] : [key(event.project, event_id, 'untrusted'), own];
}

interface Counted {
  readonly run_id: string;
  readonly notify: boolean;
  /** The run that came back as this one; `null`: none. */
  readonly cameBack: string | null;
}

/** The run that counted the occurrence, or the quota that it would exceed. */
function count(
  state: State,
  sent: Occurrence,
  now: string,
  policy: RecordBatch['policy'],
): Counted | QuotaExcess {
  const { crash: occurrence, entry, store } = joined(state, sent);
  const { project } = occurrence.event;
  const [hash, ...aliases] = [occurrence.fingerprint.hash, ...occurrence.aliases].map((one) =>
    fingerprintKey(project, one),
  );
  const way = wayFrom(state, entry);
  const earlier = way.runs.at(-1) ?? null;
  const { quietAfterRejectMs, closedIssues, dismissedIssues, quotas } = policy;
  const ended = [closedIssues, dismissedIssues] as const;
  const counted = countOccurrence(earlier, occurrence, now, quietAfterRejectMs, ...ended);
  const owner = { project, door: occurrence.event.door, key: occurrence.key };
  if (counted.created) {
    const eventBytes = Buffer.byteLength(JSON.stringify(occurrence.event));
    const excess = quotas && excessOf(owner, { now, eventBytes }, quotas, state.quotas.countsOf);
    state.quotas.add(owner, excess ? REFUSED_COUNTS : startedCounts(now));
    if (excess) return excess;
  }
  store();
  const { run_id } = counted.record.run;
  const { run } = counted.record;
  const takesOver =
    earlier !== null && trustMix(earlier.run).kind === 'untrusted' && trustOf(run.event) === 'trusted';
  const logged = {
    event: occurrence.event,
    // Merges change the count of occurrences, but not what is logged.
    number: (state.logs.get(run_id)?.rows.length ?? 0) + 1,
    shown: counted.shown,
    releases: counted.created ? [] : (earlier?.run.releases ?? []),
    earlier: counted.created ? null : (earlier?.run.event ?? null),
    now,
  };
  const log = addToLog(state.logs.get(run_id), logged);
  const bytes = log.kept.reduce((sum, [, size]) => sum + size, 0);
  const fits = counted.created || earlier === null || takesOver || state.quotas.fits(run, bytes, quotas);
  const { users } = usersOfStatistics(log.statistics);
  const event = fits ? run.event : earlier.run.event;
  const record: RunRecord = { ...counted.record, run: { ...run, users, event } };
  state.logs.set(run_id, fits ? log : addToLog(state.logs.get(run_id), { ...logged, shown: false }));
  state.quotas.keep(record.run, owner, fits ? bytes : undefined);
  state.runs.set(run_id, record);
  append(state, run_id, counted.history);
  const merged = way.runs.length > 1 && !counted.parted;
  if (merged && counted.created) state.latest.set(way.key ?? '', run_id);
  const named = merged ? (entry ?? run_id) : run_id;
  // A run takes the names of earlier versions when it begins.
  const begins = counted.created || !state.latest.has(hash ?? '');
  for (const name of [hash ?? '', ...(begins ? aliases : [])]) {
    const there = state.latest.get(name);
    if (there === undefined || (!merged && (name === hash || there === entry))) state.latest.set(name, named);
  }
  const notify = counted.newSource || counted.woken;
  return { run_id, notify, cameBack: counted.created ? linkEarlier(state, record.run, now) : null };
}

/** Names the regression on the run whose issue was closed. */
function linkEarlier(state: State, { run_id, regression_of }: Run, now: string): string | null {
  const earlier = regression_of === null ? undefined : state.runs.get(regression_of);
  if (earlier === undefined) return null;
  const { run, entry } = cameBack(earlier.run, run_id, now);
  state.runs.set(run.run_id, { ...earlier, run });
  append(state, run.run_id, [entry]);
  return run.run_id;
}

function changeRun(state: State, change: RunChange): RunRecord {
  const current = mustGet(state, change.run_id);
  const stale = change.lease && current.lease && change.lease.token < current.lease.token;
  if (current.run.version !== change.version || stale) {
    throw new CulpritError('version_conflict', 'The run was changed meanwhile. Read it again.');
  }
  const changed: RunRecord = {
    run: { ...current.run, ...change.patch, version: change.version + 1, updated_at: change.now },
    intent: change.intent === undefined ? current.intent : change.intent,
    lease: change.lease === undefined ? current.lease : change.lease,
  };
  state.runs.set(change.run_id, changed);
  state.quotas.keep(changed.run, { project: changed.run.project, door: changed.run.event.door, key: null });
  append(state, change.run_id, change.history);
  state.emit(changed.run);
  return changed;
}

function memoryFeed(keep: number): { statusFeed: StatusFeed; emit: (run: Run) => void } {
  const epoch = randomUUID();
  const entries: FeedEntry[] = [];
  const listeners = new Set<(entry: FeedEntry) => void>();
  let sequence = 0;
  return {
    emit: (run) => {
      const entry = { sequence: ++sequence, run: summarise(run) };
      entries.push(entry);
      if (entries.length > keep) entries.shift();
      for (const listener of [...listeners]) listener(entry);
    },
    statusFeed: {
      head: async () => ({ epoch, sequence }),
      since: async (cursor, limit) => {
        const reaches = cursor.sequence >= sequence - entries.length && cursor.sequence <= sequence;
        if (cursor.epoch !== epoch || !reaches) return null;
        return entries.filter((entry) => entry.sequence > cursor.sequence).slice(0, limit);
      },
      watch: (listener) => {
        const own = (entry: FeedEntry) => listener(entry);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
  };
}

/** See `RunStore.changePair`. */
function changePair(state: State, { run_id, into: other, now, decide }: PairChange): ChangedPair {
  const run = mustGet(state, run_id);
  const otherId = other ?? run.run.merged_into ?? null;
  const into = (otherId === null ? undefined : state.runs.get(otherId)) ?? null;
  const way = ({ run: { project, fingerprint } }: RunRecord) => {
    const latest = state.latest.get(fingerprintKey(project, fingerprint.hash));
    return wayFrom(state, latest).runs.map((one) => one.run.run_id);
  };
  const decided = decide({ run, into, ways: { run: way(run), into: into === null ? [] : way(into) } });
  const put = (before: RunRecord, { run: wanted, history }: DecidedRun): RunRecord => {
    const next = { ...before, run: { ...wanted, version: before.run.version + 1, updated_at: now } };
    state.runs.set(next.run.run_id, next);
    state.quotas.keep(next.run, { project: next.run.project, door: next.run.event.door, key: null });
    append(state, next.run.run_id, history);
    state.emit(next.run);
    return next;
  };
  return {
    run: put(run, decided.run),
    into: into === null || decided.into === null ? into : put(into, decided.into),
  };
}
