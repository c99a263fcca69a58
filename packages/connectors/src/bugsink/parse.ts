import { CulpritError, type ParsedDelivery, type RawDelivery } from '@culprit/core/connector';
import * as v from 'valibot';

const text = v.nullish(v.string());

/** The JSON of Bugsink's "Custom" service, only the members in use; others are ignored. */
const alertSchema = v.object({
  /** Bugsink's id of the issue. */
  id: v.string(),
  title: v.string(),
  calculated_type: v.string(),
  calculated_value: v.string(),
  /** `NEW`, `REGRESSED`, `UNMUTED`, or `TEST` for the test message. */
  alert_reason: v.string(),
  friendly_id: text,
  project_name: text,
  url: text,
  transaction: text,
  last_seen: text,
  unmute_reason: text,
});
type Alert = v.InferOutput<typeof alertSchema>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `calculated_type` of an event that is a message and no exception. */
const LOG_MESSAGE = 'Log Message';

/** An alert names an issue, its type and message, without a stack. Test messages are acknowledged and counted. */
export function parseAlert({ body }: RawDelivery): ParsedDelivery {
  const alert = readAlert(body);
  if (alert.alert_reason === 'TEST') return { crashes: [], ignored: { test: 1 }, event_id: null };
  return {
    crashes: [{ event_id: null, crash: crashOf(alert), attachments: [] }],
    ignored: {},
    event_id: null,
  };
}

function readAlert(body: Uint8Array): Alert {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch {
    throw new CulpritError('malformed', 'The body must be UTF-8 JSON.');
  }
  const parsed = v.safeParse(alertSchema, value);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]);
  throw new CulpritError(
    'malformed',
    `${path ?? 'The body'} does not match Bugsink’s format.`,
    path === null ? {} : { path },
  );
}

/** Nothing that varies between alerts of one issue may be in the message, because there is no stack to group by. */
function crashOf(alert: Alert) {
  const { calculated_type: type, calculated_value: value, title, transaction, last_seen } = alert;
  const isException = type !== '' && type !== LOG_MESSAGE;
  return {
    ...(isException ? { exception: { values: [{ type, value }] } } : { message: value || title }),
    ...(transaction ? { transaction } : {}),
    ...(last_seen ? { timestamp: last_seen } : {}),
    extra: {
      bugsink: {
        issue_id: alert.id,
        issue: alert.friendly_id ?? null,
        issue_url: alert.url ?? null,
        project: alert.project_name ?? null,
        alert_reason: alert.alert_reason,
        unmute_reason: alert.unmute_reason ?? null,
      },
    },
  };
}
