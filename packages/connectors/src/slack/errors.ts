import { CulpritError } from '@culprit/core';

/** Slack's temporary errors: https://docs.slack.dev/reference/methods/chat.postMessage (errors). */
const TEMPORARY = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
const RATE = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const RATE_PAUSE_MS = 30_000;

const HINTS: Readonly<Record<string, string>> = {
  invalid_auth: 'check SLACK_BOT_TOKEN',
  not_authed: 'check SLACK_BOT_TOKEN',
  account_inactive: 'the app was uninstalled; reinstall it',
  token_revoked: 'the token was revoked; reinstall the app',
  token_expired: 'the token has expired; reinstall the app',
  missing_scope: 'add the scope chat:write to the app and reinstall it',
  channel_not_found: 'check SLACK_CHANNEL, and invite the app: /invite @Culprit',
  not_in_channel: 'invite the app to the channel: /invite @Culprit',
  is_archived: 'the channel is archived; set another SLACK_CHANNEL',
};

/** The parts of Slack's library errors that are used. */
interface VendorError {
  readonly code?: unknown;
  readonly data?: { readonly error?: unknown };
  readonly retryAfter?: unknown;
  readonly statusCode?: unknown;
}

/** Slack's error name, such as `channel_not_found`, or `null` if the error is not a Slack response. */
export function platformError(error: unknown): string | null {
  const { code, data } = (error ?? {}) as VendorError;
  if (code !== 'slack_webapi_platform_error' || typeof data?.error !== 'string') return null;
  return /^[a-z_]{1,60}$/.test(data.error) ? data.error : 'unknown_error';
}

/** Maps vendor failures to `notifier_failed`, retryable unless Slack refused the request. */
export function translated(error: unknown): CulpritError {
  const slackCode = platformError(error);
  if (slackCode !== null) return permanentOrTemporary(slackCode, error);
  const { code, retryAfter, statusCode } = (error ?? {}) as VendorError;
  if (code === 'slack_webapi_rate_limited_error') {
    const retryAfterMs = Math.max(1, Number(retryAfter) || 1) * 1_000;
    return failed('Slack’s rate limit is exceeded', { retryAfterMs, cause: error });
  }
  if (code === 'slack_webapi_http_error') {
    const retryable = Number(statusCode) >= 500 || statusCode === 408;
    return failed(`Slack returned ${Number(statusCode)}`, { retryable, cause: error });
  }
  return failed('Slack is unreachable', { cause: error });
}

function permanentOrTemporary(slackCode: string, cause: unknown): CulpritError {
  if (RATE.has(slackCode))
    return failed('Slack’s rate limit is exceeded', { retryAfterMs: RATE_PAUSE_MS, cause });
  const hint = HINTS[slackCode];
  return failed(`Slack returned ${slackCode}${hint === undefined ? '' : `: ${hint}`}`, {
    retryable: TEMPORARY.has(slackCode),
    cause,
  });
}

function failed(
  what: string,
  options: { readonly retryable?: boolean; readonly retryAfterMs?: number; readonly cause: unknown },
): CulpritError {
  return new CulpritError('notifier_failed', `${what}.`, options);
}
