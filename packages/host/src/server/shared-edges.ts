import type { Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';
import { stored, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { EdgeRegistry } from './edge-registry.js';
import type { GuardSnapshots } from './guard-snapshots.js';
import { edgeSchema } from './schema/edges.js';

/** How often cores share reports: the load balancer decides which core receives one. */
const SHARE_MS = 5_000;
/** An edge that has not reported for this long is forgotten. */
const KEPT_MS = 60 * 60_000;
const EDGES = 32;

const sharedReportSchema = v.omit(v.object(edgeSchema.entries), ['edge', 'commands']);
type SharedReport = v.InferOutput<typeof sharedReportSchema>;

export interface SharedEdgesParts {
  readonly values: Values;
  readonly guards: GuardSnapshots;
  readonly edges: EdgeRegistry;
  readonly logger: Logger;
}

export interface SharedEdges {
  /** Exchanges reports with the other cores. */
  share(): Promise<void>;
  close(): void;
}

/** Shares the reports of edges among all cores of a fleet: one key per edge, and a list of their names. */
export function shareEdges({ values, guards, edges, logger }: SharedEdgesParts): SharedEdges {
  /** `received_at` of the stored report by edge, as far as this core knows. */
  const known = new Map<string, string>();
  const names = storedList(values, 'edges', { schema: v.string(), newest: 'last', most: EDGES });
  const reportOf = (edge: string) =>
    stored<SharedReport | null>(values, `edge-report:${edge}`, {
      ...{ schema: sharedReportSchema, none: null, ttlMs: KEPT_MS },
    });
  const publish = async () => {
    for (const { edge, received_at, figures } of guards.all()) {
      const report = edges.reported(edge);
      if (report === null || (known.get(edge) ?? '') >= received_at) continue;
      await reportOf(edge).set({ received_at, figures, ...report });
      if (!known.has(edge)) await names.change((all) => (all.includes(edge) ? null : [...all, edge]));
      known.set(edge, received_at);
    }
  };
  const hear = async () => {
    for (const edge of await names.get()) {
      const shared = await reportOf(edge).get();
      if (shared === null) continue;
      const { received_at, figures, ...report } = shared;
      known.set(edge, received_at);
      if (guards.adopt({ edge, received_at, figures })) edges.report(edge, report);
    }
  };
  const share = async () => {
    await publish();
    await hear();
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    share()
      .catch((error) => logger.warn({ err: error }, 'cannot share the reports of edges'))
      .finally(() => {
        busy = false;
      });
  }, SHARE_MS);
  timer.unref();
  return { share, close: () => clearInterval(timer) };
}
