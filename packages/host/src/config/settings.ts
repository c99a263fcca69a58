import { DEFAULT_POLICY } from '@culprit/core';
import { AUDIT_KEY_CHARS } from '@culprit/core/internal/domain/history';
import { ASSIGN_RULES } from '@culprit/core/internal/domain/ownership';
import { CLOSED_ISSUES, REGRESSION_ISSUES, RESOLVED_RUNS } from '@culprit/core/internal/domain/resolution';
import { EVENT_BYTES, LEAST_EVENT_BYTES } from '@culprit/core/internal/pipeline/normalise/bound-event';
import { address, HOST_SETTINGS } from '../compose/hosts/hosts.js';
import { DRIVER_CHOICES } from '../http/driver.js';
import {
  hookSecrets,
  otlpServices,
  reviewerTokens,
  sdkKeys,
  secret,
  secrets,
  serviceTokens,
  slackReviewers,
} from './credentials.js';
import { claimProjects, claimRoles, issuer } from './oidc.js';
import { type Setting, setting } from './setting.js';
import { connectors, limits, projects, scrub } from './structured.js';
import {
  anyText,
  boolean,
  codeMappings,
  DEFAULT_QUOTAS_TEXT,
  DEFAULT_RETENTION_TEXT,
  duration,
  filePath,
  hostName,
  list,
  lowerCase,
  modelServer,
  oneOf,
  origin,
  port,
  quotas,
  retention,
  seconds,
  secretUrl,
  text,
  url,
  wholeNumber,
} from './types.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Every setting, by its name in `culprit.json` and in `Config`. Configuration, errors, `--help`, `culprit doctor` and
 * docs/reference/configuration.md are derived from this table.
 */
