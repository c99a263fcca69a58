import { LEVELS } from '@culprit/core/internal/domain/event';
import { about } from '@culprit/core/internal/domain/schema';
import { EVENT_NAMES, type EventType } from '@culprit/core/internal/domain/webhook-events';
import * as v from 'valibot';

const FILTER_VALUES = 50;
const words = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), v.maxLength(FILTER_VALUES)),
  [],
);

/** What people set. */
export const settingsSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100)),
  url: about(v.string(), 'https, on the public internet unless WEBHOOK_ALLOWED_HOSTS has its host.'),
  events: v.pipe(v.array(v.picklist(EVENT_NAMES)), v.minLength(1), v.maxLength(EVENT_NAMES.length)),
  projects: about(words, 'Only runs of these projects; empty: all.'),
  levels: about(v.optional(v.array(v.picklist(LEVELS)), []), 'Only runs of these levels; empty: all.'),
  environments: about(words, 'Only runs that crashed in one of these; empty: all.'),
  enabled: v.optional(v.boolean(), true),
});
export type WebhookSettings = v.InferOutput<typeof settingsSchema>;

/** What decides which events a webhook gets. */
const { events, projects, levels, environments } = settingsSchema.entries;
export const earlierSchema = v.object({ until: v.string(), events, projects, levels, environments });
/** Filters before a change, and when that was, in ISO 8601. */
export type EarlierFilters = v.InferOutput<typeof earlierSchema>;
/** Filters that are remembered: an event is read within seconds. */
const MAX_EARLIER = 3;

/** A webhook as it is stored, without its secrets. */
export interface Webhook extends WebhookSettings {
  readonly id: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The reviewer who made it. */
  readonly created_by: string;
  /** ISO 8601: when it was last turned on. Earlier events are not sent. */
  readonly active_since: string;
  /** The newest first. What happened before a change must also match the filters before it. */
  readonly earlier: readonly EarlierFilters[];
  /** `gone`: the receiver answered 410. `null`: not turned off, or by a reviewer. */
  readonly turned_off: 'gone' | null;
}

/** What filters read of a run. */
export interface Filtered {
  readonly project: string;
  readonly level: string;
  readonly environments: readonly string[];
}

/** Which webhooks want an event, without looking at those of other projects and events. */
export interface Matcher {
  /** False if no webhook wants one of these events of such a run. */
  wantsRun(run: Filtered, types: readonly EventType[]): boolean;
  wanting(type: EventType, run: Filtered, at: string): readonly Webhook[];
}

/** Compiles the filters of all enabled webhooks. */
export function matcherOf(webhooks: readonly Webhook[]): Matcher {
  const everywhere = new Map<EventType, Webhook[]>();
  const byProject = new Map<string, Map<EventType, Webhook[]>>();
  const ofProject = (project: string) => {
    const known = byProject.get(project) ?? new Map<EventType, Webhook[]>();
    byProject.set(project, known);
    return known;
  };
  for (const webhook of webhooks) {
    if (!webhook.enabled) continue;
    const places =
      webhook.projects.length === 0 ? [everywhere] : [...new Set(webhook.projects)].map(ofProject);
    for (const place of places) {
      for (const type of new Set(webhook.events)) {
        const known = place.get(type);
        if (known === undefined) place.set(type, [webhook]);
        else known.push(webhook);
      }
    }
  }
  const candidates = function* (type: EventType, project: string): Generator<Webhook> {
    yield* byProject.get(project)?.get(type) ?? [];
    yield* everywhere.get(type) ?? [];
  };
  return {
    wantsRun(run, types) {
      for (const type of types)
        for (const webhook of candidates(type, run.project)) if (accepts(webhook, run)) return true;
      return false;
    },
    wanting: (type, run, at) =>
      [...candidates(type, run.project)].filter(
        (webhook) =>
          webhook.active_since <= at &&
          accepts(webhook, run) &&
          webhook.earlier.every((before) => before.until <= at || wants(before, type, run)),
      ),
  };
}

/** The webhook with other settings, which concern what happens from `at` on. */
export function changed(before: Webhook, settings: WebhookSettings, at: string): Webhook {
  const after = { ...before, ...settings, turned_off: null };
  if (settings.enabled && !before.enabled) return { ...after, active_since: at, earlier: [] };
  if (JSON.stringify(filtersOf(before)) === JSON.stringify(filtersOf(settings))) return after;
  const all = [{ until: at, ...filtersOf(before) }, ...before.earlier];
  const forgotten = all[MAX_EARLIER];
  const active_since = forgotten === undefined ? before.active_since : forgotten.until;
  return { ...after, active_since, earlier: all.slice(0, MAX_EARLIER) };
}

type Filters = Omit<EarlierFilters, 'until'>;
const filtersOf = ({ events, projects, levels, environments }: Filters): Filters => ({
  events,
  projects,
  levels,
  environments,
});

function wants(filters: Filters, type: EventType, run: Filtered): boolean {
  const { events, projects } = filters;
  if (projects.length > 0 && !projects.includes(run.project)) return false;
  return events.includes(type) && accepts(filters, run);
}

function accepts({ levels, environments }: Pick<Filters, 'levels' | 'environments'>, run: Filtered): boolean {
  if (levels.length > 0 && !levels.some((level) => level === run.level)) return false;
  return environments.length === 0 || environments.some((one) => run.environments.includes(one));
}
