import type { Engine, Logger, RunSummary } from '@culprit/core';
import { sourcesOf } from '@culprit/core/internal/domain/source';
import type { FeedEntry } from '@culprit/core/internal/ports/status-feed';
import type { Values } from '@culprit/core/internal/ports/values';
import { type Stored, stored } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { RunActivity } from './schema/activity.js';

const ACTIVITY_HOURS = 24;
const HOUR_MS = 60 * 60_000;
/** Runs in memory; the one updated longest ago is stored and evicted first. */
const MOST_RUNS = 5_000;
const FLUSH_MS = 30_000;
/** Runs stored per flush. */
const FLUSH_RUNS = 500;
const KEPT_MS = 2 * ACTIVITY_HOURS * HOUR_MS;

/** Counts by hour since 1970. `total`: the run's occurrences when they were last updated. */
interface Curve {
  total: number;
  readonly hours: Map<number, number>;
  dirty: boolean;
}
const curveSchema = v.object({ total: v.number(), hours: v.array(v.tuple([v.number(), v.number()])) });
type StoredCurve = v.InferOutput<typeof curveSchema>;

/** Hourly crash counts of each run, for the board's charts. */
export interface Activity {
  /** Counts of the last 24 hours by run, oldest first, the current hour last. Omits unknown runs. */
  of(runIds: readonly string[]): Promise<Readonly<Record<string, RunActivity>>>;
  /** Stores pending counts. */
  close(): Promise<void>;
}

/**
 * Derives counts from the live feed. They are approximate: crashes while no core was running count in the hour of the latest
 * crash.
 */
export function createActivity(
  engine: Pick<Engine, 'feed' | 'values'>,
  now: () => number,
  logger: Logger,
): Activity {
  const { feed, values } = engine;
  const curves = new Map<string, Curve>();
  const loading = new Map<string, Promise<Curve>>();
  const find = async (runId: string): Promise<Curve> => {
    const known = curves.get(runId) ?? (await loadCurve(values, runId));
    curves.delete(runId);
    curves.set(runId, known);
    return known;
  };
  /** Updates of one run happen in sequence. */
  const touch = (run: RunSummary): void => {
    const known = curves.get(run.run_id);
    if (known !== undefined) {
      count(known, run);
      return;
    }
    const before = loading.get(run.run_id);
    const next = (before ?? find(run.run_id)).then((curve) => {
      count(curve, run);
      return curve;
    });
    loading.set(run.run_id, next);
    next
      .catch((error: unknown) => logger.warn({ err: error }, 'cannot read the activity of a run'))
      .finally(() => {
        if (loading.get(run.run_id) === next) loading.delete(run.run_id);
      });
  };
  const flush = async (most: number): Promise<void> => {
    let left = most;
    for (const [runId, curve] of curves) {
      if (curve.dirty && left-- > 0) {
        curve.dirty = false;
        await curveOf(values, runId).set({ total: curve.total, hours: [...curve.hours] });
      }
      if (curves.size > MOST_RUNS && !curve.dirty) curves.delete(runId);
    }
  };
  const stop = feed.watch(({ run }: FeedEntry) => touch(run));
  const failed = (error: unknown) => logger.warn({ err: error }, 'cannot store the activity of runs');
  const timer = setInterval(() => void flush(FLUSH_RUNS).catch(failed), FLUSH_MS);
  timer.unref();
  return {
    async of(runIds) {
      const last = Math.floor(now() / HOUR_MS);
      const rows = await Promise.all(
        runIds.map(async (runId) => {
          const curve = curves.get(runId) ?? (await loading.get(runId)) ?? (await loadCurve(values, runId));
          return [runId, curve] as const;
        }),
      );
      const known = rows.filter(([, { hours }]) => hours.size > 0);
      return Object.fromEntries(
        known.map(([runId, { total, hours }]) => [runId, { total, hours: lastHours(hours, last) }]),
      );
    },
    async close() {
      stop();
      clearInterval(timer);
      await flush(MOST_RUNS).catch(failed);
    },
  };
}

function count(curve: Curve, run: RunSummary): void {
  const { occurrences } = run;
  const more = occurrences - curve.total;
  curve.total = Math.max(curve.total, occurrences);
  if (more <= 0) return;
  const latest = Math.max(...sourcesOf(run).map(({ last_seen }) => Date.parse(last_seen)));
  const hour = Math.floor(latest / HOUR_MS);
  curve.hours.set(hour, (curve.hours.get(hour) ?? 0) + more);
  for (const old of curve.hours.keys()) if (old <= hour - ACTIVITY_HOURS) curve.hours.delete(old);
  curve.dirty = true;
}

function lastHours(hours: ReadonlyMap<number, number>, last: number): number[] {
  return Array.from({ length: ACTIVITY_HOURS }, (_, at) => hours.get(last - ACTIVITY_HOURS + 1 + at) ?? 0);
}

async function loadCurve(values: Values, runId: string): Promise<Curve> {
  const { total, hours } = await curveOf(values, runId).get();
  return { total, hours: new Map(hours), dirty: false };
}

function curveOf(values: Values, runId: string): Stored<StoredCurve> {
  const none = { total: 0, hours: [] };
  return stored(values, `activity:${runId}`, { schema: curveSchema, none, ttlMs: KEPT_MS });
}
