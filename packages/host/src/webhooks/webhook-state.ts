import type { Values } from '@culprit/core/internal/ports/values';
import { stored } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { AttemptCode } from './send-message.js';
import { ATTEMPT_CODES } from './send-message.js';

/** Dead deliveries of one webhook; the newest are kept. */
export const MAX_DEAD = 100;
/** How long a dead delivery is kept. */
const DEAD_MS = 14 * 24 * 60 * 60_000;
/** A success is written at most this often, unless it ends a series of failures. */
export const SUCCESS_MS = 60_000;

const code = v.picklist(Object.keys(ATTEMPT_CODES) as AttemptCode[]);
const failureSchema = v.object({ at: v.string(), code, status: v.nullable(v.number()) });
const deadSchema = v.object({
  /** Of the message. */
  id: v.string(),
  type: v.string(),
  /** ISO 8601: when it was given up. */
  at: v.string(),
  attempts: v.number(),
  code,
  status: v.nullable(v.number()),
  message: v.object({ id: v.string(), type: v.string(), timestamp: v.string(), data: v.unknown() }),
});
/** A delivery that was given up, with its message. */
export type DeadDelivery = v.InferOutput<typeof deadSchema>;

const stateSchema = v.object({
  last_success_at: v.nullable(v.string()),
  last_failure: v.nullable(failureSchema),
  /** ISO 8601: the first failure after the last success. */
  failing_since: v.nullable(v.string()),
  dead: v.array(deadSchema),
});
/** How deliveries of one webhook went. */
export type WebhookState = v.InferOutput<typeof stateSchema>;

const NOTHING: WebhookState = { last_success_at: null, last_failure: null, failing_since: null, dead: [] };

/** What happened since the last write. */
export interface Happened {
  success?: string;
  failure?: v.InferOutput<typeof failureSchema>;
  dead: DeadDelivery[];
}

export interface WebhookStates {
  get(id: string): Promise<WebhookState>;
  note(id: string, happened: Happened): Promise<void>;
  /** Removes dead deliveries and returns them. `ids` absent: all. */
  take(id: string, ids?: ReadonlySet<string>): Promise<readonly DeadDelivery[]>;
  forget(id: string): Promise<void>;
}

export function webhookStates(values: Values, now: () => number): WebhookStates {
  const fresh = ({ at }: DeadDelivery) => Date.parse(at) > now() - DEAD_MS;
  const stateOf = (id: string) =>
    stored<WebhookState>(values, `webhook:state:${id}`, {
      ...{ schema: stateSchema, none: NOTHING },
      current: (state) => ({ ...state, dead: state.dead.filter(fresh) }),
    });
  return {
    get: (id) => stateOf(id).get(),
    async note(id, { success, failure, dead }) {
      await stateOf(id).change((before) => {
        const recent = Date.parse(before.last_success_at ?? '') > now() - SUCCESS_MS;
        const quiet = failure === undefined && dead.length === 0 && before.failing_since === null;
        if (quiet && recent) return null;
        const failing = failure !== undefined && (success === undefined || success < failure.at);
        return {
          last_success_at: success ?? before.last_success_at,
          last_failure: failure ?? before.last_failure,
          failing_since: failing
            ? (before.failing_since ?? failure.at)
            : success === undefined
              ? before.failing_since
              : null,
          dead: [...dead.toReversed(), ...before.dead].slice(0, MAX_DEAD),
        };
      });
    },
    async take(id, ids) {
      let taken: readonly DeadDelivery[] = [];
      const chosen = (one: DeadDelivery) => ids === undefined || ids.has(one.id);
      await stateOf(id).change((before) => {
        taken = before.dead.filter(chosen);
        if (taken.length === 0) return null;
        return { ...before, dead: before.dead.filter((one) => !chosen(one)) };
      });
      return taken;
    },
    forget: (id) => stateOf(id).delete(),
  };
}
