import type { EdgeFigures } from '@culprit/client/live';
import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import type { FailedNotification } from '@culprit/core/internal/pipeline/notify';
import { computed, signal } from '@preact/signals';
import { api } from '../api.js';
import { plural, span } from '../format.js';
import { clock } from './clock.js';
import { guards } from './feed.js';
import { heardAt } from './guards.js';

/** An edge reports every five seconds, and cores share reports every five; one that is silent for longer may be dead. */
const SILENT_MS = 15_000;
/** A spool whose oldest delivery waits for this long is not draining. */
const WAITING_MS = 30_000;

/** Something about an edge that an operator must see. */
export interface Trouble {
  /** `3 dead letters` */
  readonly words: string;
  /** Higher is worse. */
  readonly weight: number;
}

/** Worst first; empty for a healthy edge. */
export function troublesOf({ edge, received_at, figures }: EdgeFigures, now: number): readonly Trouble[] {
  const spool = objectOf(figures.spool);
  const forwarder = objectOf(figures.forwarder);
  const quiet = now - (heardAt.value.get(edge)?.at ?? Date.parse(received_at));
  const waiting = numberOf(spool.oldest_age_ms);
  const letters = numberOf(figures.dead_letters);
  const found: (Trouble | false)[] = [
    quiet > SILENT_MS && { words: `no report for ${span(quiet)}`, weight: 5 },
    textOf(spool.fault) !== null && { words: 'disk error', weight: 4 },
    textOf(forwarder.circuit) === 'open' && { words: 'circuit open', weight: 3 },
    waiting >= WAITING_MS && {
      words: `spool grows: ${plural(numberOf(spool.depth), 'delivery', 'deliveries')}, oldest ${span(waiting)}`,
      weight: 2,
    },
    letters > 0 && { words: plural(letters, 'dead letter'), weight: 1 },
  ];
  return found.filter((one) => one !== false);
}

/** Every edge with its troubles, the worst first. */
export const edgesByTrouble = computed(() =>
  guards.value
    .map((latest) => ({ latest, troubles: troublesOf(latest, clock.value) }))
    .sort((a, b) => (b.troubles[0]?.weight ?? 0) - (a.troubles[0]?.weight ?? 0) || compareNames(a, b)),
);

interface NamedEdge {
  readonly latest: Pick<EdgeFigures, 'edge'>;
}
function compareNames(a: NamedEdge, b: NamedEdge): number {
  return a.latest.edge < b.latest.edge ? -1 : 1;
}

/** Notifications that Culprit has given up. */
export const failedNotifications = signal<readonly FailedNotification[]>([]);

export async function readFailedNotifications(): Promise<void> {
  failedNotifications.value = (await api.listFailedNotifications()).notifications;
}

/** One line for each edge with troubles, and one for the failed notifications. */
export const troubleLines = computed<readonly string[]>(() => [
  ...edgesByTrouble.value
    .filter(({ troubles }) => troubles.length > 0)
    .map(({ latest, troubles }) => `${latest.edge}: ${troubles.map(({ words }) => words).join(', ')}`),
  ...(failedNotifications.value.length === 0
    ? []
    : [plural(failedNotifications.value.length, 'failed notification')]),
]);
