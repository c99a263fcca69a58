import { CulpritError } from '@culprit/core/connector';
import type { ModalView } from '@slack/web-api';
import * as v from 'valibot';
import { parseShown, type Shown } from './button.js';

/** Where a button was pressed, for replies. */
export interface Pressed {
  readonly responseUrl: string | undefined;
  /** Channel id. */
  readonly channel: string | undefined;
}

const REJECT_FORM = 'culprit.reject.form';
/** The engine's limit for a reason. */
const REASON_CHARS = 2_000;
const REASON = 'reason';
const WHERE = 'to';

const plain = (text: string) => ({ type: 'plain_text' as const, text, emoji: false });

/** Asks for the reason and, at Gate 2, the destination. Carries what was shown when Reject was pressed. */
export function rejectForm(shown: Shown, { responseUrl, channel }: Pressed): ModalView {
  const reason = {
    type: 'input' as const,
    block_id: REASON,
    label: plain('Reason (recorded in the history)'),
    element: {
      type: 'plain_text_input' as const,
      action_id: REASON,
      multiline: true,
      min_length: 1,
      max_length: REASON_CHARS,
    },
  };
  return {
    type: 'modal',
    callback_id: REJECT_FORM,
    private_metadata: JSON.stringify({ shown: JSON.stringify(shown), responseUrl, channel }),
    title: plain(`Reject at Gate ${shown.gate}`),
    submit: plain('Reject'),
    close: plain('Cancel'),
    blocks: shown.gate === 2 ? [reason, destination()] : [reason],
  };
}

function destination() {
  const again = { text: plain('Back to Gate 1: analyse again'), value: 'staged_raw' };
  const leave = { text: plain('Reject the incident'), value: 'rejected' };
  return {
    type: 'input' as const,
    block_id: WHERE,
    label: plain('Next step'),
    element: {
      type: 'radio_buttons' as const,
      action_id: WHERE,
      options: [again, leave],
      initial_option: again,
    },
  };
}

const metadataSchema = v.object({
  shown: v.string(),
  responseUrl: v.optional(v.string()),
  channel: v.optional(v.string()),
});
const reasonSchema = v.object({ value: v.nullish(v.string()) });
const whereSchema = v.object({
  selected_option: v.object({ value: v.picklist(['staged_raw', 'rejected']) }),
});

export interface Rejection {
  readonly shown: Shown;
  readonly pressed: Pressed;
  readonly reason: string;
  readonly to: 'staged_raw' | 'rejected';
}

/** `null` if the form is not Culprit's; `reason` is empty if none was given. */
export function readRejection({ view }: ViewSubmission): Rejection | null {
  if (view.callback_id !== REJECT_FORM) return null;
  const metadata = v.safeParse(metadataSchema, parseJson(view.private_metadata));
  const shown = metadata.success ? parseShown(metadata.output.shown) : null;
  if (!metadata.success || shown === null) return null;
  const { values } = view.state;
  const reason = v.safeParse(reasonSchema, values[REASON]?.[REASON]);
  const where = v.safeParse(whereSchema, values[WHERE]?.[WHERE]);
  return {
    shown,
    pressed: { responseUrl: metadata.output.responseUrl, channel: metadata.output.channel },
    reason: (reason.success ? (reason.output.value ?? '') : '').trim().slice(0, REASON_CHARS),
    to: where.success ? where.output.selected_option.value : 'staged_raw',
  };
}

/** Validation error for an empty reason. */
export const REASON_MISSING = {
  response_action: 'errors',
  errors: { [REASON]: 'Enter a reason. It is recorded in the history.' },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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
type Payload = v.InferOutput<typeof payloadSchema>;
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