export const SETTINGS = {
  host: setting({
    env: 'HOST',
    flag: 'host',
    type: hostName,
    default: '127.0.0.1',
    meaning: 'Address that both servers listen on.',
  }),
  edgePort: setting({
    env: 'EDGE_PORT',
    flag: 'edge-port',
    type: port,
    default: '8001',
    meaning: 'Port of the edge (Server A); 0 picks a free one.',
  }),
  corePort: setting({
    env: 'CORE_PORT',
    flag: 'core-port',
    type: port,
    default: '8000',
    meaning: 'Port of core (Server B); 0 picks a free one.',
  }),
  httpDriver: setting({
    env: 'HTTP_DRIVER',
    type: oneOf(DRIVER_CHOICES),
    default: 'auto',
    meaning:
      'What serves HTTP: `uws` (uWebSockets.js, the faster one), `node` (`node:http`), or `auto`: uWebSockets.js where it can be loaded.',
  }),
  coreUrl: setting({
    env: 'CORE_URL',
    flag: 'core-url',
    type: url,
    otherwise: 'core’s own address',
    meaning: 'Where the edge reaches core. Must be https unless it is loopback or ALLOW_PLAINTEXT=1.',
  }),
  publicUrl: setting({
    env: 'PUBLIC_URL',
    flag: 'public-url',
    type: origin,
    otherwise: 'core’s own address',
    meaning: 'How browsers reach the board. Requests with a session cookie must come from this origin.',
  }),
  allowedHosts: setting({
    env: 'ALLOWED_HOSTS',
    type: lowerCase(list('host[:port],…')),
    default: '',
    meaning:
      'Further values of the Host header that core accepts, besides PUBLIC_URL, CORE_URL and loopback names. A name without a port allows every port.',
  }),
  trustedProxies: setting({
    env: 'TRUSTED_PROXIES',
    type: list('address or CIDR,…'),
    default: '',
    meaning: 'Peers whose forwarding headers are trusted to name the client.',
  }),
  figuresNeedToken: setting({
    env: 'FIGURES_NEED_TOKEN',
    type: boolean,
    default: '0',
    meaning:
      '1: the edge’s /metrics and /api/v1/guard need a service token also from this machine. Set it behind a proxy on the same machine that adds no forwarding header.',
  }),
  allowPlaintext: setting({
    env: 'ALLOW_PLAINTEXT',
    type: boolean,
    default: '0',
    meaning: '1 allows http to services that are not on loopback.',
  }),
  dataDirectory: setting({
    env: 'DATA_DIR',
    flag: 'data',
    type: anyText('directory'),
    otherwise: 'the directory of STORAGE_URL, or .culprit beside the configuration file',
    meaning: 'Contains the generated secrets, the edge’s spool and the local outbox.',
  }),
  internalGatewaySecret: setting({
    env: 'INTERNAL_GATEWAY_SECRET',
    type: secrets('secret[,secret]'),
    default: '',
    generated: 'server',
    secret: true,
    meaning: 'Bearer token between edge and core. Core accepts either of two; the edge sends the first.',
  }),
  trackerHookSecret: setting({
    env: 'TRACKER_HOOK_SECRET',
    type: hookSecrets,
    default: '',
    generated: 'door',
    secret: true,
    meaning: 'HMAC keys of the error tracker webhook, at most two for each project.',
  }),
  serviceTokens: setting({
    env: 'SERVICE_TOKENS',
    type: serviceTokens,
    default: '',
    generated: 'door',
    secret: true,
    meaning: 'Tokens of the native door (X-Service-Token) and of OpenTelemetry exporters.',
  }),
  otlpServices: setting({
    env: 'OTLP_SERVICES',
    type: otlpServices,
    default: '',
    otherwise: 'the token’s project',
    meaning:
      'Projects of OpenTelemetry services by `service.name`, for a collector that forwards several services with one token.',
  }),
  sdkKeys: setting({
    env: 'SDK_KEYS',
    type: sdkKeys,
    default: '',
    generated: 'door',
    meaning: 'DSN public keys of the SDK door. They are public: they identify a project and prove nothing.',
  }),
  sdkTunnels: setting({
    env: 'SDK_TUNNELS',
    type: lowerCase(
      list(
        'host[:port]/project,…',
        /^[^/@\s]+\/[^/\s]+$/,
        'must be host[:port]/project, separated by commas',
      ),
    ),
    default: '',
    otherwise: 'none: closed',
    meaning: 'DSNs that `/tunnel` accepts, for browsers with ad blockers that block the SDK’s usual path.',
  }),
  sentryHookSecrets: setting({
    env: 'SENTRY_HOOK_SECRETS',
    type: hookSecrets,
    default: '',
    otherwise: 'none: closed',
    secret: true,
    meaning: 'Client secrets of Sentry integrations (`/webhook/sentry-hook`), at most two for each project.',
  }),
  sentryHookTolerance: setting({
    env: 'SENTRY_HOOK_TOLERANCE',
    type: seconds,
    otherwise: 'not checked',
    meaning: 'Largest difference in seconds between Sentry-Hook-Timestamp and the clock.',
  }),
  standardWebhookSecrets: setting({
    env: 'STANDARD_WEBHOOK_SECRETS',
    type: hookSecrets,
    default: '',
    otherwise: 'none: closed',
    secret: true,
    meaning: 'Keys of Standard Webhooks (`/webhook/standard-webhooks`), at most two for each project.',
  }),
  standardWebhookTolerance: setting({
    env: 'STANDARD_WEBHOOK_TOLERANCE',
    type: seconds,
    default: '300',
    meaning: 'Largest difference in seconds between webhook-timestamp and the clock.',
  }),
  allowBrotli: setting({
    env: 'ALLOW_BROTLI',
    type: boolean,
    default: '0',
    meaning:
      '1 accepts Brotli bodies. Brotli decoders have a history of decompression bombs and memory faults.',
  }),
  limits: setting({
    env: null,
    type: limits,
    default: '{}',
    otherwise: 'see below',
    meaning: 'Limits of the edge.',
  }),
  scrubEmail: setting({
    env: 'SCRUB_EMAIL',
    type: boolean,
    default: '1',
    meaning: '0 keeps e-mail addresses in crashes.',
  }),
  scrubIp: setting({
    env: 'SCRUB_IP',
    type: oneOf(['off', 'keys', 'all']),
    default: 'keys',
    meaning:
      'Where IP addresses are redacted: nowhere, in members that name a person’s address, or everywhere.',
  }),
  scrub: setting({
    env: null,
    type: scrub,
    default: '{}',
    otherwise: 'none',
    meaning: 'Your own sanitising rules; see [sanitising](sanitising.md).',
  }),
  reviewerTokens: setting({
    env: 'REVIEWER_TOKENS',
    type: reviewerTokens,
    default: '',
    generated: 'server',
    secret: true,
    meaning: 'Who may read runs and decide at gates.',
  }),
  oidcIssuer: setting({
    env: 'OIDC_ISSUER',
    type: issuer,
    otherwise: 'none: sign in with tokens only',
    meaning:
      'The OpenID provider that people sign in at, as its discovery document names itself; see [sign-in](../guides/sign-in.md).',
  }),
  oidcClientId: setting({
    env: 'OIDC_CLIENT_ID',
    type: text('text', /^[\x21-\x7e]{1,255}$/, 'must be the id of the client, without spaces'),
    meaning:
      'Culprit’s client id at the provider. The redirect URI is PUBLIC_URL and /sign-in/oidc/callback.',
  }),
  oidcClientSecret: setting({
    env: 'OIDC_CLIENT_SECRET',
    type: secret('secret'),
    secret: true,
    otherwise: 'none: a public client',
    meaning: 'The client’s secret.',
  }),
  oidcScopes: setting({
    env: 'OIDC_SCOPES',
    type: text(
      'scopes',
      /^(?=.*\bopenid\b)[\w.:/ -]{6,500}$/,
      'must be scopes separated by spaces, with openid',
    ),
    default: 'openid profile',
    meaning:
      'What Culprit asks the provider for. Add `email` or `groups` if the provider needs it to send a claim that you use.',
  }),
  oidcName: setting({
    env: 'OIDC_NAME',
    type: text(
      'text',
      /^[\p{L}\p{N}][\p{L}\p{N} ._&-]{0,39}$/u,
      'must be at most 40 letters, digits, spaces or . _ & -',
    ),
    otherwise: 'the provider’s host',
    meaning: 'On the button: “Sign in with …”.',
  }),
  oidcRolesClaim: setting({
    env: 'OIDC_ROLES_CLAIM',
    type: text(
      'name or path',
      /^[\x21-\x7e]{1,200}$/,
      'must be the name of a claim, or a path such as realm_access.roles',
    ),
    default: 'groups',
    meaning: 'The claim that decides about roles. `email` counts only if the provider has verified it.',
  }),
  oidcRoles: setting({
    env: 'OIDC_ROLES',
    type: claimRoles,
    default: '',
    meaning:
      'The role for each value of that claim: reader, triager, reviewer or operator; `reviewer@shop` gives it in one project. `*` is everybody who can sign in. Several add up, project by project.',
  }),
  oidcProjectsClaim: setting({
    env: 'OIDC_PROJECTS_CLAIM',
    type: text('name or path', /^[\x21-\x7e]{1,200}$/, 'must be the name of a claim, or a path'),
    otherwise: 'OIDC_ROLES_CLAIM',
    meaning: 'The claim that decides about projects.',
  }),
  oidcProjects: setting({
    env: 'OIDC_PROJECTS',
    type: claimProjects,
    default: '',
    otherwise: 'everybody has all projects',
    meaning:
      'The project for each value of that claim; `*` as a value is everybody, as a project all. With it, people see and decide only runs of their projects.',
  }),
  requireSecondPerson: setting({
    env: 'REQUIRE_SECOND_PERSON',
    type: boolean,
    default: '0',
    meaning:
      '1: the reviewer who approved Gate 1 and the one who edited the draft last may not approve Gate 2, on the board, in Slack or over the API.',
  }),
  requireBoundApproval: setting({
    env: 'REQUIRE_BOUND_APPROVAL',
    type: boolean,
    default: '0',
    meaning:
      '1: approving Gate 2 requires `If-Match` with the digest of the draft; without it the response is 428.',
  }),
  claimTime: setting({
    env: 'CLAIM_TIME',
    type: duration,
    default: '1h',
    meaning: 'How long a reviewer’s claim of a run lasts unless it is renewed.',
  }),
  quietAfterReject: setting({
    env: 'QUIET_AFTER_REJECT',
    type: duration,
    default: '7d',
    meaning:
      'How long crashes are only counted on a rejected run; after that they start a new run. If a rejected run had only untrusted crashes, a trusted one starts a new run at once.',
  }),
  publishSearch: setting({
    env: 'PUBLISH_SEARCH',
    type: duration,
    default: '1h',
    meaning:
      'How long an issue whose creation got no clear answer is searched for before it is created again. If the list of issues lags longer, there are two.',
  }),
  regressionIssues: setting({
    env: 'REGRESSION_ISSUES',
    type: oneOf(REGRESSION_ISSUES),
    default: DEFAULT_POLICY.regressionIssues,
    meaning:
      '`new`: a regression becomes a new issue that links the earlier one. `reopen`: it becomes a comment on the earlier issue, which is then opened. `comment`: only the comment. A new issue if the earlier one is gone, locked or in another repository, or in the outbox.',
  }),
  closedIssues: setting({
    env: 'CLOSED_ISSUES',
    type: oneOf(CLOSED_ISSUES),
    default: DEFAULT_POLICY.closedIssues,
    meaning:
      '`resolve`: a closed issue ends its run, so the next crash is a regression (closed as not planned or as a duplicate: it is only counted). `nothing`: crashes are counted on the run until a reviewer marks it as fixed.',
  }),
  resolvedRuns: setting({
    env: 'RESOLVED_RUNS',
    type: oneOf(RESOLVED_RUNS),
    default: DEFAULT_POLICY.resolvedRuns,
    meaning:
      'What a reviewer who marks a run as fixed does to its issue. `comment`: adds a comment. `close`: also closes it. `nothing`: leaves it as it is. The outbox takes neither.',
  }),
  storageUrl: setting({
    env: 'STORAGE_URL',
    type: anyText('memory: · file:<dir> · redis://…'),
    otherwise: 'file:<data directory>',
    secret: true,
    meaning: 'Where runs, history and evidence are stored. Any number of cores can share Redis.',
  }),
  auditKey: setting({
    env: 'AUDIT_KEY',
    type: secret(`${AUDIT_KEY_CHARS} characters or more`, AUDIT_KEY_CHARS),
    otherwise: 'generated for file:, none for redis:',
    secret: true,
    meaning:
      'Seals the history of every run, so that `culprit audit verify` detects changes. Must be the same for every core and kept outside the storage.',
  }),
  retention: setting({
    env: 'RETENTION',
    type: retention,
    default: DEFAULT_RETENTION_TEXT,
    meaning:
      'For each state, how long runs are kept after their latest activity, and how many. Tombstones are kept.',
  }),
  quotas: setting({
    env: 'QUOTAS',
    type: quotas,
    default: DEFAULT_QUOTAS_TEXT,
    meaning:
      'What each key, each door of a project and each project may store: runs started in an hour, open runs, and MiB of events. Crashes of existing runs are counted beyond it.',
  }),
  eventBytes: setting({
    env: 'EVENT_BYTES',
    type: wholeNumber(LEAST_EVENT_BYTES, 1_048_576, 'a number of bytes'),
    default: String(EVENT_BYTES),
    meaning: 'Bytes of one stored event; what is cut is listed in the event.',
  }),
  sourceMapsDirectory: setting({
    env: 'SOURCE_MAPS_DIR',
    type: anyText('directory'),
    otherwise: '`source-maps` in the data directory',
    meaning: 'Contains uploaded source maps. Cores that share Redis must share this directory, too.',
  }),
  sourceMapsQuota: setting({
    env: 'SOURCE_MAPS_QUOTA',
    type: wholeNumber(1, 1_048_576, 'a number of MiB'),
    default: '2048',
    meaning:
      'MiB of uploaded source maps. Beyond it, uploads that were not used for 7 days are deleted, the one used least recently first; if that is not enough, new ones are refused.',
  }),
  sourceMapsProjectQuota: setting({
    env: 'SOURCE_MAPS_PROJECT_QUOTA',
    type: wholeNumber(1, 1_048_576, 'a number of MiB'),
    otherwise: 'the quota of all',
    meaning: 'MiB of uploaded source maps of each project. Beyond it, only uploads of this project give way.',
  }),
  sourceMapsRetention: setting({
    env: 'SOURCE_MAPS_RETENTION',
    type: duration,
    default: '90d',
    meaning: 'How long uploaded source maps are kept after they were uploaded or last used.',
  }),
  repository: setting({
    env: 'REPOSITORY',
    flag: 'repository',
    type: address,
    otherwise: 'none: no blame',
    meaning: 'The code that crashes.',
  }),
  publishRepository: setting({
    env: 'PUBLISH_REPOSITORY',
    type: address,
    otherwise: 'REPOSITORY',
    meaning: 'Where issues are created, if that is not REPOSITORY. `outbox:` is the local outbox.',
  }),
  codeMappings: setting({
    env: 'CODE_MAPPINGS',
    type: codeMappings,
    default: '',
    otherwise: 'matched by path suffix',
    meaning: 'Maps path prefixes in stacks to path prefixes in the repository.',
  }),
  assign: setting({
    env: 'ASSIGN',
    type: oneOf(ASSIGN_RULES),
    default: 'none',
    meaning:
      'Who a new draft proposes as assignee: the code owners of the crashed file, the author of the first suspect, or nobody. Reviewers can change it.',
  }),
  projects: setting({
    env: null,
    type: projects,
    default: '{}',
    otherwise: 'one project, `default`',
    meaning: 'Several projects, each with its own repository.',
  }),
  ...HOST_SETTINGS,
  ollamaHost: setting({
    env: 'OLLAMA_HOST',
    type: modelServer,
    otherwise: '127.0.0.1:11434',
    meaning: 'The model server. Used only with OLLAMA_MODEL; should be https unless it is loopback.',
  }),
  ollamaModel: setting({
    env: 'OLLAMA_MODEL',
    type: text('name', /^[\w.:/-]{1,120}$/, 'must be a model name such as llama3.2:3b'),
    otherwise: 'none: model off',
    meaning:
      'The model that writes explanations, as named by `ollama list`. Without it they are deterministic.',
  }),
  openaiModel: setting({
    env: 'OPENAI_MODEL',
    type: text('name', /^[\w.:/@+-]{1,160}$/, 'must be a model name as GET /models shows it'),
    otherwise: 'none',
    meaning:
      'Instead of OLLAMA_MODEL: a model behind an OpenAI-compatible address (llama.cpp, vLLM, LM Studio, hosted). Needs OPENAI_BASE_URL.',
  }),
  openaiBaseUrl: setting({
    env: 'OPENAI_BASE_URL',
    type: url,
    meaning:
      'The address before /chat/completions, such as http://127.0.0.1:8080/v1. Prompts, which contain source lines, are sent there, so there is no default.',
  }),
  openaiApiKey: setting({
    env: 'OPENAI_API_KEY',
    type: secret('key'),
    secret: true,
    otherwise: 'none is sent',
    meaning: 'Key of OPENAI_BASE_URL. Used only with OPENAI_MODEL.',
  }),
  slackBotToken: setting({
    env: 'SLACK_BOT_TOKEN',
    type: secret('token'),
    otherwise: 'none: chat off',
    secret: true,
    meaning: 'Bot token of the Slack app.',
  }),
  slackChannel: setting({
    env: 'SLACK_CHANNEL',
    type: text('channel id', /^[^\s<>,]{1,80}$/, 'must be the id of one channel, such as C0123456789'),
    meaning: 'Where runs are announced. The app must be a member.',
  }),
  slackSigningSecret: setting({
    env: 'SLACK_SIGNING_SECRET',
    type: secret('secret'),
    secret: true,
    meaning: 'Verifies that a button was pressed in Slack. Without it messages have no buttons.',
  }),
  slackApiUrl: setting({
    env: 'SLACK_API_URL',
    type: url,
    otherwise: 'https://slack.com/api/',
    meaning: 'Another Slack endpoint.',
  }),
  slackReviewers: setting({
    env: 'SLACK_REVIEWERS',
    type: slackReviewers,
    default: '',
    otherwise: 'none: no decisions in Slack',
    meaning:
      'Slack users who may decide at gates, and their names in the history; `U0123456789:ada=shop` decides in one project, several entries in several.',
  }),
  notifyWebhookUrl: setting({
    env: 'NOTIFY_WEBHOOK_URL',
    type: secretUrl,
    secret: true,
    meaning: 'Receives a POST for every change of a run, in the format of Standard Webhooks.',
  }),
  notifyWebhookSecret: setting({
    env: 'NOTIFY_WEBHOOK_SECRET',
    type: secrets(
      'whsec_…[,whsec_…]',
      /^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/,
      'must be whsec_ and base64 of 24 to 64 bytes: echo whsec_$(openssl rand -base64 32)',
    ),
    default: '',
    secret: true,
    meaning: 'Signs these requests. Set two while you rotate it: both sign.',
  }),
  webhookAllowedHosts: setting({
    env: 'WEBHOOK_ALLOWED_HOSTS',
    type: lowerCase(list('host,…')),
    default: '',
    otherwise: 'only public addresses, by https',
    meaning:
      'Host names and addresses of receivers of outgoing webhooks that may be in a private network, and may be called by http.',
  }),
  envFile: setting({
    env: null,
    type: filePath,
    otherwise: 'none',
    meaning:
      'A file of `NAME=value` lines, for secrets. Each is read like an environment variable, which overrides it. `culprit init` writes `.env`.',
  }),
  connectors: setting({
    env: 'CONNECTORS',
    type: connectors,
    default: '',
    meaning:
      'Third-party connectors, by package name or path. A value `$NAME` in `config` is read from the environment.',
  }),
  logLevel: setting({
    env: 'LOG_LEVEL',
    flag: 'log-level',
    type: oneOf(LOG_LEVELS),
    default: 'info',
    meaning: 'Minimum log level.',
  }),
};

export type SettingKey = keyof typeof SETTINGS;

/** The default as help and the reference show it. */
export function defaultText({ default: value, otherwise, generated }: Setting): string {
  if (generated !== undefined) return 'generated on loopback';
  return otherwise ?? (value || 'none');
}
