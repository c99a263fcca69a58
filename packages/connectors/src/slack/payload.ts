import { CulpritError } from '@culprit/core';
import * as v from 'valibot';

const user = v.object({ id: v.pipe(v.string(), v.maxLength(64)) });

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, only the members in use. */
const blockActions = v.object({
  type: v.literal('block_actions'),
  user,
  trigger_id: v.optional(v.string()),
  response_url: v.optional(v.string()),
  channel: v.optional(v.object({ id: v.pipe(v.string(), v.maxLength(64)) })),
  actions: v.pipe(
    v.array(v.object({ action_id: v.string(), value: v.optional(v.string()) })),
    v.minLength(1),
    v.maxLength(25),
  ),
});
/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload, only the members in use. */
const viewSubmission = v.object({
  type: v.literal('view_submission'),
  user,
  view: v.object({
    callback_id: v.string(),
    private_metadata: v.string(),
    state: v.object({ values: v.record(v.string(), v.record(v.string(), v.unknown())) }),
  }),
});
const payloadSchema = v.variant('type', [blockActions, viewSubmission]);
export type Payload = v.InferOutput<typeof payloadSchema>;
export type BlockActions = v.InferOutput<typeof blockActions>;
export type ViewSubmission = v.InferOutput<typeof viewSubmission>;

/** Parses the form field `payload=<JSON>`. `null` for other kinds of payload. Throws `malformed`. */
export function parsePayload(body: Uint8Array): Payload | null {
  const text = new URLSearchParams(Buffer.from(body).toString('utf8')).get('payload');
  if (text === null)
    throw new CulpritError('malformed', 'The form has no "payload" field.', { path: 'payload' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CulpritError('malformed', '"payload" is not JSON.', { path: 'payload' });
  }
  const parsed = v.safeParse(payloadSchema, value);
  if (parsed.success) return parsed.output;
  const { type } = (typeof value === 'object' && value !== null ? value : {}) as { readonly type?: unknown };
  if (typeof type === 'string' && type !== 'block_actions' && type !== 'view_submission') return null;
  const path = `payload.${v.getDotPath(parsed.issues[0]) ?? ''}`.slice(0, 200);
  throw new CulpritError('malformed', `${path} is missing or invalid.`, { path });
}
