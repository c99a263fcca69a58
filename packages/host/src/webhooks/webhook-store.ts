import { randomBytes } from 'node:crypto';
import { CulpritError } from '@culprit/core';
import type { StoredKey } from '@culprit/core/internal/domain/stored-values';
import type { Values } from '@culprit/core/internal/ports/values';
import { storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import { earlierSchema, settingsSchema, type Webhook } from './subscription.js';

/** Maximum number of webhooks. */
export const MAX_WEBHOOKS = 1_000;
/** How long the secret before a rotation still signs. */
const OVERLAP_MS = 24 * 60 * 60_000;

const CHANGED = 'webhook:changed';
/** Key of `Values`, which is in no export. */
const secretKey = (id: string): StoredKey => `webhook-secret:${id}`;

const webhookSchema = v.looseObject({
  ...settingsSchema.entries,
  id: v.string(),
  created_at: v.string(),
  created_by: v.string(),
  active_since: v.string(),
  earlier: v.optional(v.array(earlierSchema), []),
  turned_off: v.optional(v.nullable(v.literal('gone')), null),
});
const secretSchema = v.object({ secret: v.string(), until: v.nullable(v.number()) });

/** Webhooks and their secrets, in the engine's values. */
export interface WebhookStore {
  list(): Promise<readonly Webhook[]>;
  /** Another text after every change, in every process. */
  version(): Promise<string>;
  /** Changes one; `null` deletes it. Rejects with `not_found`. */
  change(id: string, decide: (webhook: Webhook) => Webhook | null): Promise<Webhook>;
  add(webhook: Webhook): Promise<void>;
  /** The secrets that sign now, the newest first. */
  secrets(id: string): Promise<readonly string[]>;
  /** Makes a secret. The one before it signs for another day, and older ones no longer. */
  rotate(id: string): Promise<{ readonly secret: string; readonly previous_until: string | null }>;
}

export function webhookStore(values: Values, now: () => number): WebhookStore {
  const webhooks = storedList<Webhook>(values, 'webhook:list', {
    ...{ schema: webhookSchema, newest: 'last', most: MAX_WEBHOOKS },
    full() {
      const detail = `There are ${MAX_WEBHOOKS.toLocaleString('en')} webhooks. Delete one first.`;
      return new CulpritError('malformed', detail);
    },
  });
  const secretsOf = (id: string) =>
    storedList(values, secretKey(id), {
      ...{ schema: secretSchema, newest: 'first' },
      current: ({ until }) => until === null || until > now(),
    });
  const touched = () => values.set(CHANGED, randomBytes(9).toString('base64url'));
  return {
    list: webhooks.get,
    version: async () => (await values.get(CHANGED)) ?? '',
    async change(id, decide) {
      let result: Webhook | null = null;
      await webhooks.change((all) => {
        const found = all.find((one) => one.id === id);
        if (found === undefined) throw new CulpritError('not_found', 'There is no webhook with this id.');
        const next = decide(found);
        result = next ?? found;
        return all.flatMap((one) => (one.id !== id ? [one] : next === null ? [] : [next]));
      });
      await touched();
      if (result === null) throw new CulpritError('not_found', 'There is no webhook with this id.');
      return result;
    },
    async add(webhook) {
      await webhooks.add(webhook);
      await touched();
    },
    secrets: async (id) => (await secretsOf(id).get()).map(({ secret }) => secret),
    async rotate(id) {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const until = now() + OVERLAP_MS;
      let previous: number | null = null;
      await secretsOf(id).change(([last]) => {
        previous = last === undefined ? null : until;
        // Only the last one stays: who rotates twice because a secret leaked must not keep it.
        const before = last === undefined ? [] : [{ ...last, until }];
        return [{ secret, until: null }, ...before];
      });
      await touched();
      return { secret, previous_until: previous === null ? null : new Date(previous).toISOString() };
    },
  };
}

/** Deletes what is stored of a deleted webhook. */
export function forgetSecrets(values: Values, id: string): Promise<void> {
  return values.delete(secretKey(id));
}
