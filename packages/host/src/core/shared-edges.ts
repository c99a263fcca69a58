import type { Logger, Values } from '@culprit/core';
import * as v from 'valibot';
import type { EdgeRegistry } from './edge-registry.js';
import type { GuardSnapshots } from './guard-snapshots.js';
import { edgeSchema } from './schema/edges.js';

/** How often cores share reports: the load balancer decides which core receives one. */
const SHARE_MS = 5_000;
/** An edge that has not reported for this long is forgotten. */
const KEPT_MS = 60 * 60_000;
const EDGES = 32;
const NAMES = 'edges';

const sharedReportSchema = v.omit(edgeSchema, ['edge', 'commands']);
const namesSchema = v.array(v.string());

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
  const stored = new Map<string, string>();
  const publish = async () => {
    for (const { edge, received_at, figures } of guards.all()) {
      const report = edges.reported(edge);
      if (report === null || (stored.get(edge) ?? '') >= received_at) continue;
      await values.set(keyOf(edge), JSON.stringify({ received_at, figures, ...report }), KEPT_MS);
      if (!stored.has(edge)) {
        await values.change(NAMES, (stored) => {
          const names = namesOf(stored);
          return names.includes(edge) ? undefined : JSON.stringify([...names, edge].slice(-EDGES));
        });
      }
      stored.set(edge, received_at);
    }
  };
  const hear = async () => {
    for (const edge of namesOf(await values.get(NAMES))) {
      const text = await values.get(keyOf(edge));
      const shared = text === undefined ? null : v.safeParse(sharedReportSchema, JSON.parse(text));
      if (!shared?.success) continue;
      const { received_at, figures, ...report } = shared.output;
      stored.set(edge, received_at);
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

function namesOf(stored: string | undefined): readonly string[] {
  const parsed = stored === undefined ? null : v.safeParse(namesSchema, JSON.parse(stored));
  return parsed?.success ? parsed.output : [];
}

function keyOf(edge: string): string {
  return `edge-report:${edge}`;
}
