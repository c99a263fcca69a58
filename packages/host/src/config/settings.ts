// Over 300 lines: one list of every setting, read from top to bottom.
/**
 * Every setting there is, once. The readers, the help text, the unknown-key suggestions and the table in
 * `docs/reference/configuration.md` are made from this list.
 */
export interface Setting {
  /** Member of `culprit.json`. */
  readonly key: string;
  readonly env: string;
  /** Without the dashes; absent where a command line is no place for it (secrets show in `ps`). */
  readonly flag?: string;
  readonly secret?: true;
  /** How a value is written. */
  readonly format: string;
  /** In words, for the table; the value itself stands in `readConfig`. */
  readonly fallback: string;
  readonly meaning: string;
}

export const SETTINGS = [
  {
    key: 'host',
    env: 'HOST',
    flag: 'host',
    format: 'address',
    fallback: '127.0.0.1',
    meaning: 'Address that both servers listen on.',
  },
  {
    key: 'edgePort',
    env: 'EDGE_PORT',
    flag: 'edge-port',
    format: '0–65535',
    fallback: '8001',
    meaning: 'Port of the edge (Server A); 0 takes any free one.',
  },
  {
    key: 'corePort',
    env: 'CORE_PORT',
    flag: 'core-port',
    format: '0–65535',
    fallback: '8000',
    meaning: 'Port of core (Server B); 0 takes any free one.',
  },
  {
    key: 'coreUrl',
    env: 'CORE_URL',
    flag: 'core-url',
    format: 'URL',
    fallback: 'core’s own address',
    meaning: 'Where the edge finds core. Must be https unless it is loopback or ALLOW_PLAINTEXT=1.',
  },
  {
    key: 'publicUrl',
    env: 'PUBLIC_URL',
    flag: 'public-url',
    format: 'URL',
    fallback: 'core’s own address',
    meaning: 'How browsers reach the board. Its origin is the only one that may act with a session cookie.',
  },
  {
    key: 'allowedHosts',
    env: 'ALLOWED_HOSTS',
    format: 'host[:port],…',
    fallback: 'PUBLIC_URL, CORE_URL and loopback names',
    meaning: 'Further values of the Host header that core answers to.',
  },
  {
    key: 'trustedProxies',
    env: 'TRUSTED_PROXIES',
    format: 'address or CIDR,…',
    fallback: 'none',
    meaning: 'Peers whose forwarding headers name the client.',
  },
  {
    key: 'allowPlaintext',
    env: 'ALLOW_PLAINTEXT',
    format: '0 or 1',
    fallback: '0',
    meaning: '1 allows http to a core that is not on loopback.',
  },
  {
    key: 'dataDirectory',
    env: 'DATA_DIR',
    flag: 'data',
    format: 'directory',
    fallback: 'the folder of STORAGE_URL, or .culprit',
    meaning: 'Generated secrets, the edge’s spool and the local outbox live here.',
  },
  {
    key: 'internalGatewaySecret',
    env: 'INTERNAL_GATEWAY_SECRET',
    secret: true,
    format: 'secret[,secret]',
    fallback: 'made on loopback',
    meaning: 'Bearer between edge and core. Core accepts both of two, the edge sends the first.',
  },
  {
    key: 'trackerHookSecret',
    env: 'TRACKER_HOOK_SECRET',
    secret: true,
    format: '[project=]secret,…',
    fallback: 'made on loopback',
    meaning: 'HMAC keys of the error tracker webhook, at most two for each project.',
  },
  {
    key: 'serviceTokens',
    env: 'SERVICE_TOKENS',
    secret: true,
    format: '[project/]name:token,…',
    fallback: 'made on loopback',
    meaning: 'Tokens of the native door (X-Service-Token).',
  },
  {
    key: 'sdkKeys',
    env: 'SDK_KEYS',
    format: 'project:publickey,…',
    fallback: 'made on loopback',
    meaning: 'DSN public keys of the SDK door. Public by nature: they name a project, they prove nothing.',
  },
  {
    key: 'sdkTunnels',
    env: 'SDK_TUNNELS',
    format: 'host[:port]/project,…',
    fallback: 'none: closed',
    meaning: 'DSNs that `/tunnel` takes, for browsers whose blockers know the SDK’s own path.',
  },
  {
    key: 'sentryHookSecrets',
    env: 'SENTRY_HOOK_SECRETS',
    secret: true,
    format: '[project=]secret,…',
    fallback: 'none: closed',
    meaning: 'Client secrets of Sentry integrations (`/webhook/sentry-hook`), at most two for each project.',
  },
  {
    key: 'sentryHookTolerance',
    env: 'SENTRY_HOOK_TOLERANCE',
    format: 'seconds',
    fallback: 'not looked at',
    meaning: 'How far Sentry-Hook-Timestamp may be off, both ways.',
  },
  {
    key: 'standardWebhookSecrets',
    env: 'STANDARD_WEBHOOK_SECRETS',
    secret: true,
    format: '[project=]whsec_…,…',
    fallback: 'none: closed',
    meaning: 'Keys of Standard Webhooks (`/webhook/standard-webhooks`), at most two for each project.',
  },
  {
    key: 'standardWebhookTolerance',
    env: 'STANDARD_WEBHOOK_TOLERANCE',
    format: 'seconds',
    fallback: '300',
    meaning: 'How far webhook-timestamp may be off, both ways.',
  },
  {
    key: 'allowBrotli',
    env: 'ALLOW_BROTLI',
    format: '0 or 1',
    fallback: '0',
    meaning: '1 takes bodies in Brotli. Its decoders have a record of bombs and memory faults.',
  },
  {
    key: 'scrubEmail',
    env: 'SCRUB_EMAIL',
    format: '0 or 1',
    fallback: '1',
    meaning: '0 leaves e-mail addresses in crashes.',
  },
  {
    key: 'scrubIp',
    env: 'SCRUB_IP',
    format: 'off · keys · all',
    fallback: 'keys',
    meaning:
      'Where IP addresses are taken out: nowhere, under the names that hold a person’s, or everywhere.',
  },
  {
    key: 'reviewerTokens',
    env: 'REVIEWER_TOKENS',
    secret: true,
    format: 'name:token,…',
    fallback: 'made on loopback',
    meaning: 'Who may read runs and open gates.',
  },
  {
    key: 'requireSecondPerson',
    env: 'REQUIRE_SECOND_PERSON',
    format: '0 or 1',
    fallback: '0',
    meaning:
      '1: who opened Gate 1 may not sign that draft at Gate 2, on the board, in Slack and over the API.',
  },
  {
    key: 'requireBoundApproval',
    env: 'REQUIRE_BOUND_APPROVAL',
    format: '0 or 1',
    fallback: '0',
    meaning: '1: Gate 2 wants `If-Match` with the digest of the draft that was read; without it 428.',
  },
  {
    key: 'quietAfterReject',
    env: 'QUIET_AFTER_REJECT',
    format: '<number>s · m · h · d, or 0',
    fallback: '7d',
    meaning: 'How long crashes of a rejected run are only counted on it; after that they start a new run.',
  },
  {
    key: 'storageUrl',
    env: 'STORAGE_URL',
    secret: true,
    format: 'memory: · file:<dir> · redis://…',
    fallback: 'file:<data directory>',
    meaning: 'Where runs, history and evidence are kept; in Redis any number of cores share them.',
  },
  {
    key: 'auditKey',
    env: 'AUDIT_KEY',
    secret: true,
    format: '32 characters or more',
    fallback: 'made for file:, none for redis:',
    meaning:
      'Seals the history of every run, so that `culprit audit verify` finds what was changed. The same for every core; kept outside of the storage.',
  },
  {
    key: 'retention',
    env: 'RETENTION',
    format: 'state=<days>d/<runs>,… or off',
    fallback: 'staged_raw=90d/100000, staged_draft=180d/100000, rejected=90d/100000, published=730d/1000000',
    meaning: 'How long after its latest activity, and how many, runs of a state are kept. Tombstones stay.',
  },
  {
    key: 'repository',
    env: 'REPOSITORY',
    flag: 'repository',
    format: 'path or owner/name',
    fallback: 'none: no blame',
    meaning: 'The code that crashes: a local git repository, or a repository on the code host.',
  },
  {
    key: 'codeMappings',
    env: 'CODE_MAPPINGS',
    format: 'stack root=source root,…',
    fallback: 'found by suffix',
    meaning: 'What paths in stacks start with, and what they start with in the repository.',
  },
  {
    key: 'githubToken',
    env: 'GITHUB_TOKEN',
    secret: true,
    format: 'token',
    fallback: 'none: local git and outbox',
    meaning:
      'Fine-grained token; makes GitHub the code host and the publisher of REPOSITORY=owner/name. Needs Contents: read, Metadata: read and, without GITHUB_PUBLISH_TOKEN, Issues: write.',
  },
  {
    key: 'githubPublishToken',
    env: 'GITHUB_PUBLISH_TOKEN',
    secret: true,
    format: 'token',
    fallback: 'GITHUB_TOKEN',
    meaning: 'A second token, for issues and labels only: Issues: write and Metadata: read.',
  },
  {
    key: 'githubApiUrl',
    env: 'GITHUB_API_URL',
    format: 'URL',
    fallback: 'https://api.github.com',
    meaning: 'Base URL of GitHub Enterprise Server: https://HOST/api/v3.',
  },
  {
    key: 'ollamaHost',
    env: 'OLLAMA_HOST',
    format: 'host, host:port or URL',
    fallback: '127.0.0.1:11434',
    meaning: 'The model server. Used only with OLLAMA_MODEL; should be https unless it is loopback.',
  },
  {
    key: 'ollamaModel',
    env: 'OLLAMA_MODEL',
    format: 'name',
    fallback: 'none: model off',
    meaning: 'The model that explains, as `ollama list` names it; without it explanations are deterministic.',
  },
  {
    key: 'slackBotToken',
    env: 'SLACK_BOT_TOKEN',
    secret: true,
    format: 'token',
    fallback: 'none: chat off',
    meaning: 'Bot token of the Slack app.',
  },
  {
    key: 'slackChannel',
    env: 'SLACK_CHANNEL',
    format: 'channel id',
    fallback: 'none',
    meaning: 'Where runs are announced; the app must be a member.',
  },
  {
    key: 'slackSigningSecret',
    env: 'SLACK_SIGNING_SECRET',
    secret: true,
    format: 'secret',
    fallback: 'none',
    meaning:
      'Proves that a button was pressed in Slack. Without it messages have no buttons and that door is closed.',
  },
  {
    key: 'slackApiUrl',
    env: 'SLACK_API_URL',
    format: 'URL',
    fallback: 'https://slack.com/api/',
    meaning: 'Another Slack endpoint.',
  },
  {
    key: 'slackReviewers',
    env: 'SLACK_REVIEWERS',
    format: 'U0123456789:name,…',
    fallback: 'none: nobody decides in Slack',
    meaning: 'Slack users who may open gates, and the names that the history shows.',
  },
  {
    key: 'notifyWebhookUrl',
    env: 'NOTIFY_WEBHOOK_URL',
    secret: true,
    format: 'URL',
    fallback: 'none',
    meaning:
      'A program that is told about runs, by POSTs that Standard Webhooks describes. The only address that is called.',
  },
  {
    key: 'notifyWebhookSecret',
    env: 'NOTIFY_WEBHOOK_SECRET',
    secret: true,
    format: 'whsec_…[,whsec_…]',
    fallback: 'none',
    meaning: 'Signs those POSTs. Two sign both while one is changed.',
  },
  {
    key: 'connectors',
    env: 'CONNECTORS',
    format: 'package,… or JSON',
    fallback: 'none',
    meaning:
      'Further connectors by package name or path from the working directory. In the file, or as JSON: `[{"package", "config"}]`; a value `$NAME` in `config` is read from the environment.',
  },
  {
    key: 'logLevel',
    env: 'LOG_LEVEL',
    flag: 'log-level',
    format: 'debug · info · warn · error',
    fallback: 'info',
    meaning: 'The least that is logged.',
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof SETTINGS)[number]['key'];

/** The table of `docs/reference/configuration.md`. */
export function settingsTable(): string {
  const rows = SETTINGS.map((setting: Setting) => {
    const flag = setting.flag === undefined ? '' : `\`--${setting.flag}\``;
    return `| \`${setting.env}\` | ${flag} | \`${setting.key}\` | ${setting.format} | ${setting.fallback} | ${setting.meaning} |`;
  });
  return [
    '| Variable | Flag | In `culprit.json` | Format | Default | Meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
