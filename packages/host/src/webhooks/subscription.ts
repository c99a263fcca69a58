import { LEVELS } from '@culprit/core/model';
import * as v from 'valibot';
import { EVENT_NAMES, type EventType } from './event-types.js';

const FILTER_VALUES = 50;
const words = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), v.maxLength(FILTER_VALUES)),
  [],
);

/** What people set. */
export const settingsSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100)),
  url: v.pipe(
    v.string(),
    v.description('https, on the public internet unless WEBHOOK_ALLOWED_HOSTS has its host.'),
  ),
  events: v.pipe(v.array(v.picklist(EVENT_NAMES)), v.minLength(1), v.maxLength(EVENT_NAMES.length)),
  projects: v.pipe(words, v.description('Only runs of these projects; empty: all.')),
  levels: v.pipe(
    v.optional(v.array(v.picklist(LEVELS)), []),
    v.description('Only runs of these levels; empty: all.'),
  ),
  environments: v.pipe(words, v.description('Only runs that crashed in one of these; empty: all.')),
  enabled: v.optional(v.boolean(), true),
});
export type WebhookSettings = v.InferOutput<typeof settingsSchema>;

/** A webhook as it is stored, without its secrets. */
export interface Webhook extends WebhookSettings {
  readonly id: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The reviewer who made it. */
  readonly created_by: string;
  /** ISO 8601: when it was last turned on. Earlier events are not sent. */
  readonly active_since: string;
  /** `gone`: the receiver answered 410. `null`: not turned off, or by a reviewer. */
  readonly turned_off: 'gone' | null;
}

/** What filters read of a run. */
export interface Filtered {
  readonly project: string;
  readonly level: string;
  readonly environments: readonly string[];
}

/** Which webhooks want an event, without looking at the others of its project. */
export interface Matcher {
  /** False if no webhook wants any event of such a run. */
  wantsRun(run: Filtered): boolean;
  wanting(type: EventType, run: Filtered, at: string): readonly Webhook[];
}

/** Compiles the filters of all enabled webhooks. */
export function matcherOf(webhooks: readonly Webhook[]): Matcher {
  const byProject = new Map<string, Webhook[]>();
  const everywhere: Webhook[] = [];
  for (const webhook of webhooks) {
    if (!webhook.enabled) continue;
    if (webhook.projects.length === 0) everywhere.push(webhook);
    for (const project of new Set(webhook.projects)) {
      const known = byProject.get(project);
      if (known === undefined) byProject.set(project, [webhook]);
      else known.push(webhook);
    }
  }
  const candidates = function* (project: string): Generator<Webhook> {
    yield* byProject.get(project) ?? [];
    yield* everywhere;
  };
  return {
    wantsRun(run) {
      for (const webhook of candidates(run.project)) if (accepts(webhook, run)) return true;
      return false;
    },
    wanting: (type, run, at) =>
      [...candidates(run.project)].filter(
        (webhook) => webhook.events.includes(type) && webhook.active_since <= at && accepts(webhook, run),
      ),
  };
}

function accepts({ levels, environments }: Webhook, run: Filtered): boolean {
  if (levels.length > 0 && !levels.some((level) => level === run.level)) return false;
  return environments.length === 0 || environments.some((one) => run.environments.includes(one));
}
