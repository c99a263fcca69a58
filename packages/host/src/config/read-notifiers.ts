import { type Given, parseList, parseUrl, refuse } from './formats.js';
import { Secret } from './secret.js';
import type { SettingKey } from './settings.js';

/** Chat. */
export interface SlackSettings {
  readonly botToken: Secret | null;
  readonly channel: string | null;
  readonly signingSecret: Secret | null;
  readonly apiUrl: string | null;
  /** Slack's user ids and the names that the history shows. */
  readonly reviewers: Readonly<Record<string, string>>;
}
/** Another program that is told about runs. */
export interface NotifyWebhookSettings {
  /** May carry a secret in its query. */
  readonly url: Secret | null;
  readonly secrets: readonly Secret[];
}

type Read = <T>(key: SettingKey, parse: (given: Given) => T, fallback: T) => T;

const readSecret = (read: Read, key: SettingKey) =>
  read<Secret | null>(key, ({ text }) => new Secret(text), null);

export function readSlack(read: Read): SlackSettings {
  return {
    botToken: readSecret(read, 'slackBotToken'),
    channel: read<string | null>('slackChannel', parseChannel, null),
    signingSecret: readSecret(read, 'slackSigningSecret'),
    apiUrl: read<string | null>('slackApiUrl', parseUrl, null),
    reviewers: read('slackReviewers', parseSlackReviewers, {}),
  };
}

export function readNotifyWebhook(read: Read): NotifyWebhookSettings {
  return {
    url: read<Secret | null>('notifyWebhookUrl', parseTarget, null),
    secrets: read('notifyWebhookSecret', parseKeys, []),
  };
}

function parseChannel(given: Given): string {
  if (/^[^\s<>,]{1,80}$/.test(given.text)) return given.text;
  return refuse(given, 'must be one channel’s id, such as C0123456789');
}

/** `U0123456789:name,…` */
function parseSlackReviewers(given: Given): Readonly<Record<string, string>> {
  const pairs = parseList(given.text).map((item): [string, string] => {
    const at = item.indexOf(':');
    const user = item.slice(0, at).trim();
    const name = item.slice(at + 1).trim();
    if (at < 1 || !/^[UW][A-Z0-9]{1,30}$/.test(user))
      refuse(given, 'must be written U0123456789:name, several separated by commas');
    if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name))
      refuse(given, 'holds a name that is not 1 to 64 letters, digits, spaces or . _ @ -');
    return [user, name];
  });
  const users = pairs.map(([user]) => user);
  if (new Set(users).size < users.length) refuse(given, 'names a Slack user twice');
  return Object.fromEntries(pairs);
}

function parseTarget(given: Given): Secret {
  // Parsers disagree about where a host ends in what RFC 3986 does not allow.
  if (!/^[!#-;=?-[\]_a-z~]+$/.test(given.text)) refuse(given, 'must be a URL of RFC 3986’s characters');
  const url = URL.canParse(given.text) ? new URL(given.text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) refuse(given, 'must be an http(s) URL');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    refuse(given, 'must not carry a user, a password or a fragment');
  return new Secret(given.text);
}

function parseKeys(given: Given): readonly Secret[] {
  const keys = parseList(given.text);
  if (keys.length > 2) refuse(given, 'may hold two keys at most, separated by a comma');
  if (!keys.every((key) => /^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/.test(key)))
    refuse(given, 'must be whsec_ and base64 of 24 to 64 bytes: echo whsec_$(openssl rand -base64 32)');
  return keys.map((key) => new Secret(key));
}
