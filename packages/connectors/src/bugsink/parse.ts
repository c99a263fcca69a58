import { CulpritError, type ParsedDelivery, type RawDelivery } from '@culprit/core';
import * as v from 'valibot';
import { type Alert, alertSchema } from './schema.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An alert names an issue, its type and message, without a stack. Test messages are acknowledged and counted. */
export function parseAlert({ body }: RawDelivery): ParsedDelivery {
  const alert = readAlert(body);
  if (alert.event_type !== 'alert') {
    return {
      crashes: [],
      ignored: { [alert.event_type === 'test' ? 'test' : 'unknown']: 1 },
      event_id: null,
    };
  }
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

function crashOf({ data, summary, issue_id }: Alert) {
  const { error_type: type, error_message: value, last_seen } = data ?? {};
  const message = data?.summary ?? summary;
  if (!message && !type && !value) {
    throw new CulpritError('malformed', 'The alert has neither a summary nor an error.', {
      path: 'summary',
    });
  }
  return {
    ...(type || value ? { exception: { values: [{ type: type ?? null, value: value ?? null }] } } : {}),
    ...(message && !type && !value ? { message: withoutState(message) } : {}),
    ...(last_seen ? { timestamp: last_seen } : {}),
    extra: {
      bugsink: {
        issue_id: data?.issue_id ?? issue_id ?? null,
        issue_url: data?.issue_url ?? null,
        project: data?.project ?? null,
        alert_type: data?.alert_type ?? null,
        alert_reason: data?.alert_reason ?? null,
        unmute_reason: data?.unmute_reason ?? null,
      },
    },
  };
}

/** `[NEW] TypeError: …`: the state varies between alerts of one issue, so it must not affect grouping. */
function withoutState(summary: string): string {
  return summary.replace(/^\[[^\]]{1,40}\] /, '');
}
